import type { DatabaseHandle } from '../../../src/database/client.ts';
import { distributeDatabase } from '../../../src/database/layout/distribute.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { serversOf, workers } from './cluster.ts';
import { onServer, withDatabase } from './database.ts';

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
