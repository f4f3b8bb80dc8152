import { LRUCache } from 'lru-cache';
import type { Pool } from '../pool.ts';

/** A time span that a filter sets for a column. */
export type ColumnRange = { argument: string; column: string; from: Date | null; to: Date | null };
/** The rows of a workspace in a table: all, or those within spans. */
export type RowsRead = { model: string; ranges: readonly ColumnRange[] };
export type RowEstimates = ReturnType<typeof createRowEstimates>;

/** Estimates that know no table. */
export const unknownRows: RowEstimates = { cached: () => null, load: async () => {} };

/** How long an estimate is fresh, in milliseconds. */
const maxAgeMs = 60_000;
/** How many rows are counted exactly, if the statistics do not indicate more. */
const countedAtMost = 100_000;
const estimatedInstead = 10_000;
const hourMs = 3_600_000;

type CachedEstimate = { rows: number | null; at: number };
type Queryable = Pick<Pool, 'query' | 'isDistributed'>;
type Options = { pool: Queryable; now: () => Date };

/**
 * Cached estimates of the number of rows of workspaces. Reads never wait: a stale estimate is returned once more while
 * it is refreshed. After a failure a number stays unknown for a minute.
 */
export function createRowEstimates({ pool, now }: Options) {
  const cache = new LRUCache<string, CachedEstimate>({ max: 20_000 });
  const loading = new Map<string, Promise<void>>();

  const store = (key: string, rows: number | null) => cache.set(key, { rows, at: now().getTime() });
  const isFresh = (key: string) => now().getTime() - (cache.get(key)?.at ?? 0) < maxAgeMs;

  function once(key: string, make: () => Promise<number | null>): Promise<void> {
    const under =
      loading.get(key) ??
      make()
        .catch(() => null)
        .then((rows) => void store(key, rows))
        .finally(() => loading.delete(key));
    loading.set(key, under);
    return under;
  }

  const make = (workspaceId: string, read: RowsRead) =>
    once(keyOf(workspaceId, read), () =>
      read.ranges.length > 0 ? explained(pool, workspaceId, read) : countedOrEstimated(pool, workspaceId, read.model),
    );

  return {
    /** Null if it is not known. */
    cached(workspaceId: string, read: RowsRead): number | null {
      const key = keyOf(workspaceId, read);
      const found = cache.get(key);
      if (found && !isFresh(key)) void make(workspaceId, read);
      return found?.rows ?? null;
    },
    /** Resolves once all missing estimates are loaded. */
    async load(workspaceId: string, reads: readonly RowsRead[]): Promise<void> {
      const missing = reads.filter((read) => !cache.has(keyOf(workspaceId, read)));
      await Promise.all(missing.map((read) => make(workspaceId, read)));
    },
  };
}

/** Spans are rounded to the hour, so that those that end now share a key for a while. */
function keyOf(workspaceId: string, { model, ranges }: RowsRead): string {
  const hour = (date: Date | null) => date && Math.floor(date.getTime() / hourMs);
  return [workspaceId, model, ...ranges.flatMap(({ column, from, to }) => [column, hour(from), hour(to)])].join(' ');
}

/** By the table's statistics if they indicate many rows, otherwise counted. */
async function countedOrEstimated(pool: Queryable, workspaceId: string, model: string): Promise<number | null> {
  const counted = (id: string) =>
    `(SELECT count(*) FROM (SELECT FROM "${model}" WHERE "${workspaceColumn(model)}" = ${id} LIMIT ${countedAtMost + 1}) c)`;
  const many = `nullif(greatest(${estimation('$1', '$2')}, ${estimatedInstead}), ${estimatedInstead})`;
  // The nodes of a cluster have the statistics.
  const { rows } = pool.isDistributed
    ? await pool.query(`SELECT ${counted('$1')}::float8 AS "rows"`, [workspaceId])
    : await pool.query(`SELECT coalesce(${many}, ${counted('$2')})::float8 AS "rows"`, [model, workspaceId]);
  return (rows[0]?.rows as number | undefined) ?? null;
}

/** The planner's estimate for the spans, which reads no rows. */
async function explained(pool: Queryable, workspaceId: string, { model, ranges }: RowsRead): Promise<number | null> {
  const conditions = ranges.flatMap(({ column, from, to }) => [
    ...(from ? [`"${column}" >= '${from.toISOString()}'`] : []),
    ...(to ? [`"${column}" < '${to.toISOString()}'`] : []),
  ]);
  const id = workspaceId.replaceAll("'", "''");
  const where = [`"${workspaceColumn(model)}" = '${id}'`, ...conditions].join(' AND ');
  const { rows } = await pool.query(`EXPLAIN (FORMAT JSON) SELECT FROM "${model}" WHERE ${where}`);
  const found = rows[0]?.['QUERY PLAN'];
  const [{ Plan }]: Explained = typeof found === 'string' ? JSON.parse(found) : found;
  // A coordinator shows what the node has planned.
  const remote = Plan['Distributed Query']?.Job.Tasks?.[0]?.['Remote Plan']?.[0]?.[0];
  return (remote?.Plan ?? Plan)['Plan Rows'];
}

type Plan = { 'Plan Rows': number; 'Distributed Query'?: { Job: { Tasks?: { 'Remote Plan'?: Explained[] }[] } } };
type Explained = [{ Plan: Plan }];

const workspaceColumn = (model: string) => (model === 'Workspace' ? 'id' : 'workspaceId');

/** SQL for the estimate, given expressions of both texts. A plain table has no partition tree. */
export const estimation = (table: string, workspaceId: string): string => `(
  SELECT least(round(share.of * c.reltuples / c.relpages
    * (pg_relation_size(c.oid) / current_setting('block_size')::int)), 2147483647)::int
  FROM pg_stats s
  JOIN pg_class c ON c.relname = s.tablename AND c.relnamespace = s.schemaname::regnamespace,
  unnest(s.most_common_vals::text::text[], s.most_common_freqs) AS share(workspace, of)
  WHERE c.oid IN (
      SELECT relid FROM pg_partition_tree(to_regclass(quote_ident(${table}))) WHERE isleaf
      UNION ALL SELECT to_regclass(quote_ident(${table}))
    )
    AND s.schemaname = current_schema() AND s.attname = 'workspaceId'
    AND share.workspace = ${workspaceId} AND c.relpages > 0 AND c.reltuples > 0)`;
