import { parseArgs } from 'node:util';
import { ConfigError, readConfig } from '../config/config.ts';
import { openDatabase } from '../database/client.ts';
import { maxPartitions, partitionDatabase } from '../database/layout/partition.ts';
import { migrate } from '../database/migrate.ts';
import { printUsage, run } from './shared/run.ts';

const usage = `Partitions the empty tables of a PostgreSQL database by a hash of the workspace, after applying pending migrations.

  npm run --silent partition -- --partitions <2 to ${maxPartitions}>`;

await run(async () => {
  const { values } = parseArgs({
    options: { partitions: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help || !values.partitions) return printUsage(usage, values.help);
  const partitions = Number(values.partitions);
  if (!Number.isInteger(partitions) || partitions < 2 || partitions > maxPartitions) {
    throw new ConfigError(`--partitions must be a whole number from 2 to ${maxPartitions}`);
  }
  const config = readConfig(process.env);
  if (!config.databaseUrl) {
    throw new ConfigError('The embedded database is not partitioned: set DATABASE_URL to a PostgreSQL database');
  }
  const handle = await openDatabase(config);
  try {
    await migrate(handle);
    const names = await partitionDatabase(handle, partitions);
    console.log(names.length > 0 ? `Partitioned ${names.join(', ')}` : 'All tables are partitioned already');
  } finally {
    await handle.close();
  }
});
