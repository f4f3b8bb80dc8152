import { setTimeout as sleep } from 'node:timers/promises';
import type { Services } from '../../context.ts';
import { busy, interrupted } from './failure.ts';
import { createFollow } from './follow.ts';
import { createHeartbeat } from './heartbeat.ts';
import type { RunningTurn, Turns } from './types.ts';

/** How long aborted turns may take at shutdown to release what they hold, in milliseconds. */
const lastMs = 1_000;

export function createTurns(services: Pick<Services, 'database' | 'log'>): Turns {
  const running = new Map<string, RunningTurn>();
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
    get running() {
      return running.size;
    },
    watch: createHeartbeat(services),
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
      for (const turn of running.values()) turn.abort('leaving');
      await within(lastMs);
    },
  };
}
