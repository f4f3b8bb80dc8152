import type { Context } from '../../context.ts';
import { IdempotencyKeyTaken } from '../shared/idempotency.ts';
import { failureOf } from './failure.ts';
import { eventOf, startOf, textId } from './parts.ts';
import { saveParts } from './stream-store.ts';
import type { Part, TurnResult, TurnStream } from './types.ts';

/**
 * How long parts are batched before a write, and the delay before a failed write is retried, in milliseconds. The first
 * text, and a part after a pause, is written at once: readers on other replicas need not wait.
 */
const gatherMs = 100;
const againMs = 500;

/** Creates the stream of a turn. Parts reach the database once the turn is open, and only if it is streamed. */
export function createTurnStream({ database, viewer, log }: Context, id: string, streamed: boolean): TurnStream {
  const parts: Part[] = [];
  let saved = 0;
  let saying = false;
  let settled = false;
  let ended = false;
  let taken: IdempotencyKeyTaken | undefined;
  let waiting: (() => void)[] = [];
  let gathering: NodeJS.Timeout | undefined;
  let gathered = Number.NEGATIVE_INFINITY;
  let saving = Promise.resolve();
  const first = Promise.withResolvers<void>();
  first.promise.catch(() => {});

  const wake = () => {
    const readers = waiting;
    waiting = [];
    for (const reader of readers) reader();
  };
  const save = async (): Promise<void> => {
    const batch = parts.slice(saved);
    if (batch.length === 0 || settled) return;
    try {
      await saveParts(database, viewer.workspaceId, id, saved, batch);
      saved += batch.length;
    } catch (error) {
      log.warn({ err: error, turnId: id }, 'parts of a stream could not be stored; trying again');
      if (!settled) gathering ??= setTimeout(gather, againMs);
    }
  };
  const gather = () => {
    gathering = undefined;
    gathered = performance.now();
    saving = saving.then(save);
  };
  const push = (soon: boolean, ...more: Part[]) => {
    if (!streamed || settled) return;
    parts.push(...more);
    if (soon) clearTimeout(gathering);
    if (soon || !gathering) gathering = setTimeout(gather, soon ? 0 : gatherMs);
    wake();
  };
  const afterPause = () => performance.now() - gathered >= gatherMs;
  const end = (last: Part[]) => {
    settled = true;
    clearTimeout(gathering);
    parts.push(...last);
    ended = true;
    first.resolve();
    wake();
  };

  return {
    open: (conversationId) => push(false, ...startOf(id, conversationId)),
    say(delta) {
      const begin = saying ? [] : [{ type: 'text-start', id: textId }];
      push(!saying || afterPause(), ...begin, { type: 'text-delta', id: textId, delta });
      saying = true;
      first.resolve();
    },
    tell(part) {
      push(afterPause(), part);
      first.resolve();
    },
    told: () => saying,
    async settle() {
      settled = true;
      clearTimeout(gathering);
      await saving;
      return { position: saved, parts: parts.slice(saved) };
    },
    end,
    fail(error) {
      first.reject(error);
      if (error instanceof IdempotencyKeyTaken) {
        taken = error;
        return end([]);
      }
      const { body } = failureOf(error, { error: () => {} });
      end([{ type: 'error', errorText: body.message, ...body }]);
    },
    async *read(position) {
      for (let next = position; ; next++) {
        while (next >= parts.length && !ended) await new Promise<void>((ready) => void waiting.push(ready));
        const part = parts[next];
        if (taken) throw taken;
        if (!part) return;
        yield eventOf(id, next, part);
      }
    },
    begun(patienceMs) {
      const patience = setTimeout(first.resolve, patienceMs);
      return first.promise.finally(() => clearTimeout(patience));
    },
  };
}

/** The result of an ended turn, from its row. */
export const resultOf = (turn: { conversationId: string; messageIds: string[] }): TurnResult => ({
  conversationId: turn.conversationId,
  messageIds: turn.messageIds,
});
