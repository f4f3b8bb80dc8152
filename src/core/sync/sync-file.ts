import { closeSync, fdatasyncSync, fsyncSync, openSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Windows persists directory entries by itself, and syncs only files that are open for writing. */
const isWindows = process.platform === 'win32';

/** Syncs a file's content, and the metadata needed to read it, before returning. */
export function syncContent(file: string): void {
  const fd = openSync(file, 'r+');
  try {
    fdatasyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Like `syncContent`; a file that is gone is skipped. */
export function syncIfExists(file: string): void {
  try {
    syncContent(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Like `syncContent`, without blocking. */
export async function syncContentLater(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

/** Syncs a folder's entries: files that were created, renamed or removed. */
export function syncNames(folder: string): void {
  if (isWindows) return;
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Syncs a folder and everything below it: the files first, then the entries that lead to them. */
export async function syncTree(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const paths = (kind: 'isFile' | 'isDirectory') =>
    entries.filter((entry) => entry[kind]()).map((entry) => join(entry.parentPath, entry.name));
  await Promise.all(paths('isFile').map(syncWhole));
  for (const names of [...paths('isDirectory'), folder]) syncNames(names);
}

async function syncWhole(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
