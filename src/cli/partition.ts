import { maxPartitions, partitionDatabase } from '../database/layout/partition.ts';
import { migrate } from '../database/migrate.ts';
import { runLayoutCommand } from './layout-command.ts';

const usage = `Partitions the empty tables of a PostgreSQL database by a hash of the workspace, after applying pending migrations.

  npm run --silent partition -- --partitions <2 to ${maxPartitions}>`;

const layout = {
  usage,
  option: 'partitions',
  max: maxPartitions,
  embedded: 'The embedded database is not partitioned: set DATABASE_URL to a PostgreSQL database',
};

await runLayoutCommand(layout, async (handle, partitions) => {
  await migrate(handle);
  const names = await partitionDatabase(handle, partitions);
  console.log(names.length > 0 ? `Partitioned ${names.join(', ')}` : 'All tables are partitioned already');
});
