import { LRUCache } from 'lru-cache';
import type { Database } from '../../database/client.ts';

/** A limit per minute, and the key under which all replicas count it. */
export type Limit = { key: string; limit: number };
/**
 * The state of a limit: what is left, and when the window resets. `refused`: too little was left, and nothing was
 * taken.
 */
export type WindowState = { remaining: number; resetsAt: number; refused: boolean };

/**
 * This process's share of a window: what it has reserved and not used, what was unreserved at that time, and its end.
 */
type Window = { reserved: number; unreserved: number; resetsAt: number };
type ReservedSlice = { count: number; leftMs: number };

const minuteMs = 60_000;
/** A process reserves 1/20 of the limit at once, so that most requests cost no statement. */
const slices = 20;

export type Windows = ReturnType<typeof createWindows>;

/**
 * Counts per minute across all replicas: each replica reserves slices in advance, so the limit is never exceeded. What
 * a replica has reserved and does not use is lost until the next window.
 */
export function createWindows({ database, now = Date.now }: { database: Database; now?: () => number }) {
  const windows = new LRUCache<string, Window>({ max: 10_000 });
  const reserving = new Map<string, Promise<void>>();

  const current = (key: string): Window | undefined => {
    const window = windows.get(key);
    return window && window.resetsAt > now() ? window : undefined;
  };

  async function reserve({ key, limit }: Limit, amount: number): Promise<void> {
    const window = current(key);
    const slice = Math.max(Math.ceil(limit / slices), amount - (window?.reserved ?? 0));
    const { count, leftMs } = await reserveSlice(database, key, slice);
    const reserved = Math.min(slice, Math.max(0, limit - (count - slice)));
    const resetsAt = now() + leftMs;
    // What was reserved before counts only within the same window.
    const before = window && Math.abs(window.resetsAt - resetsAt) < minuteMs / 2 ? window.reserved : 0;
    windows.set(key, { reserved: before + reserved, unreserved: Math.max(0, limit - count), resetsAt });
  }

  /** Concurrent callers of the same key share one statement. */
  function reserveOnce(limited: Limit, amount: number): Promise<void> {
    const { key } = limited;
    const under = reserving.get(key) ?? reserve(limited, amount).finally(() => reserving.delete(key));
    reserving.set(key, under);
    return under;
  }

  return {
    async consume(limited: Limit, amount: number): Promise<WindowState> {
      for (;;) {
        const window = current(limited.key);
        if (window && (window.reserved >= amount || window.unreserved === 0 || amount > limited.limit)) {
          const refused = window.reserved < amount;
          if (!refused) window.reserved -= amount;
          return { remaining: window.reserved + window.unreserved, resetsAt: window.resetsAt, refused };
        }
        await reserveOnce(limited, Math.min(amount, limited.limit));
      }
    },
    /** Returns what was taken from this window and not used. */
    refund({ key }: Limit, amount: number): void {
      const window = current(key);
      if (window) window.reserved += amount;
    },
  };
}

/** Reserves a slice, by the database's clock. The count may exceed the limit once the window is used up. */
async function reserveSlice(database: Database, key: string, slice: number): Promise<ReservedSlice> {
  const [row] = await database.$queryRaw<ReservedSlice[]>`
    INSERT INTO "WidgetWindow" AS known ("key", "count", "endsAt")
    VALUES (${key}, ${slice}::int, clock_timestamp() + make_interval(secs => ${minuteMs / 1000}::int))
    ON CONFLICT ("key") DO UPDATE SET
      "count" = CASE WHEN known."endsAt" <= clock_timestamp() THEN excluded."count"
        ELSE least(known."count"::bigint + excluded."count", 2147483647)::int END,
      "endsAt" = CASE WHEN known."endsAt" <= clock_timestamp() THEN excluded."endsAt" ELSE known."endsAt" END
    RETURNING "count", (extract(epoch FROM "endsAt" - clock_timestamp()) * 1000)::float8 AS "leftMs"`;
  return row ?? { count: slice, leftMs: minuteMs };
}
