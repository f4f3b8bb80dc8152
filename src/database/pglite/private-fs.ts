import type { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { type NodeFileSystem, withChanged } from './node-fs.ts';

type Options = Parameters<NodeFS['init']>[1];

const notOthers = ~0o077;

/** A PGlite folder whose files only their owner may access. PGlite creates them world-writable, whatever the umask. */
export class PrivateNodeFS extends NodeFS {
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
