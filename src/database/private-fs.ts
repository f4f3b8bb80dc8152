import type { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

type Options = Parameters<NodeFS['init']>[1];
type Attributes = { mode?: number | null };
type NodeOperations = {
  mknod(parent: object, name: string, mode: number, device: number): object;
  setattr(node: object, attributes: Attributes): void;
};

const notOthers = ~0o077;

/** A folder of PGlite whose files only their owner may use. By itself, PGlite makes them writable for everybody, whatever the umask. */
export class PrivateNodeFS extends NodeFS {
  override async init(pg: PGlite, options: Options): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pg, options);
    const restrict = ({ FS }: { FS: unknown }) => {
      const { filesystems } = FS as { filesystems: { NODEFS: { node_ops: NodeOperations } } };
      const operations = filesystems.NODEFS.node_ops;
      const { mknod, setattr } = operations;
      operations.mknod = (parent, name, mode, device) => mknod(parent, name, mode & notOthers, device);
      operations.setattr = (node, { mode, ...rest }) =>
        setattr(node, { ...rest, ...(typeof mode === 'number' && { mode: mode & notOthers }) });
    };
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [restrict, ...(emscriptenOpts.preRun ?? [])] } };
  }
}
