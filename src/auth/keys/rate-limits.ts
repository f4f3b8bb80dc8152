import { LRUCache } from 'lru-cache';
import { ParleyError } from '../../core/errors.ts';
import type { Viewer } from '../../core/viewer.ts';
import type { Database } from '../../database/client.ts';

/** How a bearer stands: the requests that it may make in a minute, those that are left, and when they all are there again. */
export type RateStanding = { limit: number; remaining: number; resetsAt: number };

/** What this process has of a minute: requests that it drew and has not used, those that nobody had drawn then, and the end. */
type Window = { drawn: number; undrawn: number; resetsAt: number };
type Drawn = { count: number; leftMs: number };

const minuteMs = 60_000;
/** Parts of a minute's requests that a process draws at once, so that most requests cost no statement. */
const slices = 20;

/**
 * Counts the requests of keys, of all replicas together: each draws some in advance, and so never more are made than a minute
 * allows. What a replica has drawn and does not use is nobody's until the next minute.
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

  /** All who wait for the same key wait for one statement. */
  function drawOnce(id: string, limit: number): Promise<void> {
    const under = drawing.get(id) ?? draw(id, limit).finally(() => drawing.delete(id));
    drawing.set(id, under);
    return under;
  }

  return {
    /** Counts a request; null for a bearer without a limit. `refused`: there was none left, and it is not counted. */
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

/** Draws a slice, by the database's clock; more is counted than there is once a minute's requests are used up. */
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

/** Seconds until a minute is over, at least one. */
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
