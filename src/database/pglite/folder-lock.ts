import { accessSync, closeSync, constants, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makePrivateFolder } from './private-folder.ts';

type FolderLock = { release(): void };

/** Another process uses the folder. */
export class FolderInUseError extends Error {
  override name = 'FolderInUseError';

  constructor(folder: string, pid: number | null) {
    const holder = pid ? `the process ${pid}` : 'another process';
    super(
      `The data folder ${folder} is in use by ${holder}. Two processes on one folder would lose each other's writes: ` +
        'stop that process, or set DATA_DIR to another folder, or DATABASE_URL to a PostgreSQL for several processes.',
    );
  }
}

/** The folder cannot be created, or this process may not write to it. */
export class UnwritableFolderError extends Error {
  override name = 'UnwritableFolderError';

  constructor(folder: string, cause: unknown) {
    super(`DATA_DIR: ${folder} cannot be used as a folder: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

/** PGlite cannot open the folder; it may be damaged or of another version. */
export class UnusableFolderError extends Error {
  override name = 'UnusableFolderError';
}

/**
 * Locks the folder for this process; throws `FolderInUseError` if another process holds the lock. The operating system
 * holds it (SQLite's lock on an empty file), so it ends with the process, however that dies.
 */
export function lockFolder(folder: string): FolderLock {
  makeFolder(folder);
  // The process id is in a separate file: opening and closing the lock file again would release the lock.
  const pidFile = join(folder, 'lock.pid');
  makePrivateFile(join(folder, 'lock'));
  const file = new DatabaseSync(join(folder, 'lock'), { timeout: 0 });
  try {
    file.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    file.close();
    if (isBusy(error)) throw new FolderInUseError(folder, readPid(pidFile));
    throw error;
  }
  writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
  return {
    release() {
      rmSync(pidFile, { force: true });
      file.close();
    },
  };
}

function makeFolder(folder: string): void {
  try {
    makePrivateFolder(folder);
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new UnwritableFolderError(folder, error);
  }
}

/** Never touches an existing file: opening and closing a lock file would release the lock. */
function makePrivateFile(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
}

const sqliteBusy = 5;
const isBusy = (error: unknown): boolean => (error as { errcode?: number }).errcode === sqliteBusy;

function readPid(file: string): number | null {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10) || null;
  } catch {
    return null;
  }
}
