import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Services } from '../../context.ts';
import { ParleyError } from '../../core/errors.ts';
import type { Database } from '../../database/client.ts';

/** How often a minute allows something. */
export const allowances = {
  /** Visitors let in, by network address: a page that is loaded lets one in. */
  enter: 60,
  /** Questions of one visitor, of one network address, and of all visitors of one channel. */
  visitor: 15,
  address: 60,
  channel: 600,
  /** Whatever else a visitor asks for. */
  other: 120,
} as const;
/** Who is allowed it, by what is allowed. */
export type Wanted = { [What in Exclude<keyof typeof allowances, 'other'>]?: string };

const minuteMs = 60_000;
/** How many windows a process remembers. */
const mostKnown = 20_000;

type Window = { count: number; endsAt: Date };

/**
 * Counts in windows, so that a publishable token is no open bill: what costs, for all replicas in the database, by one
 * statement whatever is counted; what costs a read, in this process.
 */
export function createWidgetLimits(services: Pick<Services, 'database' | 'now'>) {
  /** Windows of this process, and those of all that are used up: whoever goes on asking costs no statement. */
  const known = new LRUCache<string, Window>({ max: mostKnown });
  const knownNow = (key: string, time: Date): Window | null => {
    const window = known.get(key);
    return window && window.endsAt > time ? window : null;
  };

  return {
    /** Counts one more of each, in all replicas. Throws 429 `rate_limited` when that is too many of one. */
    async take(wanted: Wanted): Promise<void> {
      const time = services.now();
      const most = new Map(
        Object.entries(wanted).map(([what, who]) => [keyOf(what, who), allowances[what as 'enter']]),
      );
      for (const key of most.keys()) refuse(knownNow(key, time), time);
      const over = (await countTogether(services.database, [...most.keys()].sort(), time)).filter(
        ({ key, count }) => count > (most.get(key) ?? 0),
      );
      for (const { key, ...window } of over) known.set(key, window);
      refuse(over[0], time);
    },
    /** Counts one more request that costs little, here. Throws 429 `rate_limited` when that is too many. */
    takeOther(who: string): void {
      const time = services.now();
      const key = keyOf('other', who);
      const window = knownNow(key, time) ?? { count: 0, endsAt: new Date(time.getTime() + minuteMs) };
      window.count += 1;
      known.set(key, window);
      if (window.count > allowances.other) refuse(window, time);
    },
  };
}

/** So that nobody's address lies about. */
const keyOf = (what: string, who: string): string => createHash('sha256').update(`${what} ${who}`).digest('base64url');

/** Counts one more by each key. In their order, so that those who count the same ones at once wait in one line. */
const countTogether = (database: Database, keys: string[], time: Date): Promise<(Window & { key: string })[]> =>
  database.$queryRaw`
    INSERT INTO "WidgetWindow" AS known ("key", "count", "endsAt")
    SELECT key, 1, ${new Date(time.getTime() + minuteMs)}::timestamptz FROM unnest(${keys}::text[]) WITH ORDINALITY AS given(key, place)
    ORDER BY place
    ON CONFLICT ("key") DO UPDATE SET
      "count" = CASE WHEN known."endsAt" <= ${time} THEN 1 ELSE known."count" + 1 END,
      "endsAt" = CASE WHEN known."endsAt" <= ${time} THEN excluded."endsAt" ELSE known."endsAt" END
    RETURNING "key", "count", "endsAt"`;

function refuse(window: Window | null | undefined, time: Date): void {
  if (!window) return;
  const seconds = Math.ceil((window.endsAt.getTime() - time.getTime()) / 1000);
  throw new ParleyError('rate_limited', `Too many requests: try again in ${seconds} seconds.`, {
    headers: { 'retry-after': String(seconds) },
  });
}

/** Takes away windows that are over. */
export async function clearWidgetLimits({ database, now }: Pick<Services, 'database' | 'now'>): Promise<void> {
  await database.widgetWindow.deleteMany({ where: { endsAt: { lte: now() } } });
}
