import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { syncNames } from '../core/sync/sync-file.ts';
import { storageFailure } from './failure.ts';
import { withKeys } from './key.ts';
import type { Storage } from './types.ts';

/** Drafts older than this, in milliseconds, are abandoned. */
const draftMs = 3_600_000;

/** Objects as files in a folder, which several replicas may share if all of them mount it. */
export function createFolder(folder: string): Storage {
  // Inside the folder, so that a rename stays within one file system.
  const drafts = path.join(folder, 'drafts');
  const fileOf = (key: string) => path.join(folder, ...key.split('/'));

  return withKeys({
    async put(key, bytes) {
      const draft = path.join(drafts, randomBytes(12).toString('hex'));
      const file = fileOf(key);
      await wrapErrors(async () => {
        await mkdir(drafts, { recursive: true, mode: 0o700 });
        await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
        try {
          await write(draft, bytes);
          await rename(draft, file);
        } catch (error) {
          // On a full disk it would keep the space that others need.
          await rm(draft, { force: true });
          throw error;
        }
        syncNames(path.dirname(file));
      });
    },
    get: (key) => wrapErrors(() => unlessMissing(readFile(fileOf(key)))),
    async open(key, range) {
      const file: FileHandle | null = await wrapErrors(() => unlessMissing(open(fileOf(key))));
      return file && (Readable.toWeb(file.createReadStream(range)) as ReadableStream<Uint8Array>);
    },
    delete: (key) => wrapErrors(() => rm(fileOf(key), { force: true })),
    async cleanUp() {
      const names = (await wrapErrors(() => unlessMissing(readdir(drafts)))) ?? [];
      for (const name of names) {
        const draft = path.join(drafts, name);
        const stats = await wrapErrors(() => unlessMissing(stat(draft)));
        if (stats && stats.mtimeMs < Date.now() - draftMs) await wrapErrors(() => rm(draft, { force: true }));
      }
    },
  });
}

/** Writes and fsyncs a file, so that a write is durable before it is acknowledged. */
async function write(name: string, bytes: Uint8Array): Promise<void> {
  const file = await open(name, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

const unlessMissing = <T>(reading: Promise<T>): Promise<T | null> =>
  reading.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });

const wrapErrors = <T>(work: () => Promise<T>): Promise<T> =>
  work().catch((error: unknown) => {
    throw storageFailure(error);
  });
