import { isBeingCopied } from '../pglite/online-copy.ts';
import type { Pool } from '../pool.ts';
import { withPauses } from './batches.ts';
import { countChanges } from './statistics.ts';

/** How much write-ahead log, in bytes, triggers a checkpoint: when the database is idle, and in any case. */
const logBytes = { idle: 16 * 2 ** 20, busy: 64 * 2 ** 20 };

/**
 * After so many dead rows a table is vacuumed, however large it is: when the database is idle, and in any case.
 * Requests wait for the whole statement, whose time grows with the indexes of the table and with the dead rows.
 */
const maxDeadRows = { idle: 20_000, busy: 40_000 };

/** What a maintenance step did, and for how many milliseconds it blocked the only connection. */
export type Step = { what: string; ms: number };

/** Whether the embedded database's only connection is unused and nobody waits for it. */
export const isIdle = (pool: Pool): boolean => pool.waitingCount === 0 && pool.idleCount === pool.totalCount;

/**
 * Runs a checkpoint if enough log has accumulated, so that old log can be recycled and the next start need not replay
 * it. Returns null if there was nothing to do, or if a backup needs the log.
 */
export async function checkpoint(pool: Pool): Promise<Step | null> {
  if (isBeingCopied(pool)) return null;
  const { rows } = await pool.query<{ bytes: number }>(
    'SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::float8 AS bytes FROM pg_control_checkpoint()',
  );
  const minBytes = isIdle(pool) ? logBytes.idle : logBytes.busy;
  return (rows[0]?.bytes ?? 0) < minBytes ? null : timed(pool, 'CHECKPOINT');
}

/**
 * Vacuums tables with many dead rows, one by one while the database is idle. A server's autovacuum does this by itself;
 * these are its thresholds for smaller tables. A table with more dead rows than live ones is vacuumed even under load.
 */
export async function vacuumChanged(pool: Pool): Promise<Step[]> {
  await countChanges(pool);
  const { rows } = await pool.query<{ name: string; urgent: boolean }>(
    `SELECT quote_ident(schemaname) || '.' || quote_ident(stat.relname) AS name,
      n_dead_tup > least(10000 + greatest(reltuples, 0), $2) AS urgent
    FROM pg_stat_user_tables AS stat JOIN pg_class ON pg_class.oid = stat.relid
    WHERE n_dead_tup > least(50 + greatest(reltuples, 0) / 5, $1) OR n_ins_since_vacuum > 1000 + greatest(reltuples, 0) / 5
    ORDER BY n_dead_tup DESC`,
    [maxDeadRows.idle, maxDeadRows.busy],
  );
  const steps: Step[] = [];
  for (const { name, urgent } of rows) if (urgent || isIdle(pool)) steps.push(await timed(pool, `VACUUM ${name}`));
  return steps;
}

const timed = (pool: Pool, sql: string): Promise<Step> =>
  withPauses(async () => {
    const client = await pool.connect();
    const since = performance.now();
    try {
      await client.query(sql);
      return { what: sql, ms: Math.round(performance.now() - since) };
    } finally {
      client.release();
    }
  });
