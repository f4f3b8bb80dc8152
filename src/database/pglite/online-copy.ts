import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from '../pool.ts';

/** Of a copy whose data files have been copied; the log from `firstSegment` to `lastSegment` belongs to it. */
export type OnlineCopyEnd = {
  /** The content of the file `backup_label`, from which recovery starts. */
  label: string;
  firstSegment: string;
  lastSegment: string;
  /** Recovery must reach this position of the log. */
  position: string;
  /** The longest time that the database was busy with the copy at once, in milliseconds. */
  longestPauseMs: number;
};

/** A copy of the running embedded database, by PostgreSQL's own protocol for online backups. */
export type OnlineCopy = {
  id: string;
  /** To be called once the data files are copied. */
  end(): Promise<OnlineCopyEnd>;
  /** Lets the gateway recycle its log again. To be called in any case. */
  release(): Promise<void>;
};

/** The databases that are being copied: a checkpoint would remove log that the copy needs. */
const copied = new WeakSet<Pool>();

/** Whether the log must be kept. */
export const isBeingCopied = (pool: Pool): boolean => copied.has(pool);

/**
 * Begins a copy: from now on, the log has all that is needed to make data files consistent that are copied while they
 * change. Returns null if another copy is in progress.
 */
export async function beginOnlineCopy(pool: Pool): Promise<OnlineCopy | null> {
  if (copied.has(pool)) return null;
  copied.add(pool);
  let started = false;
  let longestPauseMs = 0;
  const timed = async <Row extends object>(sql: string): Promise<Row> => {
    const client = await pool.connect();
    const since = performance.now();
    try {
      const { rows } = await client.query<Row>(sql);
      return rows[0] as Row;
    } finally {
      longestPauseMs = Math.max(longestPauseMs, Math.round(performance.now() - since));
      client.release();
    }
  };
  const stop = async () => {
    started = false;
    return timed<{ label: string; position: string; lastSegment: string }>(
      `SELECT labelfile AS label, lsn::text AS position, pg_walfile_name(lsn) AS "lastSegment" FROM pg_backup_stop(false)`,
    );
  };
  const release = async () => {
    if (started) await stop().catch(() => {});
    copied.delete(pool);
  };
  try {
    // Begins with a checkpoint, which is done in two steps: the first has most of the work.
    await timed('CHECKPOINT');
    await timed(`SELECT pg_backup_start('parley', true)`);
    started = true;
  } catch (error) {
    await release();
    throw error;
  }
  return {
    id: randomUUID(),
    async end() {
      const { label, position, lastSegment } = await stop();
      const firstSegment = /START WAL LOCATION: \S+ \(file (\w+)\)/.exec(label)?.[1] ?? '';
      return { label, firstSegment, lastSegment, position, longestPauseMs };
    },
    release,
  };
}

/** Folders whose files are of no use to another process, or are copied at the end. */
const emptyFolders = new Set([
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_subtrans',
]);
const leftOut = new Set(['postmaster.pid', 'postmaster.opts', 'backup_label', 'tablespace_map']);

/** Copies the data files of a data folder to that of a new one, while a gateway writes to them. */
export async function copyDataFiles(dataDir: string, target: string): Promise<void> {
  const from = join(dataDir, 'postgres');
  const to = join(target, 'postgres');
  await mkdir(to, { recursive: true, mode: 0o700 });
  const copyBelow = async (folder: string, isEmpty: boolean): Promise<void> => {
    for (const entry of await readdir(join(from, folder), { withFileTypes: true })) {
      const name = join(folder, entry.name);
      if (entry.isDirectory()) {
        await mkdir(join(to, name), { mode: 0o700 });
        await copyBelow(name, isEmpty || emptyFolders.has(name));
      } else if (!isEmpty && !leftOut.has(name)) {
        await copyUnlessGone(join(from, name), join(to, name));
      }
    }
  };
  await copyBelow('', false);
}

/** Completes a copy of the data files, so that it opens as a database with all that was stored up to `end`. */
export async function copyLog(dataDir: string, target: string, end: OnlineCopyEnd): Promise<void> {
  const from = join(dataDir, 'postgres', 'pg_wal');
  const to = join(target, 'postgres');
  const names = (await readdir(from)).filter(
    (name) => /^[\dA-F]{24}$/.test(name) && name >= end.firstSegment && name <= end.lastSegment,
  );
  for (const name of names) await copyFile(join(from, name), join(to, 'pg_wal', name));
  await writeFile(join(to, 'backup_label'), end.label, { mode: 0o600 });
  // The copy is read once and removed: it need not survive a power failure.
  await writeFile(join(target, 'postgres.synced'), '', { mode: 0o600 });
}

/** PostgreSQL may have removed the file meanwhile; the log says so too. */
async function copyUnlessGone(from: string, to: string): Promise<void> {
  await copyFile(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}
