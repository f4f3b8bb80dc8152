import { fstatSync, fsyncSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { syncNames } from '../../core/sync/sync-file.ts';
import { syncTogether } from '../../core/sync/sync-together.ts';
import { clearHoles } from './page-holes.ts';
import type { StallMonitor } from './stalls.ts';
import { WalSync, type WalSyncOptions } from './wal-sync.ts';

type Options = Parameters<NodeFS['init']>[1];

const notOthers = ~0o077;

/** A PGlite folder whose files only their owner may access. PGlite creates them world-writable, whatever the umask. */
class PrivateNodeFS extends NodeFS {
  override async init(pg: PGlite, options: Options): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pg, options);
    return { emscriptenOpts: withChanged(emscriptenOpts, restrict) };
  }
}

function restrict({ node_ops: operations }: NodeFileSystem): void {
  const { mknod, setattr } = operations;
  operations.mknod = (parent, name, mode, device) => mknod(parent, name, mode & notOthers, device);
  operations.setattr = (node, { mode, ...rest }) =>
    setattr(node, { ...rest, ...(typeof mode === 'number' && { mode: mode & notOthers }) });
}

const isWalSegment = /^pg_wal\/[\dA-F]{24}$/;
/** The main files of tables and indexes; their maps of free and visible pages have no free space themselves. */
const ofRelation = /^(?:base\/\d+|global)\/\d+(?:\.(\d+))?$/;

/** From how many changed files on a thread that syncs them at once is worth its start. */
const worthAThread = 16;

export type DurableFolderOptions = WalSyncOptions & { stalls: StallMonitor };

/**
 * A PGlite folder that survives a power failure. PGlite ignores PostgreSQL's syncs; here they are carried out, so that
 * PostgreSQL's write order holds: the log before the pages that it describes, and at a checkpoint all files before
 * `pg_control`, and that before old log is recycled. Only the log of a commit may be deferred (`WalSync`), until
 * something that depends on it is written. What deleted rows contained is cleared from pages as they are written.
 *
 * Whoever opens it has synced the folder, or syncs it once PostgreSQL has made it (`isNew`), many files at once.
 * PostgreSQL would sync each of them twice, one by one, after a kill: only what has changed since is synced for it, at
 * a checkpoint all of it at once.
 */
export class DurableNodeFS extends PrivateNodeFS {
  readonly #wal: WalSync;
  readonly #stalls: StallMonitor;
  /** The files whose content has changed since they were last synced. */
  readonly #changed = new Set<string>();
  /** The number of a file in its table or index; null for other files. */
  readonly #fileNumbers = new WeakMap<Node, number | null>();
  /** Folders whose entries have changed since they were last synced. */
  readonly #renamed = new Set<string>();
  #isNew: boolean;

  constructor(folder: string, options: DurableFolderOptions, isNew: boolean) {
    super(folder);
    this.#wal = new WalSync(options);
    this.#stalls = options.stalls;
    this.#isNew = isNew;
  }

  /** Drops pending syncs, because PostgreSQL could not start on the folder. */
  giveUp(): void {
    this.#wal.giveUp();
  }

  /** The new folder has been synced. */
  begin(): void {
    this.#isNew = false;
    this.#changed.clear();
    this.#renamed.clear();
  }

  override async init(pg: PGlite, options: Parameters<NodeFS['init']>[1]): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pg, options);
    return { emscriptenOpts: withChanged(emscriptenOpts, (fileSystem) => this.#change(fileSystem)) };
  }

  #change(fileSystem: NodeFileSystem): void {
    const { node_ops: nodes, stream_ops: streams, realPath, tryFSOperation } = fileSystem;
    const { read, write, setattr: setOpen } = streams;
    const { mknod, setattr, rename, unlink, rmdir } = nodes;
    const flush = () => tryFSOperation(() => this.#wal.flush());
    const resize = (node: Node) => {
      flush();
      this.#changed.add(realPath(node));
    };
    /**
     * Flushes the log before a change that must not reach the disk first, and marks the folders whose entries change.
     */
    const after = (folders: Node[], change: () => void): void => {
      flush();
      change();
      for (const folder of folders) this.#renamed.add(realPath(folder));
    };
    streams.fsync = (stream) => tryFSOperation(() => this.#sync(realPath(stream.node), stream));
    streams.read = (stream, buffer, offset, length, position) => {
      this.#stalls.check();
      return read(stream, buffer, offset, length, position);
    };
    streams.write = (stream, buffer, offset, length, position) => {
      this.#stalls.check();
      const path = realPath(stream.node);
      if (this.#wal.isDue && this.#relyOnLog(path, stream, position)) flush();
      const file = this.#fileNumberOf(stream.node, realPath);
      this.#changed.add(path);
      if (file !== null) clearHoles(new Uint8Array(buffer.buffer, buffer.byteOffset + offset, length), position, file);
      return write(stream, buffer, offset, length, position);
    };
    streams.setattr = (stream, attributes) => {
      if (attributes.size !== undefined) resize(stream.node);
      setOpen(stream, attributes);
    };
    nodes.setattr = (node, attributes) => {
      if (attributes.size !== undefined) resize(node);
      setattr(node, attributes);
    };
    nodes.mknod = (parent, name, mode, device) => {
      this.#renamed.add(realPath(parent));
      const node = mknod(parent, name, mode, device);
      this.#changed.add(realPath(node));
      return node;
    };
    nodes.rename = (node, parent, name) => {
      const [from, to] = [realPath(node), join(realPath(parent), name)];
      after([node.parent, parent], () => rename(node, parent, name));
      if (this.#changed.delete(from)) this.#changed.add(to);
      else this.#changed.delete(to);
    };
    nodes.unlink = (parent, name) => {
      this.#changed.delete(join(realPath(parent), name));
      after([parent], () => unlink(parent, name));
    };
    nodes.rmdir = (parent, name) => after([parent], () => rmdir(parent, name));
  }

  /** Syncs a file and those parent folders whose entries have changed, so that it can be found again. */
  #sync(path: string, { nfd }: Stream): number {
    this.#stalls.check();
    if (this.#isNew) return 0;
    if (this.#changed.has(path)) {
      const synced = this.#syncedWith(path);
      if (this.#isOfLog(path)) this.#wal.requestSync(path);
      else if (synced.length === 1) fsyncSync(nfd);
      else syncTogether(synced, () => this.#stalls.check());
      // A file whose sync failed is one that still has to be synced.
      for (const file of synced) this.#changed.delete(file);
    }
    for (let folder = path; folder.startsWith(this.rootDir); folder = dirname(folder)) {
      if (this.#renamed.delete(folder)) syncNames(folder);
    }
    return 0;
  }

  /** PostgreSQL asks for one table after the other: with the first of many, all that has changed is synced. */
  #syncedWith(path: string): string[] {
    if (!ofRelation.test(this.#nameOf(path))) return [path];
    const files = [...this.#changed].filter((file) => !this.#isOfLog(file));
    return files.length < worthAThread ? [path] : files;
  }

  /**
   * Whether a write must not reach the disk before the log. Extending a table may: PostgreSQL waits for no log there.
   */
  #relyOnLog(path: string, stream: Stream, position: number): boolean {
    const name = this.#nameOf(path);
    if (name.startsWith('pg_wal/')) return false;
    return !name.startsWith('base/') || position < fstatSync(stream.nfd).size;
  }

  #fileNumberOf(node: Node, realPath: NodeFileSystem['realPath']): number | null {
    const known = this.#fileNumbers.get(node);
    if (known !== undefined) return known;
    const match = ofRelation.exec(this.#nameOf(realPath(node)));
    const number = match ? Number(match[1] ?? 0) : null;
    this.#fileNumbers.set(node, number);
    return number;
  }

  #isOfLog = (path: string): boolean => isWalSegment.test(this.#nameOf(path));

  #nameOf = (path: string): string => relative(this.rootDir, path).replaceAll(sep, '/');
}

/** The part of Emscripten's NODEFS, PGlite's access to files of the host, that is overridden here. */
type NodeOperations = {
  mknod(parent: Node, name: string, mode: number, device: number): Node;
  setattr(node: Node, attributes: Attributes): void;
  rename(node: Node, newParent: Node, newName: string): void;
  unlink(parent: Node, name: string): void;
  rmdir(parent: Node, name: string): void;
};

type StreamOperations = {
  read(stream: Stream, buffer: Uint8Array, offset: number, length: number, position: number): number;
  write(stream: Stream, buffer: Uint8Array, offset: number, length: number, position: number): number;
  setattr(stream: Stream, attributes: Attributes): void;
  /** Missing in Emscripten, where a sync does nothing and succeeds. Returns 0 or throws. */
  fsync?(stream: Stream): number;
};

/** A file or folder. */
type Node = { parent: Node; name: string; mode: number };
/** An open file or folder; `nfd` is Node's file descriptor. */
type Stream = { node: Node; nfd: number };
type Attributes = { mode?: number | null; size?: number };

type NodeFileSystem = {
  node_ops: NodeOperations;
  stream_ops: StreamOperations;
  /** The path on the host. */
  realPath(node: Node): string;
  /** Runs `operation` and converts errors of `node:fs` to those of WebAssembly. */
  tryFSOperation<T>(operation: () => T): T;
};

type EngineOptions = Awaited<ReturnType<NodeFS['init']>>['emscriptenOpts'];

/** Returns options for PGlite that `change` the file system before its folder is opened. */
function withChanged(options: EngineOptions, change: (fileSystem: NodeFileSystem) => void): EngineOptions {
  const run = ({ FS }: { FS: unknown }) =>
    change((FS as { filesystems: { NODEFS: NodeFileSystem } }).filesystems.NODEFS);
  return { ...options, preRun: [run, ...(options.preRun ?? [])] };
}
