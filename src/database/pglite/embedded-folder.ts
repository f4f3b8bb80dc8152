import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { syncNames, syncTree } from '../../core/sync/sync-file.ts';
import { type DurableFolderOptions, DurableNodeFS } from './durable-fs.ts';
import { extensions } from './extensions.ts';
import { UnusableFolderError } from './folder-lock.ts';
import { movedMessage, readFolderMark } from './moved-folder.ts';
import { makePrivateFolder } from './private-folder.ts';

/** Returns the dump that a new database begins with, a tar file, or null. */
export type Template = () => Promise<Buffer<ArrayBuffer> | null>;

/** PGlite's defaults without `-F`, which turns syncing off. `fsync` is the only method that WebAssembly supports. */
const startParams = [...PGlite.defaultStartParams.filter((param) => param !== '-F'), '-c', 'wal_sync_method=fsync'];

/**
 * Opens the database in `dataDir`, creating it if necessary, from `template` if there is one. If the first start was
 * interrupted, the half-initialized database, which PGlite cannot open, is recreated. Throws `UnusableFolderError`.
 */
export async function openFolder(dataDir: string, options: DurableFolderOptions, template: Template): Promise<PGlite> {
  const folder = join(dataDir, 'postgres');
  const unfinished = join(dataDir, 'postgres.unfinished');
  const synced = join(dataDir, 'postgres.synced');
  const target = readFolderMark(dataDir);
  if (target !== null) throw new UnusableFolderError(movedMessage(dataDir, target));
  if (existsSync(unfinished)) {
    for (const path of [folder, synced]) rmSync(path, { recursive: true, force: true });
  }
  const fresh = !existsSync(folder);
  if (fresh) {
    note(unfinished);
    syncNames(dirname(resolve(dataDir)));
  }
  // Only what is written from now on is synced; existing files may never have reached the disk.
  if (!fresh && !(existsSync(synced) && wasShutDown(folder))) await syncTree(folder);
  makePrivateFolder(folder);
  const dump = fresh ? await template() : null;
  if (dump) unpack(dump, folder);
  const files = new DurableNodeFS(folder, options, fresh);
  const lite = await createIn(folder, files, options);
  if (fresh) {
    await syncTree(folder);
    files.begin();
  }
  note(synced);
  if (fresh) rmSync(unfinished);
  syncNames(dataDir);
  return lite;
}

/** Creates an empty marker file that survives a power failure. */
function note(file: string): void {
  if (existsSync(file)) return;
  writeFileSync(file, '', { mode: 0o600 });
  syncNames(dirname(file));
}

/** Whether PostgreSQL ended in order, after which all is on disk: the field `state` of its `pg_control`. */
function wasShutDown(folder: string): boolean {
  try {
    return readFileSync(join(folder, 'global', 'pg_control')).readUInt32LE(stateAt) === shutDown;
  } catch {
    return false;
  }
}
const stateAt = 16;
const shutDown = 1;

async function createIn(folder: string, fs: DurableNodeFS, options: DurableFolderOptions): Promise<PGlite> {
  const complaints: string[] = [];
  let opening = true;
  const onStderr = (text: string) => {
    if (opening) complaints.push(text);
    // PostgreSQL would exit here. PGlite does not, and never responds again.
    else if (text.includes('PANIC: ')) options.onFailure(text);
    return true;
  };
  options.stalls.begin('opening the database');
  try {
    const lite = await PGlite.create({ fs, extensions, onStderr, startParams });
    options.stalls.end();
    return lite;
  } catch (error) {
    fs.giveUp();
    const lines = complaints.map((text) => /(?:FATAL|PANIC|DETAIL): +(.*)/.exec(text)?.[1]).filter(Boolean);
    const why = lines.join(' ') || reasonOf(error);
    throw new UnusableFolderError(`The database in ${folder} cannot be opened, and was left as it is: ${why}`);
  } finally {
    opening = false;
  }
}

/** WASI error numbers, which the file system of WebAssembly reports. */
const wasiErrors: Record<number, string> = {
  2: 'permission denied',
  33: 'too many open files',
  51: 'no space is left on its disk',
  69: 'its file system is read-only',
};

/** Returns why PGlite failed; the file system of WebAssembly throws objects that are not an `Error`. */
export function reasonOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  const { errno } = (error ?? {}) as { errno?: number };
  return errno === undefined ? String(error) : (wasiErrors[errno] ?? `error ${errno} of the file system`);
}

/** A header of a tar file, and what it is followed by, fill whole blocks. */
const blockSize = 512;
/** The fields of a header that PGlite sets: https://www.gnu.org/software/tar/manual/html_node/Standard.html */
const fields = { name: [0, 100], size: [124, 136], type: [156, 157] } as const;

/** Writes the files and folders of a dump, a tar file, into `folder`. Only their owner may access them. */
export function unpack(dump: Buffer, folder: string): void {
  for (let start = 0; start + blockSize <= dump.length && dump[start] !== 0; ) {
    const header = dump.subarray(start, start + blockSize);
    const textOf = (field: keyof typeof fields) =>
      /^[^\0]*/.exec(header.toString('latin1', ...fields[field]))?.[0] ?? '';
    const path = join(folder, textOf('name'));
    const size = Number.parseInt(textOf('size'), 8);
    const content = start + blockSize;
    if (textOf('type') === '5') mkdirSync(path, { recursive: true, mode: 0o700 });
    else writeFileSync(path, dump.subarray(content, content + size), { mode: 0o600 });
    start = content + Math.ceil(size / blockSize) * blockSize;
  }
}
