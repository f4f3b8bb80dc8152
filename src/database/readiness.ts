import type { DatabaseHandle } from './client.ts';
import { movedTable } from './copy/usable.ts';
import { inBackground } from './deadline.ts';
import { pendingMigrations } from './migrate.ts';
import type { Pool } from './pool.ts';
import { unreadyReasons } from './serving/reasons.ts';

/**
 * Why the database cannot serve, however busy this process's pool is: it does not answer, lacks migrations, was moved
 * or accepts no writes. Null if it can. Never throws.
 */
export async function databaseUnready({ probe }: Pick<DatabaseHandle, 'probe'>): Promise<string | null> {
  // Outside of the request's scope: the probe's own limits are tighter than a request's.
  return inBackground(() => reasonOf(probe)).catch(() => unreadyReasons.database);
}

async function reasonOf(pool: Pool): Promise<string | null> {
  const { rows } = await pool.query<{ moved: boolean; standby: boolean }>(
    'SELECT to_regclass($1) IS NOT NULL AS moved, pg_is_in_recovery() AS standby',
    [movedTable],
  );
  if (rows[0]?.moved) return unreadyReasons.moved;
  if (rows[0]?.standby) return unreadyReasons.standby;
  return (await pendingMigrations({ pool })).length > 0 ? unreadyReasons.migrations : null;
}
