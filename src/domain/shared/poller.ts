import type { Logger } from 'pino';
import { inBackground } from '../../database/deadline.ts';

export type Poller<Entry> = { add(entry: Entry): void; remove(entry: Entry): void };

type Options<Entry> = {
  everyMs: number;
  /** Whether the first entry is polled for at once, rather than after `everyMs`. */
  eager: boolean;
  /** Polls for all entries with as few statements as for one. */
  look: (entries: Entry[]) => Promise<void>;
  log: Logger;
};

/**
 * Polls for many entries at once, every `everyMs` while there are any. A failed poll is logged, and the next one
 * follows.
 */
export function createPoller<Entry>({ everyMs, eager, look, log }: Options<Entry>): Poller<Entry> {
  const entries = new Set<Entry>();
  let looked = Number.NEGATIVE_INFINITY;
  let looking = false;
  let next: NodeJS.Timeout | undefined;

  const plan = () => {
    if (looking || next || entries.size === 0) return;
    const waitMs = Math.max(0, looked + everyMs - performance.now());
    next = setTimeout(() => void inBackground(round), waitMs).unref();
  };
  const round = async () => {
    next = undefined;
    if (entries.size === 0) return;
    looking = true;
    looked = performance.now();
    try {
      await look([...entries]);
    } catch (error) {
      log.warn({ err: error, count: entries.size }, 'the database could not be polled; trying again in the next round');
    }
    looking = false;
    plan();
  };

  return {
    add(entry) {
      if (!eager && entries.size === 0 && !looking) looked = performance.now();
      entries.add(entry);
      plan();
    },
    remove: (entry) => void entries.delete(entry),
  };
}
