import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { CopySession } from '../database/copy/session.ts';
import { keyOf } from '../domain/attachments/stored-files.ts';
import type { Storage } from '../storage/types.ts';
import { fileOf, type Manifest } from './manifest.ts';
import { readRegularFile } from './regular-file.ts';

/** A file of an attachment. `hash`: its SHA-256 in hex. */
type FileRow = { id: string; workspaceId: string; hash: string };

/** How many files are read and written at once: a bucket answers slowly. */
const concurrency = 8;

/** The files that the database refers to. */
export async function readFileRows(session: CopySession): Promise<FileRow[]> {
  const { rows } = await session.query<FileRow>(
    `SELECT "id", "workspaceId", "hash" FROM "StoredFile" WHERE "stored" AND "hash" IS NOT NULL`,
  );
  return rows;
}

/** Copies files into a backup, each content once. */
export async function backUpFiles(storage: Storage, rows: FileRow[], folder: string): Promise<Manifest['files']> {
  const missing: string[] = [];
  let bytes = 0;
  const byHash = Map.groupBy(rows, (row) => row.hash);
  await forEach([...byHash.values()], async (same) => {
    const content = await readIntact(storage, same);
    if (!content) return void missing.push(...same.map(keyOf));
    const file = fileOf(folder, hashOf(content));
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, content, { mode: 0o600 });
    bytes += content.length;
  });
  return { count: byHash.size, bytes, missing: missing.sort() };
}

/** Puts the files of a backup into the storage. Throws if one is damaged, or missing though the backup had it. */
export async function restoreFiles(folder: string, { missing }: Manifest['files'], rows: FileRow[], storage: Storage) {
  const expected = new Set(missing);
  await forEach(rows, async (row) => {
    const file = fileOf(folder, row.hash);
    if (expected.has(keyOf(row)) && !existsSync(file)) return;
    const content = await readRegularFile(file).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? new Error(`${file} is missing.`) : error;
    });
    if (hashOf(content) !== row.hash) throw new Error(`${file} is damaged.`);
    await storage.put(keyOf(row), content, row.hash);
  });
}

/** Copies files to another storage, or checks them where they are if it is null. Returns the keys of missing ones. */
export async function moveFiles(from: Storage, rows: FileRow[], to: Storage | null): Promise<string[]> {
  const missing: string[] = [];
  await forEach(rows, async (row) => {
    const content = await readIntact(from, [row]);
    if (content) await to?.put(keyOf(row), content, row.hash);
    else missing.push(keyOf(row));
  });
  return missing.sort();
}

const hashOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** The content of the first of these files that exists; null if none does. Throws if it is damaged. */
async function readIntact(storage: Storage, same: FileRow[]): Promise<Uint8Array | null> {
  for (const row of same) {
    const content = await storage.get(keyOf(row));
    if (!content) continue;
    if (hashOf(content) !== row.hash) throw new Error(`The file ${keyOf(row)} in the storage is damaged.`);
    return content;
  }
  return null;
}

/** Works on several items at once. After a failure, no other is begun. */
async function forEach<T>(items: T[], work: (item: T) => Promise<unknown>): Promise<void> {
  let hasFailed = false;
  const waiting = items.values();
  const worker = async () => {
    for (const item of waiting) {
      if (hasFailed) return;
      await work(item).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
