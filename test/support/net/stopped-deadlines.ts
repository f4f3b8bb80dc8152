import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { vi } from 'vitest';
import { clock } from '../../../src/net/deadline.ts';

setFlagsFromString('--expose-gc');
/** Collects all garbage now. */
export const collectGarbage = runInNewContext('gc') as () => void;

type Timer = { at: number; act: () => void };

/** Stops the clock of deadlines for the rest of a test, which then passes only as the test says. */
export function stopDeadlines() {
  const timers = new Set<Timer>();
  let now = 1_000;
  let collected = 0;
  vi.spyOn(clock, 'now').mockImplementation(() => now);
  vi.spyOn(clock, 'after').mockImplementation((ms, act) => {
    const timer = { at: now + ms, act };
    timers.add(timer);
    return () => timers.delete(timer);
  });
  const pass = (ms: number) => {
    now += ms;
    for (const timer of timers) {
      if (timer.at > now || !timers.delete(timer)) continue;
      timer.act();
    }
  };
  return {
    pass,
    waiting: () => timers.size,
    /**
     * Lets time pass in steps until `work` has settled, and calls `meanwhile` between them. Garbage is collected before
     * the first two of a test, when the request has been sent and when its response may have begun.
     * Returns how it ended, and how much time that took.
     */
    async passUntil<T>(work: Promise<T>, stepMs: number, meanwhile: () => void) {
      const began = now;
      let ended: { value: T } | { error: any } | undefined;
      const noting = async () => {
        ended = await work.then(
          (value) => ({ value }),
          (error: unknown) => ({ error }),
        );
      };
      void noting();
      await pause(0);
      while (!ended) {
        // In a process that holds the gateway, each takes about a second.
        if (collected++ < 2) collectGarbage();
        meanwhile();
        await pause(5);
        if (ended) break;
        if (timers.size > 0) pass(Math.min(stepMs, Math.max(0, ...[...timers].map(({ at }) => at - now))));
        await pause(0);
      }
      return { ...ended, ms: now - began };
    },
  };
}
