import type { Pool } from './pool.ts';

/**
 * Counts the tables of the embedded database anew that have changed by more than a tenth, or were never counted, and names
 * them. A server does so by itself (autovacuum); without it the planner takes every table for a small one.
 */
export async function analyzeChanged(pool: Pick<Pool, 'query'>): Promise<string[]> {
  await countChanges(pool);
  const { rows } = await pool.query<{ name: string }>(`
    SELECT quote_ident(schemaname) || '.' || quote_ident(stat.relname) AS name
    FROM pg_stat_user_tables AS stat JOIN pg_class ON pg_class.oid = stat.relid
    WHERE n_mod_since_analyze > 50 + greatest(reltuples, 0) / 10 OR (reltuples < 0 AND pg_relation_size(relid) > 0)
    ORDER BY 1`);
  // One statement each, so that others, who share the connection, come in between.
  for (const { name } of rows) await pool.query(`ANALYZE ${name}`);
  return rows.map(({ name }) => name);
}

/** Has the changes so far told in `pg_stat_user_tables`: a session does so at most once a second, unless it is asked to. */
export async function countChanges(pool: Pick<Pool, 'query'>): Promise<void> {
  await pool.query('SELECT pg_stat_force_next_flush()');
}
