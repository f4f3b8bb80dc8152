import { MemoryFS, PGlite } from '@electric-sql/pglite';
import { fullDisk, isDiskFull } from '../../core/full-disk.ts';
import { endPool, Pool } from '../pool.ts';
import { openFolder, type Template } from './embedded-folder.ts';
import { extensions } from './extensions.ts';
import { lockFolder } from './folder-lock.ts';
import { StallMonitor, type StallOptions } from './stalls.ts';
import { Wire } from './wire.ts';

/** When a write is on disk: within about a second after its response, or before it. */
export type EmbeddedSync = 'second' | 'commit';

export type Embedded = {
  pool: Pool;
  /** Returns the rows of a SELECT in COPY text format. */
  copyOut(select: string): Promise<Buffer>;
  /** Inserts rows in COPY text format into `target`: a table with its columns. */
  copyIn(target: string, rows: Buffer): Promise<void>;
  close(): Promise<void>;
};

type EmbeddedOptions = {
  /** The data folder, or `memory`. */
  dataDir: string;
  /** What a new database begins with; by default, it is empty. */
  template?: Template;
  sync?: EmbeddedSync;
  stalls?: StallOptions | undefined;
  /** Is given the whole database as a tar file when one in memory has been closed. */
  onDump?: (dump: Buffer) => void;
  /** Called when the disk failed to store a write; by default, ends the process. */
  onFailure?: (cause: unknown) => void;
};

/**
 * Opens PostgreSQL inside this process (PGlite), behind a pool of one connection. Locks the folder first: throws
 * `FolderInUseError` if another process uses it.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { dataDir, template = async () => null, sync = 'second', onFailure = exit, onDump } = options;
  const stalls = new StallMonitor(options.stalls);
  const lock = dataDir === 'memory' ? null : lockFolder(dataDir);
  try {
    const lite = await (lock
      ? openFolder(dataDir, { syncIntervalMs: syncIntervalMs[sync], onFailure, stalls }, template)
      : createInMemory(await template(), onDump));
    const pool = openPool(lite, stalls);
    return {
      pool,
      copyOut: (select) => copyOut(lite, select),
      copyIn: (target, rows) => copyIn(lite, target, rows),
      close: () => close(lite, pool).finally(() => lock?.release()),
    };
  } catch (error) {
    lock?.release();
    throw error;
  }
}

/** Delay before a write is synced, in milliseconds; half of the second, so that a slow disk has the other half. */
const syncIntervalMs: Record<EmbeddedSync, number> = { second: 500, commit: 0 };

/** Exits at once, as PostgreSQL would: after a failed sync, only a restart can tell what is on disk. */
function exit(cause: unknown): never {
  const why = isDiskFull(cause) ? fullDisk : cause instanceof Error ? cause.message : String(cause);
  process.stderr.write(`What the embedded database wrote could not be stored, and the gateway shuts down. ${why}\n`);
  process.exit(1);
}

function openPool(lite: PGlite, stalls: StallMonitor): Pool {
  return new Pool({
    config: {
      // PGlite has a single session. Callers queue for it until this limit.
      max: 1,
      statementLimitMs: 40_000,
      idleTimeoutMillis: 0,
      stream: () => new Wire(lite, stalls),
      user: 'postgres',
      database: 'postgres',
      ssl: false,
      application_name: 'parley',
      options: '-c TimeZone=UTC',
    },
  });
}

/** Its files are in memory, too: a large cache would only be memory to clear at the start. */
const inMemoryParams = [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB'];

/** Bytes that are in one piece already: a plain Blob would copy them twice, which took most of a start in memory. */
class Whole extends Blob {
  readonly #bytes: Buffer<ArrayBuffer>;

  constructor(bytes: Buffer<ArrayBuffer>) {
    super();
    this.#bytes = bytes;
  }

  /** The bytes themselves, which PGlite only reads. */
  override async arrayBuffer(): Promise<ArrayBuffer> {
    const { buffer, byteOffset, byteLength } = this.#bytes;
    return byteLength === buffer.byteLength ? buffer : buffer.slice(byteOffset, byteOffset + byteLength);
  }
}

/** `onDump` is given what is left when the database is closed, from which others start without a recovery. */
async function createInMemory(dump: Buffer<ArrayBuffer> | null, onDump: EmbeddedOptions['onDump']): Promise<PGlite> {
  const fs = new MemoryFS();
  const closeFs = fs.closeFs.bind(fs);
  fs.closeFs = async () => {
    if (onDump) onDump(Buffer.from(await (await fs.dumpTar('template', 'none')).arrayBuffer()));
    await closeFs();
  };
  const loadDataDir = dump ? { loadDataDir: new Whole(dump) } : {};
  return PGlite.create({ fs, extensions, startParams: inMemoryParams, ...loadDataDir });
}

/**
 * PGlite passes what COPY reads and writes as a file of this name; its wire protocol takes no data after a statement.
 */
const copyFile = '/dev/blob';

async function copyOut(lite: PGlite, select: string): Promise<Buffer> {
  const { blob } = await lite.query(`COPY (${select}) TO '${copyFile}'`);
  return blob ? Buffer.from(await blob.arrayBuffer()) : Buffer.alloc(0);
}

async function copyIn(lite: PGlite, target: string, rows: Buffer): Promise<void> {
  await lite.query(`COPY ${target} FROM '${copyFile}'`, [], { blob: new Blob([new Uint8Array(rows)]) });
}

async function close(lite: PGlite, pool: Pool): Promise<void> {
  try {
    await endPool(pool);
  } finally {
    await lite.close();
  }
}
