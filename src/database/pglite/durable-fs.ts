import { constants, fstatSync, fsyncSync } from 'node:fs';
import { dirname, relative, sep } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import type { NodeFS } from '@electric-sql/pglite/nodefs';
import { syncNames } from '../../core/sync-file.ts';
import { type Node, type NodeFileSystem, type Stream, withChanged } from './node-fs.ts';
import { PrivateNodeFS } from './private-fs.ts';
import { WalSync, type WalSyncOptions } from './wal-sync.ts';

const isFolder = ({ mode }: Node) => (mode & constants.S_IFMT) === constants.S_IFDIR;
const isWalSegment = /^pg_wal\/[\dA-F]{24}$/;

/**
 * A folder of PGlite that outlives a power cut. Where PostgreSQL asks for a sync, PGlite does nothing; here it is done,
 * so that PostgreSQL's own order holds: the log before the pages it describes, and at a checkpoint all files before
 * `pg_control`, and that before old log is recycled. Only the log of a commit may wait (`WalSync`), until something that
 * relies on it is written.
 */
export class DurableNodeFS extends PrivateNodeFS {
  readonly #wal: WalSync;
  /** Folders whose names have changed since they were synced. */
  readonly #renamed = new Set<string>();

  constructor(folder: string, options: WalSyncOptions) {
    super(folder);
    this.#wal = new WalSync(options);
  }

  /** PostgreSQL could not be started on it. */
  giveUp(): void {
    this.#wal.giveUp();
  }

  override async init(pg: PGlite, options: Parameters<NodeFS['init']>[1]): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pg, options);
    return { emscriptenOpts: withChanged(emscriptenOpts, (fileSystem) => this.#change(fileSystem)) };
  }

  #change(fileSystem: NodeFileSystem): void {
    const { node_ops: nodes, stream_ops: streams, realPath, tryFSOperation } = fileSystem;
    const { write, setattr: setOpen } = streams;
    const { mknod, setattr, rename, unlink, rmdir } = nodes;
    const flush = () => tryFSOperation(() => this.#wal.flush());
    /** What is changed here is not to be on disk before the log that tells of it; of new names, the folder is noted. */
    const after = (folders: Node[], change: () => void): void => {
      flush();
      change();
      for (const folder of folders) this.#renamed.add(realPath(folder));
    };
    streams.fsync = (stream) => tryFSOperation(() => this.#sync(realPath(stream.node), stream));
    streams.write = (stream, buffer, offset, length, position) => {
      if (this.#wal.isDue && this.#relyOnLog(realPath(stream.node), stream, position)) flush();
      return write(stream, buffer, offset, length, position);
    };
    streams.setattr = (stream, attributes) => {
      if (attributes.size !== undefined) flush();
      setOpen(stream, attributes);
    };
    nodes.setattr = (node, attributes) => {
      if (attributes.size !== undefined) flush();
      setattr(node, attributes);
    };
    nodes.mknod = (parent, name, mode, device) => {
      this.#renamed.add(realPath(parent));
      return mknod(parent, name, mode, device);
    };
    nodes.rename = (node, parent, name) => after([node.parent, parent], () => rename(node, parent, name));
    nodes.unlink = (parent, name) => after([parent], () => unlink(parent, name));
    nodes.rmdir = (parent, name) => after([parent], () => rmdir(parent, name));
  }

  /** What is synced must be found again: so are the names that lead to it. */
  #sync(path: string, { node, nfd }: Stream): number {
    if (isFolder(node)) this.#renamed.add(path);
    else if (isWalSegment.test(this.#nameOf(path))) this.#wal.demand(path);
    else fsyncSync(nfd);
    for (let folder = path; folder.startsWith(this.rootDir); folder = dirname(folder)) {
      if (this.#renamed.delete(folder)) syncNames(folder);
    }
    return 0;
  }

  /** Whether a write must not be on disk before the log. What makes a table longer may: PostgreSQL waits for no log there. */
  #relyOnLog(path: string, stream: Stream, position: number): boolean {
    const name = this.#nameOf(path);
    if (name.startsWith('pg_wal/')) return false;
    return !name.startsWith('base/') || position < fstatSync(stream.nfd).size;
  }

  #nameOf = (path: string): string => relative(this.rootDir, path).replaceAll(sep, '/');
}
