import { LRUCache } from 'lru-cache';
import type { Database } from '../../database/client.ts';

/** A limit per minute, and the key under which all replicas count it. */
export type Counted = { key: string; limit: number };
/**
 * The state of a limit: what is left, and when the window resets. `refused`: too little was left, and nothing was
 * taken.
 */
export type Standing = { remaining: number; resetsAt: number; refused: boolean };

/**
 * This process's share of a window: what it has reserved and not used, what was unreserved at that time, and its end.
 */
type Window = { drawn: number; undrawn: number; resetsAt: number };
type Drawn = { count: number; leftMs: number };

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
  const drawing = new Map<string, Promise<void>>();

  const current = (key: string): Window | undefined => {
    const window = windows.get(key);
    return window && window.resetsAt > now() ? window : undefined;
  };

  async function draw({ key, limit }: Counted, amount: number): Promise<void> {
    const kept = current(key);
    const slice = Math.max(Math.ceil(limit / slices), amount - (kept?.drawn ?? 0));
    const { count, leftMs } = await drawTogether(database, key, slice);
    const drawn = Math.min(slice, Math.max(0, limit - (count - slice)));
    const resetsAt = now() + leftMs;
    // What was reserved before counts only within the same window.
    const before = kept && Math.abs(kept.resetsAt - resetsAt) < minuteMs / 2 ? kept.drawn : 0;
    windows.set(key, { drawn: before + drawn, undrawn: Math.max(0, limit - count), resetsAt });
  }

  /** Concurrent callers of the same key share one statement. */
  function drawOnce(counted: Counted, amount: number): Promise<void> {
    const { key } = counted;
    const under = drawing.get(key) ?? draw(counted, amount).finally(() => drawing.delete(key));
    drawing.set(key, under);
    return under;
  }

  return {
    async take(counted: Counted, amount: number): Promise<Standing> {
      for (;;) {
        const window = current(counted.key);
        if (window && (window.drawn >= amount || window.undrawn === 0 || amount > counted.limit)) {
          const refused = window.drawn < amount;
          if (!refused) window.drawn -= amount;
          return { remaining: window.drawn + window.undrawn, resetsAt: window.resetsAt, refused };
        }
        await drawOnce(counted, Math.min(amount, counted.limit));
      }
    },
    /** Returns what was taken from this window and not used. */
    giveBack({ key }: Counted, amount: number): void {
      const window = current(key);
      if (window) window.drawn += amount;
    },
  };
}

/** Reserves a slice, by the database's clock. The count may exceed the limit once the window is used up. */
async function drawTogether(database: Database, key: string, slice: number): Promise<Drawn> {
  const [row] = await database.$queryRaw<Drawn[]>`
    INSERT INTO "WidgetWindow" AS known ("key", "count", "endsAt")
    VALUES (${key}, ${slice}::int, clock_timestamp() + make_interval(secs => ${minuteMs / 1000}::int))
    ON CONFLICT ("key") DO UPDATE SET
      "count" = CASE WHEN known."endsAt" <= clock_timestamp() THEN excluded."count"
        ELSE least(known."count"::bigint + excluded."count", 2147483647)::int END,
      "endsAt" = CASE WHEN known."endsAt" <= clock_timestamp() THEN excluded."endsAt" ELSE known."endsAt" END
    RETURNING "count", (extract(epoch FROM "endsAt" - clock_timestamp()) * 1000)::float8 AS "leftMs"`;
  return row ?? { count: slice, leftMs: minuteMs };
}
