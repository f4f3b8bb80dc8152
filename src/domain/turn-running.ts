import { setTimeout as sleep } from 'node:timers/promises';
import { ParleyError } from '../errors.ts';
import type { TurnResult } from './turn.ts';
import type { Live } from './turn-delivery.ts';
import { interrupted } from './turn-end.ts';

/** Why a turn is to fall silent: a person asked for it, another process has taken it for dead, or this one is leaving. */
export type Reason = 'stopped' | 'lost' | 'leaving';

/** A turn that this process works on. */
export type Running = { live: Live; silence(reason: Reason): void; done: Promise<TurnResult> };

/** The turns that this process works on, and who waits here for a conversation. */
export type Turns = {
  /** By the ids of their answers. Throws 503 when the process is leaving. */
  add(id: string, turn: Running): void;
  find(id: string): Running | undefined;
  /** Waits in line for a conversation, first come, first served. Answers how to leave. Throws 409 `conversation_busy`. */
  enter(conversationId: string, patienceMs: number): Promise<() => void>;
  /** Lets the turns end for `graceMs`; what is left then is failed, so that its caller may ask another process at once. */
  close(graceMs: number): Promise<void>;
};

/** How long turns may take to give back what they hold, in milliseconds. */
const lastMs = 1_000;

export function createTurns(): Turns {
  const running = new Map<string, Running>();
  const lines = new Map<string, (() => void)[]>();
  let closed = false;

  const leave = (conversationId: string) => {
    const line = lines.get(conversationId) ?? [];
    line.shift();
    if (line.length === 0) lines.delete(conversationId);
    line[0]?.();
  };
  const quiet = async () => {
    while (running.size > 0) await Promise.allSettled([...running.values()].map(({ done }) => done));
  };
  const within = (ms: number) => Promise.race([quiet(), sleep(ms, undefined, { ref: false })]);

  return {
    add(id, turn) {
      if (closed) throw interrupted();
      running.set(id, turn);
      const remove = () => void running.delete(id);
      turn.done.then(remove, remove);
    },
    find: (id) => running.get(id),
    async enter(conversationId, patienceMs) {
      const line = lines.get(conversationId) ?? [];
      lines.set(conversationId, line);
      await new Promise<void>((enter, refuse) => {
        const patience = setTimeout(() => {
          line.splice(line.indexOf(come), 1);
          refuse(busy());
        }, patienceMs);
        const come = () => {
          clearTimeout(patience);
          enter();
        };
        line.push(come);
        if (line.length === 1) come();
      });
      return () => leave(conversationId);
    },
    async close(graceMs) {
      await within(graceMs);
      closed = true;
      for (const turn of running.values()) turn.silence('leaving');
      await within(lastMs);
    },
  };
}

export const busy = (): ParleyError =>
  new ParleyError('conversation_busy', 'Another message of this conversation is still being answered.', {
    headers: { 'retry-after': '5' },
  });
