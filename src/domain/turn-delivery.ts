import type { Context } from '../context.ts';
import type { Transaction } from '../database/client.ts';
import type { Conversation } from '../database/generated/prisma/client.ts';
import { ParleyError } from '../errors.ts';
import type { TurnResult } from './turn.ts';
import type { Lease } from './turn-lease.ts';
import { endOf, eventOf, type Part, startOf, type TurnEvent, textId } from './turn-parts.ts';
import type { ToolCall } from './turn-store.ts';
import {
  aliveMs,
  createStream,
  endStream,
  failurePart,
  keptUntil,
  type StreamKey,
  saveParts,
} from './turn-stream-store.ts';

/** How long parts are gathered before they are written, in milliseconds. */
const gatherMs = 100;

type Reply = { content?: string | null; toolCalls?: ToolCall[] | null; metadata?: object };

/** Where a turn says what becomes of it. Its parts reach readers of this process at once, and others by the database. */
export type Delivery = {
  /** The id that the reply is to have. */
  messageId: string;
  open(conversation: Conversation, lease: Lease): Promise<void>;
  reserved(tx: Transaction, month: string): Promise<void>;
  /** Whether the reserved interaction is still ours to give back, and not given back for a dead process. */
  forfeit(): Promise<boolean>;
  say(piece: string): void;
  /** Writes what was gathered; nothing may be said after it. */
  drain(): Promise<void>;
  /** Ends the stream in the transaction that stores the reply. Throws 503 when another process took the turn over. */
  settle(tx: Transaction, result: TurnResult, reply: Reply | null): Promise<void>;
  /** Shows the end, once it is stored. */
  publish(): void;
};

/** A turn of this process that is streamed. */
export type Live = {
  delivery: Delivery;
  fail(error: unknown): Promise<void>;
  /** Its events from a position on, until it ends. */
  read(position: number): AsyncGenerator<TurnEvent, void>;
  /** Resolves when the reply has begun or `patienceMs` is over. Rejects when the turn fails before. */
  begun(patienceMs: number): Promise<void>;
};

/** Begins the stream of a turn. Nothing is written until the turn opens it. */
export function createLive(context: Context, key: StreamKey): Live {
  const { database, log } = context;
  const id = key.id;
  const parts: Part[] = [];
  let saved = 0;
  let saying = false;
  let opened = false;
  let ended = false;
  let ending: Part[] = [];
  let waiting: (() => void)[] = [];
  let gathering: NodeJS.Timeout | undefined;
  let living: NodeJS.Timeout | undefined;
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
    await saveParts(database, context.viewer.workspaceId, id, saved, batch);
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
    parts.push(...more);
    gathering ??= setTimeout(gather, gatherMs);
    wake();
  };
  const end = (last: Part[]) => {
    clearTimeout(gathering);
    clearInterval(living);
    parts.push(...last);
    ended = true;
    first.resolve();
    wake();
  };
  const heartbeat = () => {
    const data = { aliveUntil: new Date(Date.now() + aliveMs) };
    database.turnStream
      .updateMany({ where: { id, state: 'running' }, data })
      .catch((error: unknown) => log.warn({ err: error }, 'a stream could not say that it lives'));
  };

  return {
    delivery: {
      messageId: id,
      async open(conversation, lease) {
        await createStream(context, key, conversation.id, lease.until);
        opened = true;
        living = setInterval(heartbeat, aliveMs / 5).unref();
        push(startOf(id, conversation.id));
      },
      reserved: async (tx, month) => void (await tx.turnStream.update({ where: { id }, data: { month } })),
      async forfeit() {
        const where = { id, month: { not: null } };
        return (await database.turnStream.updateMany({ where, data: { month: null } })).count === 1;
      },
      say(delta) {
        push(...(saying ? [] : [{ type: 'text-start', id: textId }]), { type: 'text-delta', id: textId, delta });
        saying = true;
        first.resolve();
      },
      drain: save,
      async settle(tx, result, reply) {
        ending = endOf(result, reply, saying);
        const data = { state: 'answered' as const, month: null, expiresAt: keptUntil() };
        const own = await tx.turnStream.updateMany({ where: { id, state: 'running' }, data });
        if (own.count === 0) throw new ParleyError('unavailable', 'The reply was taken over by another try.');
        await saveParts(tx, context.viewer.workspaceId, id, saved, ending);
      },
      publish: () => end(ending),
    },
    async fail(error) {
      first.reject(error);
      const last = failurePart(error, log);
      try {
        if (opened) await save().then(() => endStream(context, id, saved, last));
      } catch (failure) {
        log.error({ err: failure }, 'the failure of a stream could not be written');
      }
      end([last]);
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
