import { PGlite } from '@electric-sql/pglite';
import { endPool, Pool } from '../pool.ts';
import { openFolder } from './embedded-folder.ts';
import { extensions } from './extensions.ts';
import { lockFolder } from './folder-lock.ts';
import { Wire } from './wire.ts';

/** When a write of the embedded database is on disk: within about a second of its answer, or before it. */
export type EmbeddedSync = 'second' | 'commit';

export type Embedded = {
  pool: Pool;
  /** The whole database as a tar file, from which `openEmbedded` opens a copy in memory. */
  dump(): Promise<Blob>;
  close(): Promise<void>;
};

export type EmbeddedOptions = {
  /** The folder that keeps the data, or `memory`. */
  dataDir: string;
  /** A dump to start from, in memory only. */
  loadDataDir?: Blob;
  sync?: EmbeddedSync;
};

/**
 * Opens PostgreSQL inside this process (PGlite), reached through a pool of one connection. On a folder, takes the
 * folder's lock first: throws `FolderInUseError` when another process has it.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { dataDir, loadDataDir, sync = 'second' } = options;
  const lock = dataDir === 'memory' ? null : lockFolder(dataDir);
  try {
    const lite = await (lock
      ? openFolder(dataDir, { withinMs: withinMs[sync], onFailure })
      : PGlite.create({ extensions, loadDataDir }));
    const pool = openPool(lite);
    return {
      pool,
      dump: () => dump(lite, pool),
      close: () => close(lite, pool).finally(() => lock?.release()),
    };
  } catch (error) {
    lock?.release();
    throw error;
  }
}

/** How long a write may wait for the disk, in milliseconds: half a second, so that a slow disk has the other half. */
const withinMs: Record<EmbeddedSync, number> = { second: 500, commit: 0 };

/** Ends the process at once, as PostgreSQL would: what is on disk is known again after a start, and no longer by this process. */
function onFailure(cause: unknown): never {
  const why = cause instanceof Error ? cause.message : String(cause);
  process.stderr.write(`The disk failed to keep what the embedded database wrote, and the gateway ends: ${why}\n`);
  process.exit(1);
}

function openPool(lite: PGlite): Pool {
  return new Pool({
    config: {
      // PGlite has one session. Callers queue for it, and a caller that waits this long is told so.
      max: 1,
      statementLimitMs: 40_000,
      idleTimeoutMillis: 0,
      stream: () => new Wire(lite),
      user: 'postgres',
      database: 'postgres',
      ssl: false,
      application_name: 'parley',
      options: '-c TimeZone=UTC',
    },
  });
}

async function dump(lite: PGlite, pool: Pool): Promise<Blob> {
  await pool.query('CHECKPOINT');
  return lite.dumpDataDir('none');
}

async function close(lite: PGlite, pool: Pool): Promise<void> {
  await endPool(pool);
  await lite.close();
}
