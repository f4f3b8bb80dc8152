import type { Logger } from 'pino';
import { inBackground } from '../../database/deadline.ts';
import { databaseFailureCause } from '../../database/errors.ts';

type Poller<Entry> = { add(entry: Entry): void; remove(entry: Entry): void };

type Options<Entry> = {
  intervalMs: number;
  /** Whether the first entry is polled for at once, rather than after `intervalMs`. */
  eager: boolean;
  /** Polls for all entries with as few statements as for one. */
  poll: (entries: Entry[]) => Promise<void>;
  log: Logger;
};

/**
 * Polls for many entries at once, every `intervalMs` while there are any. A failed poll is logged, and the next one
 * follows.
 */
export function createPoller<Entry>({ intervalMs, eager, poll, log }: Options<Entry>): Poller<Entry> {
  const entries = new Set<Entry>();
  let lastPollAt = Number.NEGATIVE_INFINITY;
  let isPolling = false;
  let next: NodeJS.Timeout | undefined;

  const schedule = () => {
    if (isPolling || next || entries.size === 0) return;
    const waitMs = Math.max(0, lastPollAt + intervalMs - performance.now());
    next = setTimeout(() => void inBackground(runPoll), waitMs).unref();
  };
  const runPoll = async () => {
    next = undefined;
    if (entries.size === 0) return;
    isPolling = true;
    lastPollAt = performance.now();
    try {
      await poll([...entries]);
    } catch (error) {
      const details = { cause: databaseFailureCause(error), err: error, count: entries.size };
      log.warn(details, 'the database could not be polled; trying again in the next round');
    }
    isPolling = false;
    schedule();
  };

  return {
    add(entry) {
      if (!eager && entries.size === 0 && !isPolling) lastPollAt = performance.now();
      entries.add(entry);
      schedule();
    },
    remove: (entry) => void entries.delete(entry),
  };
}
