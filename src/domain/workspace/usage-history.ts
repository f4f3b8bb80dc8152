import DataLoader from 'dataloader';
import type { Context } from '../../context.ts';
import { invalid } from '../../core/errors.ts';
import { memoize } from '../../core/lazy.ts';
import { permit } from '../../core/permissions.ts';
import { grouped } from '../../core/validation.ts';
import { joinSql, sql } from '../../database/sql.ts';

/** The interactions of a month (`YYYY-MM`, UTC). */
export type UsedMonth = { month: string; current: number };

const usageDimensions = ['day', 'agent', 'channel', 'model'] as const;
type UsageDimension = (typeof usageDimensions)[number];

/** The interactions of a month with the same keys; keys that were not requested or are unknown are null. */
export type UsageShare = {
  day: string | null;
  agentId: string | null;
  channelId: string | null;
  model: string | null;
  count: number;
  promptTokens: number | null;
  completionTokens: number | null;
  cachedTokens: number | null;
  cost: number | null;
};

/** How many months a request may list. */
export const maxMonths = 36;
/** How many shares an operation may return for one combination of keys. */
const maxShares = 10_000;

/** Returns the months before one, newest first, with 0 for those without interactions. Throws 400 `invalid_request`. */
export async function readMonthsBefore(context: Context, month: string, count: number): Promise<UsedMonth[]> {
  permit(context, 'usage.read');
  if (count < 1 || count > maxMonths) throw invalid(`last: must be between 1 and ${maxMonths}, got ${count}.`);
  const months = Array.from({ length: count }, (_, index) => monthBefore(month, index + 1));
  const where = { workspaceId: context.viewer.workspaceId, month: { in: months } };
  const rows = await context.database.usage.findMany({ where, select: { month: true, current: true } });
  const known = new Map(rows.map((row) => [row.month, row.current]));
  return months.map((each) => ({ month: each, current: known.get(each) ?? 0 }));
}

function monthBefore(month: string, count: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 - count)).toISOString().slice(0, 7);
}

type Loader = DataLoader<string, UsageShare[]>;
const loadersOf = memoize((_: Context) => new Map<string, Loader>());

/**
 * Returns the interactions of a month grouped by keys, in order of days, then the largest share first. A last share
 * without keys has those that nothing is recorded of: replies in progress, and older ones. Throws 400
 * `invalid_request`.
 */
export async function readShares(
  context: Context,
  { month, current }: UsedMonth,
  by: readonly UsageDimension[],
): Promise<UsageShare[]> {
  permit(context, 'usage.read');
  const key = usageDimensions.filter((dimension) => by.includes(dimension)).join();
  const known = loadersOf(context);
  const loader = known.get(key) ?? new DataLoader<string, UsageShare[]>((months) => findShares(context, months, by));
  known.set(key, loader);
  const found = await loader.load(month);
  const unattributed = current - found.reduce((sum, { count }) => sum + count, 0);
  const shares = key === 'day' ? filled(found, month, context.now(), unattributed > 0) : found;
  return unattributed > 0 ? [...shares, { ...unknownShare, count: unattributed }] : shares;
}

const unknownShare = {
  day: null,
  agentId: null,
  channelId: null,
  model: null,
  promptTokens: null,
  completionTokens: null,
  cachedTokens: null,
  cost: null,
};

/**
 * The shares of all days of a month that have begun, so that a chart of them has no gaps. Where the days of some
 * interactions are unknown, only those from the first known one on: nothing says that there were none before.
 */
function filled(shares: UsageShare[], month: string, now: Date, isPartlyUnknown: boolean): UsageShare[] {
  if (isPartlyUnknown && shares.length === 0) return shares;
  const byDay = new Map(shares.map((share) => [share.day, share]));
  const first = isPartlyUnknown && shares[0]?.day ? shares[0].day : `${month}-01`;
  const start = new Date(`${first}T00:00:00Z`);
  const end = Math.min(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1), now.getTime() + 1);
  for (let at = start.getTime(); at < end; at += dayMs) {
    const day = new Date(at).toISOString().slice(0, 10);
    byDay.set(day, byDay.get(day) ?? { ...unknownShare, day, count: 0 });
  }
  return [...byDay.values()].sort((one, other) => ((one.day ?? '') < (other.day ?? '') ? -1 : 1));
}

const dayMs = 86_400_000;

/** The shares of several months, in one query. */
async function findShares(
  { database, viewer }: Context,
  months: readonly string[],
  by: readonly UsageDimension[],
): Promise<UsageShare[][]> {
  const rows = await database.$queryRaw<(UsageShare & { month: string })[]>`
    SELECT "month", ${joinSql(usageDimensions.map((name) => (by.includes(name) ? columns[name] : notRequested[name])))},
      count(*)::int AS "count",
      sum("promptTokens")::double precision AS "promptTokens",
      sum("completionTokens")::double precision AS "completionTokens",
      sum("cachedTokens")::double precision AS "cachedTokens",
      sum("cost"::numeric)::double precision AS "cost"
    FROM "Interaction" WHERE "workspaceId" = ${viewer.workspaceId} AND "month" = ANY (${months})
    GROUP BY 1, 2, 3, 4, 5
    ORDER BY "day", "count" DESC, "agentId", "channelId", "model" LIMIT ${maxShares + 1}`;
  if (rows.length > maxShares)
    throw invalid(`by: this results in more than ${grouped(maxShares)} rows. Request fewer keys or months.`);
  const byMonth = Map.groupBy(rows, ({ month }) => month);
  return months.map((month) => byMonth.get(month) ?? []);
}

const columns = {
  day: sql`to_char("createdAt" AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS "day"`,
  agent: sql`"agentId"`,
  channel: sql`"channelId"`,
  model: sql`"model"`,
};
const notRequested = {
  day: sql`NULL::text AS "day"`,
  agent: sql`NULL::text AS "agentId"`,
  channel: sql`NULL::text AS "channelId"`,
  model: sql`NULL::text AS "model"`,
};
