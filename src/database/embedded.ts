import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { unaccent } from '@electric-sql/pglite/contrib/unaccent';
import { vector } from '@electric-sql/pglite-pgvector';
import { lockFolder, UnusableFolderError } from './lock.ts';
import { endPool, Pool } from './pool.ts';
import { makePrivateFolder } from './private-folder.ts';
import { PrivateNodeFS } from './private-fs.ts';
import { Wire } from './wire.ts';

export type Embedded = {
  pool: Pool;
  /** The whole database as a tar file, from which `openEmbedded` opens a copy in memory. */
  dump(): Promise<Blob>;
  close(): Promise<void>;
};

/** `dataDir`: the folder that keeps the data, or `memory`. `loadDataDir`: a dump to start from, in memory only. */
export type EmbeddedOptions = { dataDir: string; loadDataDir?: Blob };

/**
 * What the migrations may create of PostgreSQL's contrib, and pgvector: a folder that ever had it cannot do without, and
 * to offer it costs nothing that can be measured.
 */
export const extensions = { pg_trgm, unaccent, vector };

/**
 * Opens PostgreSQL inside this process (PGlite), reached through a pool of one connection. On a folder, takes the
 * folder's lock first: throws `FolderInUseError` when another process has it.
 */
export async function openEmbedded({ dataDir, loadDataDir }: EmbeddedOptions): Promise<Embedded> {
  const lock = dataDir === 'memory' ? null : lockFolder(dataDir);
  try {
    const lite = await (dataDir === 'memory' ? PGlite.create({ extensions, loadDataDir }) : openFolder(dataDir));
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

/** A first start that is cut short leaves half a database, which PGlite cannot open: it is made anew. */
async function openFolder(dataDir: string): Promise<PGlite> {
  const folder = join(dataDir, 'postgres');
  const unfinished = join(dataDir, 'postgres.unfinished');
  if (existsSync(unfinished)) rmSync(folder, { recursive: true, force: true });
  const fresh = !existsSync(folder);
  if (fresh) writeFileSync(unfinished, '', { mode: 0o600 });
  const lite = await createIn(folder);
  if (fresh) rmSync(unfinished);
  return lite;
}

async function createIn(folder: string): Promise<PGlite> {
  const complaints: string[] = [];
  let opening = true;
  const onStderr = (text: string) => !opening || complaints.push(text) > 0;
  try {
    makePrivateFolder(folder);
    return await PGlite.create({ fs: new PrivateNodeFS(folder), extensions, onStderr });
  } catch (error) {
    const lines = complaints.map((text) => /(?:FATAL|PANIC|DETAIL): +(.*)/.exec(text)?.[1]).filter(Boolean);
    const why = lines.join(' ') || reasonOf(error);
    throw new UnusableFolderError(`The database in ${folder} cannot be opened, and was left as it is: ${why}`);
  } finally {
    opening = false;
  }
}

/** Numbers of WASI, by which WebAssembly's file system fails. */
const wasiErrors: Record<number, string> = {
  2: 'permission denied',
  33: 'too many open files',
  51: 'no space is left on its disk',
  69: 'its file system is read-only',
};

/** Why PGlite failed, in words: what it throws for its file system is no `Error`. */
export function reasonOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  const { errno } = (error ?? {}) as { errno?: number };
  return errno === undefined ? String(error) : (wasiErrors[errno] ?? `error ${errno} of the file system`);
}

function openPool(lite: PGlite): Pool {
  const pool = new Pool({
    // PGlite has one session. Callers queue here, and a caller that waits this long is told so.
    max: 1,
    connectionTimeoutMillis: 30_000,
    idleTimeoutMillis: 0,
    stream: () => new Wire(lite),
    user: 'postgres',
    database: 'postgres',
    ssl: false,
    application_name: 'parley',
    options: '-c TimeZone=UTC',
  });
  // The pool has dropped the connection already; without a listener Node would end the process.
  pool.on('error', () => {});
  return pool;
}

async function dump(lite: PGlite, pool: Pool): Promise<Blob> {
  await pool.query('CHECKPOINT');
  return lite.dumpDataDir('none');
}

async function close(lite: PGlite, pool: Pool): Promise<void> {
  await endPool(pool);
  await lite.close();
}
