import { LRUCache } from 'lru-cache';
import { ParleyError } from '../../core/errors.ts';
import type { Viewer } from '../../core/viewer.ts';
import type { Database } from '../../database/client.ts';

/** A bearer's rate limit: requests per minute, requests left, and when the window resets. */
export type RateStanding = { limit: number; remaining: number; resetsAt: number };

/**
 * This process's share of a window: requests reserved but unused, requests that were unreserved at that time, and its
 * end.
 */
type Window = { drawn: number; undrawn: number; resetsAt: number };
type Drawn = { count: number; leftMs: number };

const minuteMs = 60_000;
/** A process reserves 1/20 of the limit at once, so that most requests cost no statement. */
const slices = 20;

/**
 * Limits the requests of keys across all replicas: each replica reserves slices in advance, so the limit is never
 * exceeded. What a replica has reserved and does not use is lost until the next window.
 */
export function createRateLimits({ database, now = Date.now }: { database: Database; now?: () => number }) {
  const windows = new LRUCache<string, Window>({ max: 10_000 });
  const drawing = new Map<string, Promise<void>>();

  async function draw(id: string, limit: number): Promise<void> {
    const slice = Math.ceil(limit / slices);
    const { count, leftMs } = await drawTogether(database, `key ${id}`, slice);
    const drawn = Math.min(slice, Math.max(0, limit - (count - slice)));
    windows.set(id, { drawn, undrawn: Math.max(0, limit - count), resetsAt: now() + leftMs });
  }

  /** Concurrent callers of the same key share one statement. */
  function drawOnce(id: string, limit: number): Promise<void> {
    const under = drawing.get(id) ?? draw(id, limit).finally(() => drawing.delete(id));
    drawing.set(id, under);
    return under;
  }

  return {
    /**
     * Counts a request; null for a bearer without a limit. `refused`: none was left, and the request is not counted.
     */
    async take({ key }: Pick<Viewer, 'key'>): Promise<(RateStanding & { refused: boolean }) | null> {
      if (!key?.ratePerMinute) return null;
      const { id, ratePerMinute: limit } = key;
      for (;;) {
        const window = windows.get(id);
        if (window && window.resetsAt > now() && (window.drawn > 0 || window.undrawn === 0)) {
          const refused = window.drawn === 0;
          if (!refused) window.drawn -= 1;
          return { limit, remaining: window.drawn + window.undrawn, resetsAt: window.resetsAt, refused };
        }
        await drawOnce(id, limit);
      }
    },
  };
}

/** Reserves a slice, by the database's clock. The count may exceed the limit once the window is used up. */
async function drawTogether(database: Database, key: string, slice: number): Promise<Drawn> {
  const [row] = await database.$queryRaw<Drawn[]>`
    INSERT INTO "WidgetWindow" AS known ("key", "count", "endsAt")
    VALUES (${key}, ${slice}::int, clock_timestamp() + make_interval(secs => ${minuteMs / 1000}::int))
    ON CONFLICT ("key") DO UPDATE SET
      "count" = CASE WHEN known."endsAt" <= clock_timestamp() THEN excluded."count" ELSE known."count" + excluded."count" END,
      "endsAt" = CASE WHEN known."endsAt" <= clock_timestamp() THEN excluded."endsAt" ELSE known."endsAt" END
    RETURNING "count", (extract(epoch FROM "endsAt" - clock_timestamp()) * 1000)::float8 AS "leftMs"`;
  return row ?? { count: slice, leftMs: minuteMs };
}

/** Returns the seconds until the window resets, at least one. */
export const secondsLeft = ({ resetsAt }: Pick<RateStanding, 'resetsAt'>, now: number): number =>
  Math.max(1, Math.ceil((resetsAt - now) / 1000));

/** 429 `rate_limited`, with `Retry-After`. */
export const rateLimited = ({ limit, resetsAt }: RateStanding, now: number): ParleyError => {
  const seconds = secondsLeft({ resetsAt }, now);
  return new ParleyError(
    'rate_limited',
    `This key may make ${limit} requests in a minute, and has: nothing was done. Try again in ${seconds} s.`,
    { headers: { 'retry-after': String(seconds) } },
  );
};
