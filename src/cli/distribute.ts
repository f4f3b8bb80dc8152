import { distributeDatabase, maxShards } from '../database/layout/distribute.ts';
import { migrate } from '../database/migrate.ts';
import { runLayoutCommand } from './layout-command.ts';

const usage = `Distributes the tables of a database, with their rows, over the nodes of a Citus cluster, after applying pending
migrations. DATABASE_URL leads to the coordinator, whose database has the extension and knows the nodes. Stop the gateways
first.

  npm run --silent distribute -- --shards <2 to ${maxShards}>`;

const layout = {
  usage,
  option: 'shards',
  max: maxShards,
  embedded: 'The embedded database is not distributed: set DATABASE_URL to the coordinator of a cluster',
};

await runLayoutCommand(layout, async (handle, shards) => {
  const onStep = (text: string) => console.error(text);
  await migrate(handle, { onStep });
  const { distributed, copied, local } = await distributeDatabase(handle, { shards, onStep });
  console.log(`On all nodes, by workspace: ${distributed.join(', ')}`);
  console.log(`A copy on each node: ${copied.join(', ')}`);
  console.log(`On the coordinator: ${local.join(', ')}, and the schema pgboss`);
});
