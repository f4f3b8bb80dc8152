import { isDeepStrictEqual } from 'node:util';
import { invalid } from '../core/errors.ts';
import type { Viewer } from '../core/viewer.ts';
import type { Pool } from '../database/pool.ts';
import { estimation } from '../database/query/estimates.ts';
import { type ListRule, ofWorkspace } from './list.ts';
import type { ListArguments } from './pagination.ts';

/** The maximum limit of a limited count. */
export const maxCount = 10_000;

/** Whether the list has exactly this many rows, more, or approximately this many. */
export const countPrecisions = { exact: 'exact', atLeast: 'at_least', estimate: 'estimate' } as const;

/** The number of rows of a list, as far as they were counted. */
export type CountUpTo = { count: number; precision: (typeof countPrecisions)[keyof typeof countPrecisions] };

/** Validates the limit of a count. Throws 400 `invalid_request`. */
export function limitOfCount(limit: number): number {
  if (limit < 1 || limit > maxCount) throw invalid(`limit: must be between 1 and ${maxCount}, got ${limit}.`);
  return limit;
}

/** Returns the count if `found` rows were found when looking for one more than the limit. */
export const countUpTo = (found: number, limit: number): CountUpTo =>
  found > limit
    ? { count: limit, precision: countPrecisions.atLeast }
    : { count: found, precision: countPrecisions.exact };

/** Prefers the estimate. One that does not exceed the count is outdated and is ignored. */
export const countOrEstimate = (counted: CountUpTo, estimated: number | null): CountUpTo =>
  estimated !== null && estimated > counted.count ? { count: estimated, precision: countPrecisions.estimate } : counted;

/**
 * Whether a list is all of a workspace's rows. Only such a list may be estimated: statistics for any other condition
 * cover every workspace, and would leak other workspaces' values.
 */
export const isWholeWorkspace = (rule: ListRule, { filter, search }: ListArguments, viewer: Viewer): boolean =>
  !Object.values(filter ?? {}).some((value) => value !== null && value !== undefined) &&
  !search &&
  isDeepStrictEqual(rule.rows(viewer), ofWorkspace(viewer));

/**
 * Estimates a workspace's rows in a table, at a cost independent of their number: its share of the rows sampled by the
 * last ANALYZE, scaled to the current size of the table or, if it is partitioned, of the workspace's partition. Null
 * for a workspace that is not among the most common values, since the statistics only have an average for all of those,
 * and on a cluster, whose nodes have the statistics.
 */
export async function estimateRows(pool: Pool, table: string, workspaceId: string): Promise<number | null> {
  if (pool.isDistributed) return null;
  const { rows } = await pool.query<{ rows: number | null }>(`SELECT ${estimation('$1', '$2')} AS rows`, [
    table,
    workspaceId,
  ]);
  return rows[0]?.rows ?? null;
}
