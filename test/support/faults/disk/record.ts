import fs, { readdirSync, readFileSync } from 'node:fs';
import promises, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import threads, { type WorkerOptions } from 'node:worker_threads';
import type { DiskLog } from './log.ts';

export type Recording = {
  log: DiskLog;
  /** How many threads have synced files. */
  threads(): number;
  mark(text: string): void;
  /** Resolves when all writes to matching files are on disk. */
  synced(name: RegExp): Promise<void>;
  stop(): void;
};

type WriteSync = typeof fs.writeSync &
  ((fd: number, buffer: NodeJS.ArrayBufferView, offset?: number, length?: number, position?: number) => number);
type Waiting = { name: RegExp; resolve: () => void };

/**
 * Records all changes of this process to a folder's files through `node:fs`, until `stop`. Existing content
 * is at the beginning of the log, and counts as synced.
 */
export function record(root: string): Recording {
  const log: DiskLog = [];
  const base = resolve(root);
  const items = new Map<string, number>([[base, 0]]);
  /** The number of the last unsynced entry of each file. */
  const unsynced = new Map<string, number>();
  const opened = new Map<number, string>();
  let waiting: Waiting[] = [];
  let count = 0;
  let threadCount = 0;

  const isOurs = (path: unknown): path is string =>
    typeof path === 'string' && `${resolve(path)}/`.startsWith(`${base}/`);
  const itemOf = (path: string) => items.get(resolve(path)) ?? -1;
  const placeOf = (path: string) => ({ folder: itemOf(dirname(resolve(path))), name: basename(path) });
  const create = (path: string, isFolder: boolean) => {
    if (items.has(resolve(path))) return;
    items.set(resolve(path), ++count);
    log.push({ kind: 'create', ...placeOf(path), item: count, isFolder });
  };
  const move = (from: string, to: string) => {
    const { folder: newFolder, name: newName } = placeOf(to);
    log.push({ kind: 'rename', ...placeOf(from), newFolder, newName });
    for (const [path, item] of Array.from(items)) {
      if (!`${path}/`.startsWith(`${resolve(from)}/`)) continue;
      items.delete(path);
      items.set(resolve(to) + path.slice(resolve(from).length), item);
    }
  };
  const remove = (path: string) => {
    if (!items.has(resolve(path))) return;
    log.push({ kind: 'remove', ...placeOf(path) });
    for (const below of Array.from(items.keys())) if (`${below}/`.startsWith(`${resolve(path)}/`)) items.delete(below);
  };
  const write = (path: string, position: number, bytes: Buffer) => {
    unsynced.set(resolve(path), log.length);
    log.push({ kind: 'write', item: itemOf(path), position, bytes });
  };
  const isSynced = (name: RegExp) => ![...unsynced.keys()].some((path) => name.test(basename(path)));
  const sync = (path: string, begun: number) => {
    log.push({ kind: 'sync', item: itemOf(path), begun });
    if ((unsynced.get(resolve(path)) ?? 0) < begun) unsynced.delete(resolve(path));
    const heard = waiting.filter(({ name }) => isSynced(name));
    waiting = waiting.filter((one) => !heard.includes(one));
    for (const one of heard) one.resolve();
  };
  /** The path of an open file, if it is in the folder. */
  const ours = (fd: number) => opened.get(fd);

  for (const entry of readdirSync(base, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    create(path, entry.isDirectory());
    if (entry.isFile()) write(path, 0, readFileSync(path));
  }
  unsynced.clear();
  for (let item = 0; item <= count; item++) log.push({ kind: 'sync', item, begun: log.length });

  const real = { ...fs };
  const realOpen = promises.open;
  const RealWorker = threads.Worker;
  const replaced: Partial<typeof fs> = {
    openSync(path, flags, mode) {
      const isNew = isOurs(path) && !fs.existsSync(path);
      const fd = real.openSync(path, flags, mode);
      if (isOurs(path)) {
        opened.set(fd, path);
        if (isNew) create(path, false);
      }
      return fd;
    },
    closeSync(fd) {
      opened.delete(fd);
      real.closeSync(fd);
    },
    writeSync: ((fd, buffer, offset, length, position) => {
      const written = real.writeSync(fd, buffer, offset, length, position);
      const path = ours(fd);
      const bytes = Buffer.from(buffer.buffer, buffer.byteOffset + (offset ?? 0), written);
      if (path) write(path, position ?? 0, Buffer.from(bytes));
      return written;
    }) as WriteSync,
    writeFileSync(path, data, options) {
      real.writeFileSync(path, data, options);
      if (!isOurs(path)) return;
      create(path, false);
      log.push({ kind: 'truncate', item: itemOf(path), size: 0 });
      write(path, 0, readFileSync(path));
    },
    ftruncateSync(fd, size) {
      real.ftruncateSync(fd, size);
      const path = ours(fd);
      if (path) log.push({ kind: 'truncate', item: itemOf(path), size: size ?? 0 });
    },
    truncateSync(path, size) {
      real.truncateSync(path, size);
      if (isOurs(path)) log.push({ kind: 'truncate', item: itemOf(path), size: size ?? 0 });
    },
    mkdirSync: ((path, options) => {
      const isNew = !fs.existsSync(path);
      const made = real.mkdirSync(path, options);
      if (isNew && isOurs(path)) create(path, true);
      return made;
    }) as typeof fs.mkdirSync,
    renameSync(from, to) {
      real.renameSync(from, to);
      if (isOurs(from) && isOurs(to)) move(from, to);
    },
    unlinkSync(path) {
      real.unlinkSync(path);
      if (isOurs(path)) remove(path);
    },
    rmdirSync(path, options) {
      real.rmdirSync(path, options);
      if (isOurs(path)) remove(path);
    },
    rmSync(path, options) {
      real.rmSync(path, options);
      if (isOurs(path)) remove(path);
    },
    fsyncSync(fd) {
      const begun = log.length;
      real.fsyncSync(fd);
      const path = ours(fd);
      if (path) sync(path, begun);
    },
    fdatasyncSync(fd) {
      const begun = log.length;
      real.fdatasyncSync(fd);
      const path = ours(fd);
      if (path) sync(path, begun);
    },
  };
  const open = async (...given: Parameters<typeof realOpen>): Promise<FileHandle> => {
    const handle = await realOpen(...given);
    const [path] = given;
    if (!isOurs(path)) return handle;
    for (const name of ['sync', 'datasync'] as const) {
      const begin = handle[name].bind(handle);
      handle[name] = async () => {
        const begun = log.length;
        await begin();
        sync(path, begun);
      };
    }
    return handle;
  };
  /** This thread waits for the one of `syncTogether`, so its syncs come before whatever happens next. */
  class Worker extends RealWorker {
    constructor(code: string | URL, options: WorkerOptions) {
      super(code, options);
      threadCount += 1;
      for (const path of options.workerData.files) if (isOurs(path)) sync(path, log.length);
    }
  }
  Object.assign(fs, replaced);
  Object.assign(promises, { open });
  Object.assign(threads, { Worker });
  syncBuiltinESMExports();

  return {
    log,
    threads: () => threadCount,
    mark: (text) => void log.push({ kind: 'mark', text }),
    synced: (name) => new Promise((resolve) => (isSynced(name) ? resolve() : void waiting.push({ name, resolve }))),
    stop() {
      for (const name of Object.keys(replaced)) Object.assign(fs, { [name]: real[name as keyof typeof real] });
      Object.assign(promises, { open: realOpen });
      Object.assign(threads, { Worker: RealWorker });
      syncBuiltinESMExports();
    },
  };
}
