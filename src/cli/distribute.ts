import { parseArgs } from 'node:util';
import { ConfigError, readConfig } from '../config/config.ts';
import { openDatabase } from '../database/client.ts';
import { distributeDatabase, maxShards } from '../database/layout/distribute.ts';
import { migrate } from '../database/migrate.ts';
import { printUsage, run } from './shared/run.ts';

const usage = `Distributes the tables of a database, with their rows, over the nodes of a Citus cluster, after applying pending
migrations. DATABASE_URL leads to the coordinator, whose database has the extension and knows the nodes. Stop the gateways
first.

  npm run --silent distribute -- --shards <2 to ${maxShards}>`;

await run(async () => {
  const { values } = parseArgs({
    options: { shards: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help || !values.shards) return printUsage(usage, values.help);
  const shards = Number(values.shards);
  if (!Number.isInteger(shards) || shards < 2 || shards > maxShards) {
    throw new ConfigError(`--shards must be a whole number from 2 to ${maxShards}`);
  }
  const config = readConfig(process.env);
  if (!config.databaseUrl) {
    throw new ConfigError('The embedded database is not distributed: set DATABASE_URL to the coordinator of a cluster');
  }
  const handle = await openDatabase(config);
  try {
    const onStep = (text: string) => console.error(text);
    await migrate(handle, { onStep });
    const { distributed, copied, local } = await distributeDatabase(handle, { shards, onStep });
    console.log(`On all nodes, by workspace: ${distributed.join(', ')}`);
    console.log(`A copy on each node: ${copied.join(', ')}`);
    console.log(`On the coordinator: ${local.join(', ')}, and the schema pgboss`);
  } finally {
    await handle.close();
  }
});
