import type { Pool } from './pool.ts';
import { countChanges } from './statistics.ts';

/** Log since the last checkpoint, in bytes, from which on another is made: where nobody waits, and in any case. */
const logBytes = { idle: 16 * 2 ** 20, busy: 64 * 2 ** 20 };

/** What a step of the upkeep did, and how long nobody else could ask anything meanwhile, in milliseconds. */
export type Step = { what: string; ms: number };

/** Whether nobody uses the one connection of the embedded database, or waits for it. */
export const isIdle = (pool: Pool): boolean => pool.waitingCount === 0 && pool.idleCount === pool.totalCount;

/**
 * Writes what has changed from memory to the tables' files, when there is enough of it, so that the log before can be used
 * again and the next start need not read it. Answers null where there was nothing to do.
 */
export async function checkpoint(pool: Pool): Promise<Step | null> {
  const { rows } = await pool.query<{ bytes: number }>(
    'SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::float8 AS bytes FROM pg_control_checkpoint()',
  );
  const least = isIdle(pool) ? logBytes.idle : logBytes.busy;
  return (rows[0]?.bytes ?? 0) < least ? null : timed(pool, 'CHECKPOINT');
}

/**
 * Frees the room of rows that are gone, in tables where they are many, one after the other while nobody waits. A server
 * does so by itself (autovacuum, whose thresholds these are); a table with more such rows than others cannot wait.
 */
export async function vacuumChanged(pool: Pool): Promise<Step[]> {
  await countChanges(pool);
  const { rows } = await pool.query<{ name: string; urgent: boolean }>(`
    SELECT quote_ident(schemaname) || '.' || quote_ident(stat.relname) AS name,
      n_dead_tup > 10000 + greatest(reltuples, 0) AS urgent
    FROM pg_stat_user_tables AS stat JOIN pg_class ON pg_class.oid = stat.relid
    WHERE n_dead_tup > 50 + greatest(reltuples, 0) / 5 OR n_ins_since_vacuum > 1000 + greatest(reltuples, 0) / 5
    ORDER BY n_dead_tup DESC`);
  const steps: Step[] = [];
  for (const { name, urgent } of rows) if (urgent || isIdle(pool)) steps.push(await timed(pool, `VACUUM ${name}`));
  return steps;
}

async function timed(pool: Pool, sql: string): Promise<Step> {
  const client = await pool.connect();
  const since = performance.now();
  try {
    await client.query(sql);
    return { what: sql, ms: Math.round(performance.now() - since) };
  } finally {
    client.release();
  }
}
