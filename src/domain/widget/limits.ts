import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Services } from '../../context.ts';
import { ParleyError } from '../../core/errors.ts';
import type { Database } from '../../database/client.ts';
import { batchSize, inBatches } from '../../database/upkeep/batches.ts';

/** Limits per minute. */
export const allowances = {
  /** New visitors per network address: each page load counts as one. */
  enter: 60,
  /** Questions per visitor, per network address, and per channel. */
  visitor: 15,
  address: 60,
  channel: 600,
  /** Files per visitor, per network address, and per channel. */
  upload: 15,
  uploadAddress: 30,
  uploadChannel: 300,
  /** All other requests of a visitor. */
  other: 120,
} as const;
/** Who is counted for each limit. */
type Consumers = { [What in Exclude<keyof typeof allowances, 'other'>]?: string };

const minuteMs = 60_000;
/** How many windows a process keeps in memory. */
const maxCached = 20_000;

type Window = { count: number; endsAt: Date };

/** How often workers send each other what they have counted, in milliseconds. */
const shareMs = 200;
const topic = 'widget requests';
type Counts = Map<string, { count: number; endsAt: Date }>;

/**
 * Fixed-window rate limits, since a publishable token is public. Requests that cost money are counted for all replicas,
 * in the database and with one statement; cheap ones in memory, for all workers of the process: each learns within
 * `shareMs` what the others have counted, so that a limit may be exceeded by what they admit meanwhile.
 */
export function createWidgetLimits(services: Pick<Services, 'database' | 'now' | 'peers' | 'config'>) {
  /**
   * The windows of this process, and those of the database that are used up: refusing further requests takes no query.
   */
  const windows = new LRUCache<string, Window>({ max: maxCached });
  const currentWindow = (key: string, time: Date): Window | null => {
    const window = windows.get(key);
    return window && window.endsAt > time ? window : null;
  };

  const add = (key: string, amount: number, endsAt: Date): Window => {
    const window = currentWindow(key, services.now()) ?? { count: 0, endsAt };
    window.count += amount;
    windows.set(key, window);
    return window;
  };

  let unshared: Counts = new Map();
  const share = (): void => {
    void services.peers.publish(topic, unshared);
    unshared = new Map();
  };
  const shareLater = (key: string, { endsAt }: Window): void => {
    if (services.config.workers === 1) return;
    if (unshared.size === 0) setTimeout(share, shareMs).unref();
    unshared.set(key, { count: (unshared.get(key)?.count ?? 0) + 1, endsAt });
  };
  services.peers.subscribe(topic, (counts) => {
    for (const [key, { count, endsAt }] of counts as Counts) add(key, count, endsAt);
  });

  return {
    /** Counts a request against each limit, for all replicas. Throws 429 `rate_limited` if one is exceeded. */
    async consume(consumers: Consumers): Promise<void> {
      const time = services.now();
      const allowed = new Map(
        Object.entries(consumers).map(([what, who]) => [keyOf(what, who), allowances[what as 'enter']]),
      );
      for (const key of allowed.keys()) refuse(currentWindow(key, time), time);
      const exceeded = (await countTogether(services.database, [...allowed.keys()].sort(), time)).filter(
        ({ key, count }) => count > (allowed.get(key) ?? 0),
      );
      for (const { key, ...window } of exceeded) windows.set(key, window);
      refuse(exceeded[0], time);
    },
    /** Counts a cheap request, in memory. Throws 429 `rate_limited` if there are too many. */
    consumeOther(who: string): void {
      const time = services.now();
      const key = keyOf('other', who);
      const window = add(key, 1, new Date(time.getTime() + minuteMs));
      shareLater(key, window);
      if (window.count > allowances.other) refuse(window, time);
    },
  };
}

/** Hashed, so that network addresses are not stored. */
const keyOf = (what: string, who: string): string => createHash('sha256').update(`${what} ${who}`).digest('base64url');

/** Adds one to each key, in sorted order, so that concurrent requests for the same keys do not deadlock. */
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

/** Deletes expired windows. */
export async function clearWidgetLimits({ database, now }: Pick<Services, 'database' | 'now'>): Promise<void> {
  await inBatches(
    () => database.$executeRaw`
      WITH expired AS MATERIALIZED (
        SELECT "key" FROM "WidgetWindow" WHERE "endsAt" <= ${now()} LIMIT ${batchSize} FOR UPDATE SKIP LOCKED
      )
      DELETE FROM "WidgetWindow" AS over USING expired WHERE over."key" = expired."key"`,
  );
}
