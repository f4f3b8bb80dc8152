import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { openLease, sendLong } from '../auth/admin/admin-client.ts';
import { keyFileOf } from '../auth/encryption/key-file.ts';
import { createBackupFolder, type Manifest, scratchOf } from '../backup/manifest.ts';
import { writeBackup } from '../backup/write.ts';
import { type Config, ConfigError, readConfig } from '../config/config.ts';
import { syncTree } from '../core/sync/sync-file.ts';
import { type CopyDatabase, openForCopy } from '../database/copy/session.ts';
import { copyDataFiles, copyLog, type OnlineCopyEnd } from '../database/pglite/online-copy.ts';
import { withGatewayOrDatabase } from './shared/gateway-or-database.ts';
import { openStorage } from './shared/open-storage.ts';
import { printUsage, run } from './shared/run.ts';

const usage = `Writes a backup of the database and of the attachments' files to a new folder. The gateway may be running.

  npm run --silent backup -- --to <folder>`;

type Written = Manifest & { longestPauseMs?: number };

await run(async () => {
  const { values } = parseArgs({ options: { to: { type: 'string' }, help: { type: 'boolean', short: 'h' } } });
  if (values.help || !values.to) return printUsage(usage, values.help);
  const folder = path.resolve(values.to);
  const config = readConfig(process.env);
  if (!config.databaseUrl && !existsSync(path.join(config.dataDir, 'postgres'))) {
    throw new ConfigError(`There is no data in ${config.dataDir}.`);
  }
  await createBackupFolder(folder);
  const written = await withGatewayOrDatabase<Written>(config, {
    viaGateway: () => backUpRunning(config, folder),
    viaDatabase: () => backUp(config, folder),
  }).catch(async (error: unknown) => {
    // Report the original failure, not that a mounted folder cannot be removed.
    await rm(folder, { recursive: true, force: true }).catch(() => {});
    throw error;
  });
  report(config, folder, written);
});

function backUp(config: Config, folder: string): Promise<Manifest> {
  return writeBackup({
    open: () => openForCopy(config),
    storage: openStorage(config),
    folder,
    now: new Date(),
  });
}

/**
 * Copies the data files while the gateway writes to them, and reads the rows from the copy: the gateway waits only for
 * two checkpoints. Returns null if no gateway is listening.
 */
async function backUpRunning(config: Config, folder: string): Promise<Written | null> {
  const scratch = scratchOf(folder);
  // What is on disk already need not be written during the checkpoint.
  await syncTree(path.join(config.dataDir, 'postgres')).catch(() => {});
  const lease = await openLease<{ id: string }>(config.dataDir, 'copy');
  if (!lease) return null;
  let end: OnlineCopyEnd;
  try {
    await copyDataFiles(config.dataDir, scratch);
    end = await sendLong<OnlineCopyEnd>(config.dataDir, 'end-copy', lease.answer);
    await copyLog(config.dataDir, scratch, end);
  } finally {
    lease.close();
  }
  const copy = await openForCopy({ databaseUrl: null, dataDir: scratch });
  const close = async () => {
    try {
      await copy.close();
    } finally {
      await rm(scratch, { recursive: true });
    }
  };
  const open = async () => {
    await requirePosition(copy, end.position).catch(async (error: unknown) => {
      await close();
      throw error;
    });
    return { ...copy, close };
  };
  const manifest = await writeBackup({ open, storage: openStorage(config), folder, now: new Date() });
  return { ...manifest, longestPauseMs: end.longestPauseMs };
}

/** Throws unless a copy has everything that was written up to a position of the log. */
async function requirePosition({ handle }: CopyDatabase, position: string): Promise<void> {
  const { pool } = await handle();
  const { rows } = await pool.query<{ whole: boolean }>('SELECT pg_current_wal_insert_lsn() >= $1::pg_lsn AS whole', [
    position,
  ]);
  if (!rows[0]?.whole) throw new Error('The copy of the database is incomplete: make the backup again.');
}

function report(config: Config, folder: string, { tables, files, longestPauseMs }: Written): void {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  console.log(`${folder}: ${rows} rows of ${tables.length} tables, ${files.count} files of attachments`);
  if (longestPauseMs !== undefined) console.log(`The database paused for at most ${longestPauseMs} ms.`);
  if (files.missing.length > 0) {
    console.log(`Missing, since they were deleted meanwhile or are lost: ${files.missing.join(', ')}`);
  }
  const where = config.encryptionKeys ? 'ENCRYPTION_KEYS' : keyFileOf(path.resolve(config.dataDir));
  console.log(
    `The encryption key is not in the backup, which is useless without it. Keep a copy of it elsewhere: ${where}`,
  );
}
