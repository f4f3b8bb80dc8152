import { setTimeout as sleep } from 'node:timers/promises';
import { ParleyError } from '../errors.ts';
import type { Services } from '../services.ts';
import type { TurnResult } from './turn.ts';
import type { Live } from './turn-delivery.ts';
import { interrupted } from './turn-end.ts';
import { createFollow, type Follow } from './turn-follow.ts';
import { createWatch, type Watch } from './turn-watch.ts';

/** Why a turn is to fall silent: a person asked for it, another process has taken it for dead, or this one is leaving. */
export type Reason = 'stopped' | 'lost' | 'leaving';

/** A turn that this process works on. */
export type Running = { live: Live; silence(reason: Reason): void; done: Promise<TurnResult> };

/** The turns that this process works on or is asked for, who waits here for a conversation, and what is done behind them. */
export type Turns = {
  /** By the ids of their answers. Throws 503 when the process is leaving. */
  add(id: string, turn: Running): void;
  find(id: string): Running | undefined;
  watch: Watch;
  follow: Follow;
  /** Waits in line for a place, first come, first served. Answers how to leave. Throws 409 `conversation_busy`. */
  enter(place: string, patienceMs: number): Promise<() => void>;
  /** What is done behind a turn that has ended; the process is not left before it is done. It must not reject. */
  hold(work: Promise<unknown>): void;
  /** Lets the turns end for `graceMs`; what is left then is failed, so that its caller may ask another process at once. */
  close(graceMs: number): Promise<void>;
};

/** How long turns may take to give back what they hold, in milliseconds. */
const lastMs = 1_000;

export function createTurns(services: Pick<Services, 'database' | 'log'>): Turns {
  const running = new Map<string, Running>();
  const held = new Set<Promise<unknown>>();
  const lines = new Map<string, (() => void)[]>();
  let closed = false;

  const leave = (place: string) => {
    const line = lines.get(place) ?? [];
    line.shift();
    if (line.length === 0) lines.delete(place);
    line[0]?.();
  };
  const quiet = async () => {
    const all = () => [...[...running.values()].map(({ done }) => done), ...held];
    for (let work = all(); work.length > 0; work = all()) await Promise.allSettled(work);
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
    watch: createWatch(services),
    follow: createFollow(services),
    hold(work) {
      held.add(work);
      const remove = () => void held.delete(work);
      work.then(remove, remove);
    },
    async enter(place, patienceMs) {
      const line = lines.get(place) ?? [];
      lines.set(place, line);
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
      return () => leave(place);
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
