import type { Context } from '../context.ts';
import type { TurnResult } from './turn.ts';
import { failureOf } from './turn-failure.ts';
import { eventOf, type Part, startOf, type TurnEvent, textId } from './turn-parts.ts';
import { saveParts } from './turn-stream-store.ts';

/** How long parts are gathered before they are written, in milliseconds. */
const gatherMs = 100;

/**
 * What is told of a turn while it runs. The ledger is the same whether it is streamed or not: when it is, its parts reach
 * readers of this process at once, and others by the database.
 */
export type Live = {
  /** Begins to tell, once the turn is open. */
  open(conversationId: string): void;
  say(piece: string): void;
  /** Tells a part that stands for itself, such as the call of a tool. */
  tell(part: Part): void;
  /** Whether some of the text was told. */
  told(): boolean;
  /** Writes what was gathered, after which nothing is said. Answers how many parts are written. */
  drain(): Promise<number>;
  /** Shows the end, once it is stored. */
  end(parts: Part[]): void;
  fail(error: unknown): void;
  /** Its events from a position on, until it ends. */
  read(position: number): AsyncGenerator<TurnEvent, void>;
  /** Resolves when the reply has begun or `patienceMs` is over. Rejects when the turn fails before. */
  begun(patienceMs: number): Promise<void>;
};

/** Begins to tell of a turn. Nothing is written until it is open, and nothing at all when it is not streamed. */
export function createLive({ database, viewer, log }: Context, id: string, streamed: boolean): Live {
  const parts: Part[] = [];
  let saved = 0;
  let saying = false;
  let ended = false;
  let waiting: (() => void)[] = [];
  let gathering: NodeJS.Timeout | undefined;
  let saving = Promise.resolve();
  const first = Promise.withResolvers<void>();
  first.promise.catch(() => {});

  const wake = () => {
    const readers = waiting;
    waiting = [];
    for (const reader of readers) reader();
  };
  const saveAfter = async (earlier: Promise<void>): Promise<void> => {
    await earlier;
    const batch = parts.slice(saved);
    if (batch.length === 0 || ended) return;
    await saveParts(database, viewer.workspaceId, id, saved, batch);
    saved += batch.length;
  };
  const save = (): Promise<void> => {
    clearTimeout(gathering);
    gathering = undefined;
    saving = saveAfter(saving);
    return saving;
  };
  // A batch that could not be written is written with the next one, or fails the turn when it drains.
  const gather = () =>
    void save().catch((error: unknown) => {
      saving = Promise.resolve();
      log.warn({ err: error }, 'parts of a stream could not be written yet');
    });
  const push = (...more: Part[]) => {
    if (!streamed) return;
    parts.push(...more);
    gathering ??= setTimeout(gather, gatherMs);
    wake();
  };
  const end = (last: Part[]) => {
    clearTimeout(gathering);
    parts.push(...last);
    ended = true;
    first.resolve();
    wake();
  };

  return {
    open: (conversationId) => push(startOf(id, conversationId)),
    say(delta) {
      push(...(saying ? [] : [{ type: 'text-start', id: textId }]), { type: 'text-delta', id: textId, delta });
      saying = true;
      first.resolve();
    },
    tell(part) {
      push(part);
      first.resolve();
    },
    told: () => saying,
    drain: async () => {
      await save();
      return saved;
    },
    end,
    fail(error) {
      first.reject(error);
      const { body } = failureOf(error, { error: () => {} });
      end([{ type: 'error', errorText: body.message, ...body }]);
    },
    async *read(position) {
      for (let next = position; ; next++) {
        while (next >= parts.length && !ended) await new Promise<void>((ready) => void waiting.push(ready));
        const part = parts[next];
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

/** The result of a turn that has ended, from its row. */
export const resultOf = (turn: { conversationId: string; messageIds: string[] }): TurnResult => ({
  conversationId: turn.conversationId,
  messageIds: turn.messageIds,
});
