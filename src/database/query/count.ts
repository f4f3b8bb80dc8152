import { isDeepStrictEqual } from 'node:util';
import { invalid } from '../../core/errors.ts';
import type { Viewer } from '../../core/viewer.ts';
import type { Pool } from '../pool.ts';
import { type ListRule, ofWorkspace } from './list.ts';
import type { ListArguments } from './pagination.ts';

/** The most rows that are counted when they are counted up to a limit. */
export const maxCount = 10_000;

/** How much a count says: the list has just so many rows, or more, or about so many. */
export const countPrecisions = { exact: 'exact', atLeast: 'at_least', estimate: 'estimate' } as const;

/** How many rows a list has, as far as they were counted. */
export type CountUpTo = { count: number; precision: (typeof countPrecisions)[keyof typeof countPrecisions] };

/** The limit of a count, as it was asked for. Throws 400 `invalid_request`. */
export function limitOfCount(limit: number): number {
  if (limit < 1 || limit > maxCount) throw invalid(`limit: must be between 1 and ${maxCount}, got ${limit}.`);
  return limit;
}

/** What it says that so many rows were found when one more than the limit was looked for. */
export const countUpTo = (found: number, limit: number): CountUpTo =>
  found > limit
    ? { count: limit, precision: countPrecisions.atLeast }
    : { count: found, precision: countPrecisions.exact };

/** The same where there is an estimate. One that is no more than what was found is out of date, and says nothing. */
export const countOrEstimate = (counted: CountUpTo, estimated: number | null): CountUpTo =>
  estimated !== null && estimated > counted.count ? { count: estimated, precision: countPrecisions.estimate } : counted;

/**
 * Whether the rows of a list may be estimated: only when they are all those of a workspace. What a statistic says of any
 * other condition is of every workspace's values, and would tell one of them what stands in the rows of the others.
 */
export const canEstimate = (rule: ListRule, { filter, search }: ListArguments, viewer: Viewer): boolean =>
  !Object.values(filter ?? {}).some((value) => value !== null && value !== undefined) &&
  !search &&
  isDeepStrictEqual(rule.rows(viewer), ofWorkspace(viewer));

/**
 * About how many rows a workspace has in a table, at the same cost for any number: its share of the rows that PostgreSQL
 * sampled when it last analyzed the table, by the table's size now. Null for a workspace without a share of its own in
 * the statistics: that of the rest would be an average of other workspaces.
 */
export async function estimateRows(pool: Pool, table: string, workspaceId: string): Promise<number | null> {
  const { rows } = await pool.query<{ rows: number | null }>(`SELECT ${estimation('$1', '$2')} AS rows`, [
    table,
    workspaceId,
  ]);
  return rows[0]?.rows ?? null;
}

/** The same as an expression of SQL, of the expressions of both texts. */
export const estimation = (table: string, workspaceId: string): string => `(
  SELECT least(round(share.of * c.reltuples / c.relpages
    * (pg_relation_size(c.oid) / current_setting('block_size')::int)), 2147483647)::int
  FROM pg_stats s
  JOIN pg_class c ON c.relname = s.tablename AND c.relnamespace = s.schemaname::regnamespace,
  unnest(s.most_common_vals::text::text[], s.most_common_freqs) AS share(workspace, of)
  WHERE s.schemaname = current_schema() AND s.tablename = ${table} AND s.attname = 'workspaceId'
    AND share.workspace = ${workspaceId} AND c.relpages > 0 AND c.reltuples > 0)`;
