import { parseArgs } from 'node:util';
import { ConfigError, readConfig } from '../config/config.ts';
import { type DatabaseHandle, openDatabase } from '../database/client.ts';
import { printUsage, run } from './run.ts';

type Layout = {
  usage: string;
  /** The option that says how many parts the tables get, from 2 to `max`. */
  option: string;
  max: number;
  /** Why there is nothing to do without DATABASE_URL. */
  embedded: string;
};

/** Runs a command that lays out the tables of a PostgreSQL database anew, in the number of parts that it is given. */
export const runLayoutCommand = (
  { usage, option, max, embedded }: Layout,
  work: (handle: DatabaseHandle, parts: number) => Promise<void>,
): Promise<void> =>
  run(async () => {
    const { values } = parseArgs({
      options: { [option]: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    });
    if (values.help || !values[option]) return printUsage(usage, values.help === true);
    const parts = Number(values[option]);
    if (!Number.isInteger(parts) || parts < 2 || parts > max)
      throw new ConfigError(`--${option} must be a whole number from 2 to ${max}`);
    const config = readConfig(process.env);
    if (!config.databaseUrl) throw new ConfigError(embedded);
    const handle = await openDatabase(config);
    try {
      await work(handle, parts);
    } finally {
      await handle.close();
    }
  });
