import { type CopyDatabase, type CopySession, inTransaction } from '../database/copy/session.ts';

/** Where the shards of a cluster are, as one text; null on a plain database. */
export async function shardPlacements(session: CopySession): Promise<string | null> {
  const { rows } = await session.query<{ isCluster: boolean }>(
    `SELECT to_regclass('pg_catalog.pg_dist_placement') IS NOT NULL AS "isCluster"`,
  );
  if (!rows[0]?.isCluster) return null;
  const places = await session.query<{ places: string | null }>(
    `SELECT string_agg(shardid || ' ' || groupid, ',' ORDER BY shardid, groupid) AS places FROM pg_dist_placement`,
  );
  return places.rows[0]?.places ?? '';
}

/**
 * Begins the snapshots of all nodes, in the session's transaction. Each node has one of its own: a workspace, which is
 * on one node, is read as it was at one moment. Nobody writes people meanwhile, whom rows of all nodes refer to.
 */
export function beginOnNodes(database: CopyDatabase, session: CopySession): Promise<void> {
  return database.session((holder) =>
    inTransaction(holder, '', async () => {
      await holder.query(`SET LOCAL lock_timeout = '10s'`);
      await holder.query('LOCK TABLE "User" IN SHARE MODE');
      // By one connection to each, since each connection has a snapshot of its own.
      await session.query('SET LOCAL citus.max_adaptive_executor_pool_size = 1');
      await session.query('SELECT count(*) FROM "Workspace"');
    }),
  );
}
