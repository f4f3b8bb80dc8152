import { LRUCache } from 'lru-cache';
import type { Database } from '../../database/client.ts';

/** How much of something there is in a minute, and under which name all replicas count it. */
export type Counted = { key: string; limit: number };
/** How it stands: what is left, and when all of it is there again. `refused`: there was not enough, and nothing was taken. */
export type Standing = { remaining: number; resetsAt: number; refused: boolean };

/** What this process has of a minute: what it drew and has not used, what nobody had drawn then, and the end. */
type Window = { drawn: number; undrawn: number; resetsAt: number };
type Drawn = { count: number; leftMs: number };

const minuteMs = 60_000;
/** Parts of a minute that a process draws at once, so that most requests cost no statement. */
const slices = 20;

export type Windows = ReturnType<typeof createWindows>;

/**
 * Counts by the minute, all replicas together: each draws some in advance, and so never more is taken than a minute allows.
 * What a replica has drawn and does not use is nobody's until the next minute.
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
    // What was drawn before is of the same minute, unless that is over.
    const before = kept && Math.abs(kept.resetsAt - resetsAt) < minuteMs / 2 ? kept.drawn : 0;
    windows.set(key, { drawn: before + drawn, undrawn: Math.max(0, limit - count), resetsAt });
  }

  /** All who wait for the same wait for one statement. */
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
    /** What was taken of this minute and was not used. */
    giveBack({ key }: Counted, amount: number): void {
      const window = current(key);
      if (window) window.drawn += amount;
    },
  };
}

/** Draws a slice, by the database's clock; more is counted than there is once a minute's worth is used up. */
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
