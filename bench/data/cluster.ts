import pg from 'pg';
import { openDatabase } from '../../src/database/client.ts';
import { distributeDatabase } from '../../src/database/layout/distribute.ts';

/** The servers of the Citus cluster that BENCH_CITUS names, on the host of `server`: the coordinator, and its nodes. */
export function clusterBeside(server: string): [coordinator: string, ...nodes: string[]] {
  const ports = (process.env.BENCH_CITUS ?? '').split(',').filter(Boolean);
  const [coordinator, ...nodes] = ports.map((port) => Object.assign(new URL(server), { port }).href);
  if (!coordinator || nodes.length === 0)
    throw new Error('Name the ports of a coordinator and its nodes in BENCH_CITUS: see --help');
  return [coordinator, ...nodes];
}

/** Distributes the migrated database at `url` and its rows over databases of the same name on the servers of nodes. */
export async function distributeOver(url: string, servers: string[]): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  const nodes = servers.map((server) => Object.assign(new URL(server), { pathname: `/${name}` }));
  for (const server of servers) {
    await run(server, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
    await run(server, (client) => client.query(`CREATE DATABASE ${name}`));
  }
  for (const place of [url, ...nodes.map(({ href }) => href)])
    await run(place, (client) => client.query('CREATE EXTENSION citus'));
  await run(url, async (client) => {
    await client.query('SELECT citus_set_coordinator_host($1, $2)', addressOf(new URL(url)));
    for (const node of nodes) await client.query('SELECT citus_add_node($1, $2)', addressOf(node));
  });
  const handle = await openDatabase({ databaseUrl: url, dataDir: '' });
  try {
    await distributeDatabase(handle, { shards: 32 });
  } finally {
    await handle.close();
  }
}

const addressOf = ({ hostname, port }: URL) => [hostname, Number(port || 5432)];

/** Runs `work` on a separate connection, without the timeouts that the gateway sets for itself. */
export async function run<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString, options: '-c TimeZone=UTC' });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
