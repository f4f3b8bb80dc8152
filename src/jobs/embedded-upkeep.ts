import type { Services } from '../context.ts';
import { checkpoint, vacuumChanged } from '../database/maintenance.ts';
import { type FolderSize, sizeOf } from '../database/pglite/folder-size.ts';
import { analyzeChanged } from '../database/statistics.ts';

/** With less free disk space than this, in bytes, PostgreSQL may soon fail to write its log and stop. */
const minFreeBytes = 500 * 2 ** 20;

/** The databases whose size has been logged. */
const warned = new WeakSet<object>();

const megabytes = (bytes: number) => Math.ceil(bytes / 2 ** 20);

/**
 * Runs the maintenance that a PostgreSQL server does by itself. Logs the folder's size at first and after each
 * checkpoint, and how long each step blocked the database.
 */
export async function maintainDatabase({
  pool,
  log,
  config,
}: Pick<Services, 'pool' | 'log' | 'config'>): Promise<void> {
  const logSize = ({ total, log: ofLog, free }: FolderSize) => {
    const sizes = { folder: config.dataDir, mb: megabytes(total), logMb: megabytes(ofLog), freeMb: megabytes(free) };
    if (free < minFreeBytes)
      log.warn(sizes, 'The disk of the embedded database is nearly full: free some space, or writes are refused');
    else log.info(sizes, 'The size of the embedded database');
  };
  const tables = await analyzeChanged(pool);
  if (tables.length > 0) log.debug({ tables }, 'Tables that changed were analyzed');
  for (const { what, ms } of await vacuumChanged(pool)) log.debug({ what, ms }, 'Upkeep of the embedded database');
  const done = await checkpoint(pool);
  if (done) log.debug(done, 'Upkeep of the embedded database');
  if (done || !warned.has(pool)) logSize(await sizeOf(config.dataDir));
  warned.add(pool);
}
