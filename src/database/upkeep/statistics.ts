import type { Pool } from '../pool.ts';
import { withPauses } from './batches.ts';

/**
 * Analyzes the tables of the embedded database that were never analyzed or have changed by more than a tenth, and
 * returns their names. A server's autovacuum does this by itself; without it the planner assumes that every table is
 * small.
 */
export async function analyzeChanged(pool: Pick<Pool, 'query'>): Promise<string[]> {
  await countChanges(pool);
  const { rows } = await pool.query<{ name: string }>(`
    SELECT quote_ident(schemaname) || '.' || quote_ident(stat.relname) AS name
    FROM pg_stat_user_tables AS stat JOIN pg_class ON pg_class.oid = stat.relid
    WHERE n_mod_since_analyze > 50 + greatest(reltuples, 0) / 10 OR (reltuples < 0 AND pg_relation_size(relid) > 0)
    ORDER BY 1`);
  for (const { name } of rows) await withPauses(() => pool.query(`ANALYZE ${name}`));
  return rows.map(({ name }) => name);
}

/** Flushes pending changes to `pg_stat_user_tables`; by itself a session does so at most once a second. */
export async function countChanges(pool: Pick<Pool, 'query'>): Promise<void> {
  await pool.query('SELECT pg_stat_force_next_flush()');
}
