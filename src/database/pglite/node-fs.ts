import type { NodeFS } from '@electric-sql/pglite/nodefs';

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
export type Node = { parent: Node; name: string; mode: number };
/** An open file or folder; `nfd` is Node's file descriptor. */
export type Stream = { node: Node; nfd: number };
type Attributes = { mode?: number | null; size?: number };

export type NodeFileSystem = {
  node_ops: NodeOperations;
  stream_ops: StreamOperations;
  /** The path on the host. */
  realPath(node: Node): string;
  /** Runs `operation` and converts errors of `node:fs` to those of WebAssembly. */
  tryFSOperation<T>(operation: () => T): T;
};

type Options = Awaited<ReturnType<NodeFS['init']>>['emscriptenOpts'];

/** Returns options for PGlite that `change` the file system before its folder is opened. */
export function withChanged(options: Options, change: (fileSystem: NodeFileSystem) => void): Options {
  const run = ({ FS }: { FS: unknown }) =>
    change((FS as { filesystems: { NODEFS: NodeFileSystem } }).filesystems.NODEFS);
  return { ...options, preRun: [run, ...(options.preRun ?? [])] };
}
