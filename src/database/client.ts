import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { lazy } from '../core/lazy.ts';
import { Adapter, type RelationLoad } from './adapter.ts';
import { retryDeadlocks } from './deadlock.ts';
import { type Prisma, PrismaClient } from './generated/prisma/client.ts';
import type { EmbeddedSync } from './pglite/embedded.ts';
import type { StallOptions } from './pglite/stalls.ts';
import type { TemplateName } from './pglite/template.ts';
import type { Pool, Scope } from './pool.ts';
import { closePostgres, openPostgres } from './postgres.ts';
import { Standby, type StandbyOptions } from './standby/standby.ts';

export type Database = PrismaClient;
/** The client inside a transaction. */
export type Transaction = Prisma.TransactionClient;
export type DatabaseKind = 'embedded' | 'postgres';

export type DatabaseHandle = {
  kind: DatabaseKind;
  client: Database;
  pool: Pool;
  /**
   * For health checks: on PostgreSQL a pool with a connection of its own, so that a busy pool does not look like an
   * outage.
   */
  probe: Pool;
  /** For questions to a cluster's nodes, which may hang: one more connection. */
  nodes: Pool;
  /** Serves the reads that may be stale; null without one. */
  standby: Standby | null;
  close(): Promise<void>;
};

type DatabaseOptions = {
  /** A postgres:// URL, or null for the embedded database in `dataDir`. */
  databaseUrl: string | null;
  /** A standby of that server, for reads that may be stale. */
  standby?: StandbyOptions | null;
  dataDir: string;
  /** When a write of the embedded database is on disk. */
  embeddedSync?: EmbeddedSync;
  /** Told while the embedded database blocks this thread. */
  stalls?: StallOptions | undefined;
  /** What a new embedded database begins with, where `npm run generate` has made it. By default, it is empty. */
  template?: TemplateName;
  /** `join` loads relations in the same statement, `query` with one statement per relation. */
  relationLoad?: RelationLoad;
  onStep?: (text: string) => void;
  /** How many processes of this gateway open connections to PostgreSQL. */
  workers?: number;
  /** How many connections for exclusive use they open together; null: by the number of cores. */
  databasePoolSize?: number | null;
};

type TransactOptions = {
  isolationLevel?: Prisma.TransactionIsolationLevel;
  timeoutMs?: number;
  /** The transaction only reads, so it does not wait behind writers. */
  readOnly?: boolean;
  /** A nested `transact` that fails rolls back only its own writes; a caller that catches the error may continue. */
  savepoints?: boolean;
  /** `work` must not run twice: deadlocks are not retried. */
  once?: boolean;
};

/** Longer than the pool lets any caller wait for a connection. */
const maxWaitMs = 120_000;

/**
 * How many query plans are cached (LRU). Each list length has a plan of its own, at about 100 bytes per value: lists of
 * up to 1,000 values can fill the cache with 30 MB, or 50 MB with two lists per query.
 */
const maxPlans = 300;

const pools = new WeakMap<Database, Pool>();
/** The open transactions, by client. */
const scopes = new WeakMap<Database | Transaction, Scope>();

/**
 * Opens the database without migrating it. Throws `FolderInUseError` if another process uses the folder, and
 * `DatabaseUnreachableError` if PostgreSQL does not respond or refuses the connection.
 */
export async function openDatabase(options: DatabaseOptions): Promise<DatabaseHandle> {
  if (options.databaseUrl) {
    options.onStep?.('Connecting to PostgreSQL');
    const primary = await openPostgres(options.databaseUrl, {
      workers: options.workers,
      size: options.databasePoolSize,
    });
    const standby = options.standby ? new Standby(options.standby, primary.probe, options.workers) : null;
    primary.pool.router = standby;
    const close = async () => {
      await standby?.close();
      await closePostgres(primary);
    };
    const { pool, probe, nodes } = primary;
    return { ...handleOf('postgres', pool, options.relationLoad, close), probe, nodes, standby };
  }
  options.onStep?.(`Opening the database in ${options.dataDir}`);
  // Imported lazily: with PostgreSQL, PGlite would be 20 MB for nothing.
  const { openEmbedded } = await import('./pglite/embedded.ts');
  const { readTemplate } = await import('./pglite/template.ts');
  const { dataDir, embeddedSync: sync, template: name, stalls } = options;
  const template = async () =>
    (name === 'demo' ? await readTemplate('demo') : null) ?? (name ? readTemplate('empty') : null);
  const { pool, close } = await openEmbedded({ dataDir, sync, stalls, template });
  return handleOf('embedded', pool, options.relationLoad, close);
}

/** Creates the client of an open pool. `close` ends the pool and whatever is beneath it. */
export function handleOf(
  kind: DatabaseKind,
  pool: Pool,
  relationLoad: RelationLoad | undefined,
  close: () => Promise<void>,
): DatabaseHandle {
  const client = new PrismaClient({
    adapter: new Adapter(pool, relationLoad),
    errorFormat: 'minimal',
    queryPlanCacheMaxSize: maxPlans,
  });
  shareQueryCompiler(client);
  pools.set(client, pool);
  return {
    kind,
    client,
    pool,
    probe: pool,
    nodes: pool,
    standby: null,
    close: lazy(() => client.$disconnect().then(close)),
  };
}

/**
 * Runs `work` in a transaction, and is the only way to open one. Inside, all queries must go through `tx`; the outer
 * client throws `OutsideTransactionError`. A nested `transact` joins the running transaction; if it fails, the whole
 * transaction is rolled back even if the caller catches the error, unless the outer one has `savepoints`. `work` runs
 * again after a deadlock, so it must have no side effects outside the database.
 */
export async function transact<T>(
  database: Database,
  work: (tx: Transaction) => Promise<T>,
  { isolationLevel, timeoutMs = 30_000, readOnly = false, savepoints = false, once = false }: TransactOptions = {},
): Promise<T> {
  const running = scopeOf(database);
  if (running) return running.savepoints ? part(running, work) : join(running, work);
  const pool = pools.get(database);
  if (!pool) throw new Error('transact() takes a client that openDatabase() opened, or that of an open transaction.');
  let after: Scope['after'] = [];
  const options = { maxWait: maxWaitMs, timeout: timeoutMs, isolationLevel };
  const run = () => {
    after = [];
    return database.$transaction((tx) => begin(pool, { tx, savepoints, after }, work), options);
  };
  const attempt = () => (readOnly ? pool.asReader(run) : run());
  const result = await (once ? attempt() : retryDeadlocks(attempt));
  for (const callback of after) await callback();
  return result;
}

/**
 * Runs `callback` once its transaction has committed: at once outside a transaction, never after a rollback. The
 * outermost `transact` awaits it.
 */
export async function afterCommit(database: Database, callback: () => unknown): Promise<void> {
  const running = scopeOf(database);
  if (running) running.after.push(callback);
  else await callback();
}

/** The transaction that a call with this client belongs to. */
function scopeOf(database: Database): Scope | undefined {
  const scope = scopes.get(database) ?? pools.get(database)?.scope.getStore();
  return scope?.open ? scope : undefined;
}

/**
 * Runs `work`. In a transaction with `savepoints`, its failure undoes its own writes only, so that the caller may
 * continue: PostgreSQL takes no further statement after one that it has refused.
 */
export function inSavepoint<T>(database: Database, work: () => Promise<T>): Promise<T> {
  const running = scopeOf(database);
  return running?.savepoints ? part(running, work) : work();
}

type OpenScope = Pick<Scope, 'tx' | 'savepoints' | 'after'>;

async function begin<T>(pool: Pool, openScope: OpenScope, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const scope: Scope = { ...openScope, open: true, failure: null };
  scopes.set(scope.tx, scope);
  try {
    const result = await pool.scope.run(scope, () => work(scope.tx));
    if (scope.failure) throw scope.failure.error;
    return result;
  } finally {
    scope.open = false;
  }
}

async function join<T>(scope: Scope, work: (tx: Transaction) => Promise<T>): Promise<T> {
  try {
    return await work(scope.tx);
  } catch (error) {
    scope.failure ??= { error };
    throw error;
  }
}

/** Runs `work` within a savepoint. Its effects for after the commit are dropped if it fails. */
async function part<T>({ tx, after }: Scope, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const callbackCount = after.length;
  await tx.$executeRawUnsafe('SAVEPOINT part');
  try {
    const result = await work(tx);
    await tx.$executeRawUnsafe('RELEASE SAVEPOINT part');
    return result;
  } catch (error) {
    after.length = callbackCount;
    // Report the original failure, not that a lost connection cannot roll back.
    await undo(tx).catch(() => {});
    throw error;
  }
}

/** Released too: a surrounding part, whose savepoint has the same name, would go back no further than to this one. */
async function undo(tx: Transaction): Promise<void> {
  await tx.$executeRawUnsafe('ROLLBACK TO SAVEPOINT part');
  await tx.$executeRawUnsafe('RELEASE SAVEPOINT part');
}

type ClientInternals = {
  _engineConfig?: { compilerWasm?: { getQueryCompilerWasmModule: () => Promise<WebAssembly.Module> } };
};

const packaged = '@prisma/client/runtime/query_compiler_fast_bg.postgresql.wasm-base64.mjs';

/**
 * Compiles Prisma's query compiler once for all clients, off the main thread. Prisma itself would import the module
 * that contains it, and Node would then keep its 4.5 MB of source text forever, twice.
 */
const compileQueryCompiler = lazy(() => WebAssembly.compile(readBytes()));

/**
 * Makes a client use the shared compiler, which it loads with its first query. Does nothing if Prisma's internals
 * differ.
 */
function shareQueryCompiler(client: PrismaClient): void {
  const { compilerWasm } = (client as unknown as ClientInternals)._engineConfig ?? {};
  if (compilerWasm) compilerWasm.getQueryCompilerWasmModule = compileQueryCompiler;
}

/** The module is a single line: `const wasm = "…"`. */
function readBytes(): Buffer<ArrayBuffer> {
  const source = readFileSync(createRequire(import.meta.url).resolve(packaged), 'latin1');
  return Buffer.from(source.slice(source.indexOf('"') + 1, source.lastIndexOf('"')), 'base64');
}
