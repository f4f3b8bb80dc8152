import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** In bytes: `total` of the embedded database's folder, `log` of the write-ahead log in it, `free` on its disk. */
export type FolderSize = { total: number; log: number; free: number };

export async function sizeOf(dataDir: string): Promise<FolderSize> {
  const folder = join(dataDir, 'postgres');
  const [total, log, disk] = await Promise.all([
    bytesBelow(folder),
    bytesBelow(join(folder, 'pg_wal')),
    statfs(folder),
  ]);
  return { total, log, free: disk.bavail * disk.bsize };
}

async function bytesBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(({ parentPath, name }) => sizeOfFile(join(parentPath, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** PostgreSQL may have removed the file meanwhile. */
const sizeOfFile = (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  );
