import type { Context } from '../../context.ts';
import { IdempotencyKeyTaken } from '../shared/idempotency/turns.ts';
import { failureOf } from './failure.ts';
import { eventOf, startOf, textId } from './parts.ts';
import type { Part, TurnResult, TurnStream } from './types.ts';

/**
 * How long parts are batched before a write, and the delay before a failed write is retried, in milliseconds. A part
 * after a pause is written at once: readers on other replicas need not wait. A turn that ends sooner is written with
 * its end alone. The streams of a process are due at common moments, to be written together.
 */
const saveIntervalMs = 100;
const retryMs = 500;

/** Creates the stream of a turn. Parts reach the database once the turn is open, and only if it is streamed. */
export function createTurnStream({ turns, viewer, log }: Context, id: string, streamed: boolean): TurnStream {
  /** Text, which is nearly all of them, without what each of its parts repeats. */
  const parts: (Part | string)[] = [];
  let saved = 0;
  let textStarted = false;
  let settled = false;
  let ended = false;
  let keyTaken: IdempotencyKeyTaken | undefined;
  let waitingReaders: (() => void)[] = [];
  let saveTimer: NodeJS.Timeout | undefined;
  let openedAt = 0;
  let lastSaveAt = Number.NEGATIVE_INFINITY;
  let saving = Promise.resolve();
  const first = Promise.withResolvers<void>();
  first.promise.catch(() => {});

  const wake = () => {
    const readers = waitingReaders;
    waitingReaders = [];
    for (const reader of readers) reader();
  };
  const save = async (): Promise<void> => {
    const batch = parts.slice(saved).map(partOf);
    if (batch.length === 0 || settled) return;
    try {
      await turns.writeParts({ workspaceId: viewer.workspaceId, id }, { position: saved, parts: batch });
      saved += batch.length;
    } catch (error) {
      log.warn({ err: error, turnId: id }, 'parts of a stream could not be stored; trying again');
      if (!settled) saveTimer ??= setTimeout(startSave, retryMs);
    }
  };
  const startSave = () => {
    saveTimer = undefined;
    lastSaveAt = performance.now();
    saving = saving.then(save);
  };
  /** The next of the common moments, the first of them after a whole interval. */
  const untilDue = () => {
    const now = performance.now();
    const earliest = saved === 0 ? Math.max(now, openedAt + saveIntervalMs) : now + 1;
    return Math.ceil(earliest / saveIntervalMs) * saveIntervalMs - now;
  };
  const push = (atOnce: boolean, ...more: (Part | string)[]) => {
    if (!streamed || settled) return;
    parts.push(...more);
    if (atOnce) {
      // What comes until then goes with it.
      lastSaveAt = performance.now();
      clearTimeout(saveTimer);
    }
    if (atOnce || !saveTimer) saveTimer = setTimeout(startSave, atOnce ? 0 : untilDue());
    wake();
  };
  const afterPause = () => performance.now() - lastSaveAt >= saveIntervalMs;
  const end = (lastParts: Part[]) => {
    settled = true;
    clearTimeout(saveTimer);
    parts.push(...lastParts);
    ended = true;
    first.resolve();
    wake();
  };

  return {
    open(conversationId) {
      openedAt = performance.now();
      lastSaveAt = openedAt;
      push(false, ...startOf(id, conversationId));
    },
    sendText(delta) {
      const begin = textStarted ? [] : [{ type: 'text-start', id: textId }];
      push(afterPause(), ...begin, delta);
      textStarted = true;
      first.resolve();
    },
    sendPart(part) {
      push(afterPause(), part);
      first.resolve();
    },
    hasSentText: () => textStarted,
    async settle() {
      settled = true;
      clearTimeout(saveTimer);
      await saving;
      return { position: saved, parts: parts.slice(saved).map(partOf) };
    },
    end,
    fail(error) {
      first.reject(error);
      if (error instanceof IdempotencyKeyTaken) {
        keyTaken = error;
        return end([]);
      }
      const { body } = failureOf(error, { error: () => {}, warn: () => {} });
      end([{ type: 'error', errorText: body.message, ...body }]);
    },
    async *read(position) {
      for (let next = position; ; next++) {
        while (next >= parts.length && !ended) await new Promise<void>((ready) => void waitingReaders.push(ready));
        const part = parts[next];
        if (keyTaken) throw keyTaken;
        if (part === undefined) return;
        yield eventOf(id, next, partOf(part));
      }
    },
    waitForStart(timeoutMs) {
      const timer = setTimeout(first.resolve, timeoutMs);
      return first.promise.finally(() => clearTimeout(timer));
    },
  };
}

const partOf = (part: Part | string): Part =>
  typeof part === 'string' ? { type: 'text-delta', id: textId, delta: part } : part;

/** The result of an ended turn, from its row. */
export const resultOf = (turn: { conversationId: string; messageIds: string[] }): TurnResult => ({
  conversationId: turn.conversationId,
  messageIds: turn.messageIds,
});
