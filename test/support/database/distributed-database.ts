import type { DatabaseHandle } from '../../../src/database/client.ts';
import { distributeDatabase } from '../../../src/database/layout/distribute.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { serversOf, workers } from './cluster.ts';
import { onServer, withDatabase, withoutLimits } from './database.ts';

/** Makes a new database a cluster's, and distributes its migrated tables over the workers. */
export async function distributeOver(url: string, name: string, handle: DatabaseHandle): Promise<void> {
  for (const server of serversOf(url)) {
    await onServer(withDatabase(server, name), (client) => client.query('CREATE EXTENSION citus'));
  }
  const { hostname, port } = new URL(url);
  await handle.pool.query('SELECT citus_set_coordinator_host($1, $2)', [hostname, Number(port)]);
  for (const worker of workers) await handle.pool.query('SELECT citus_add_node($1, $2)', [hostname, Number(worker)]);
  await migrate(handle);
  await distributeDatabase(handle, { shards: 4 });
}

/**
 * Moves the shards of a workspace to the node that does not have them, as a rebalance does: outside of the gateway's
 * time limit for statements, since it takes long on a busy machine.
 */
export async function moveToAnotherNode(pool: DatabaseHandle['pool'], workspaceId: string): Promise<void> {
  const { rowCount } = await withoutLimits(pool, (client) =>
    client.query(
      `SELECT citus_move_shard_placement(shardid, placed.nodename, placed.nodeport, other.nodename, other.nodeport, 'block_writes')
       FROM pg_dist_shard_placement placed JOIN pg_dist_node other ON other.nodeport <> placed.nodeport
       WHERE shardid = get_shard_id_for_distribution_column('"Workspace"', $1::text) AND other.shouldhaveshards`,
      [workspaceId],
    ),
  );
  if (rowCount !== 1) throw new Error(`The shards of ${workspaceId} have ${rowCount} places to go to`);
}
