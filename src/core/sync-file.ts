import { closeSync, fdatasyncSync, fsyncSync, openSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Windows keeps the names in a folder by itself, and syncs only what is open for writing. */
const isWindows = process.platform === 'win32';

/** Has the content of a file written to disk, and what it takes to find it again; waits for it. */
export function syncContent(file: string): void {
  const fd = openSync(file, 'r+');
  try {
    fdatasyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** The same beside other work. */
export async function syncContentLater(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

/** Has the names in a folder written to disk: of files that were made, renamed or removed. */
export function syncNames(folder: string): void {
  if (isWindows) return;
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Has all that lies below a folder written to disk, and the folder itself: files first, then the names that lead to them. */
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
