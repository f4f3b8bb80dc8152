import { Adapter, type RelationLoad } from './adapter.ts';
import { retryDeadlocks } from './deadlock.ts';
import { type Prisma, PrismaClient } from './generated/prisma/client.ts';
import type { EmbeddedSync } from './pglite/embedded.ts';
import { endPool, type Pool, type Scope } from './pool.ts';
import { openPostgres } from './postgres.ts';
import { shareQueryCompiler } from './query-compiler.ts';

export type Database = PrismaClient;
/** The client inside a transaction. */
export type Transaction = Prisma.TransactionClient;
export type DatabaseKind = 'embedded' | 'postgres';

export type DatabaseHandle = {
  kind: DatabaseKind;
  client: Database;
  pool: Pool;
  /** Tells whether the database can be reached: on PostgreSQL by a connection of its own. */
  probe: Pool;
  close(): Promise<void>;
};

export type OpenOptions = {
  /** A postgres:// URL, or null for the embedded database in `dataDir`. */
  databaseUrl: string | null;
  dataDir: string;
  /** When a write of the embedded database is on disk. */
  embeddedSync?: EmbeddedSync;
  /** `join` loads related rows in one statement, `query` in one statement a relation. */
  relationLoad?: RelationLoad;
  onStep?: (text: string) => void;
};

export type TransactOptions = {
  isolationLevel?: Prisma.TransactionIsolationLevel;
  timeoutMs?: number;
  /** Nothing is written: it need not wait for those who write. */
  readOnly?: boolean;
  /** A `transact` inside that fails undoes its own writes alone, and whoever catches the error may go on. */
  savepoints?: boolean;
  /** `work` cannot be done twice: a deadlock is not retried. */
  once?: boolean;
};

/** Longer than the pool has anybody wait for a connection. */
const maxWaitMs = 120_000;

/**
 * How many plans of queries are kept, those that were used last. Each number of values in a list has a plan of its own, of
 * some 100 bytes a value: callers who send lists of 1,000 can fill 30 MB with them, or 50 with two lists a query.
 */
const maxPlans = 300;

const pools = new WeakMap<Database, Pool>();
/** The transactions that are open, by their clients. */
const scopes = new WeakMap<Database | Transaction, Scope>();

/**
 * Opens the database, as it is: migrating is another step. Throws `FolderInUseError` for a folder in use, and
 * `DatabaseUnreachableError` when PostgreSQL does not answer or refuses.
 */
export async function openDatabase(options: OpenOptions): Promise<DatabaseHandle> {
  if (options.databaseUrl) {
    options.onStep?.('Connecting to PostgreSQL');
    const { pool, probe, watch } = await openPostgres(options.databaseUrl);
    const close = async () => {
      watch.end();
      await Promise.all([endPool(pool), endPool(probe)]);
    };
    return { ...handleOf('postgres', pool, options.relationLoad, close), probe };
  }
  options.onStep?.(`Opening the database in ${options.dataDir}`);
  // PGlite is loaded where it is used: on PostgreSQL it would be 20 MB for nothing.
  const { openEmbedded } = await import('./pglite/embedded.ts');
  const { pool, close } = await openEmbedded({ dataDir: options.dataDir, sync: options.embeddedSync });
  return handleOf('embedded', pool, options.relationLoad, close);
}

/** The client of an open pool. `close` ends the pool and what lies under it. */
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
  let closing: Promise<void> | undefined;
  return { kind, client, pool, probe: pool, close: () => (closing ??= client.$disconnect().then(close)) };
}

/**
 * Runs `work` in one transaction: all of its writes are kept, or none. The only way to open one. Inside, everything
 * goes through `tx`; the outer client throws `OutsideTransactionError`. A `transact` inside joins the running
 * transaction, and when it fails, the whole is rolled back, even if the caller caught the error, unless the outer one
 * has savepoints. `work` is done again after a deadlock, so it must not change anything but the database.
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
  for (const effect of after) await effect();
  return result;
}

/**
 * Does what others may see only once it is true: at once, or when the transaction that is running is committed; never
 * when it is rolled back. Whoever opened the transaction waits for it.
 */
export async function afterCommit(database: Database, effect: () => unknown): Promise<void> {
  const running = scopeOf(database);
  if (running) running.after.push(effect);
  else await effect();
}

/** The transaction that a call with this client belongs to. */
function scopeOf(database: Database): Scope | undefined {
  const scope = scopes.get(database) ?? pools.get(database)?.scope.getStore();
  return scope?.open ? scope : undefined;
}

type Opened = Pick<Scope, 'tx' | 'savepoints' | 'after'>;

async function begin<T>(pool: Pool, opened: Opened, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const scope: Scope = { ...opened, open: true, failure: null };
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

/** A part of a transaction that is undone by itself, with what it wanted to do afterwards. */
async function part<T>({ tx, after }: Scope, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const wanted = after.length;
  await tx.$executeRawUnsafe('SAVEPOINT part');
  try {
    const result = await work(tx);
    await tx.$executeRawUnsafe('RELEASE SAVEPOINT part');
    return result;
  } catch (error) {
    after.length = wanted;
    // The failure is what is told, not that a lost connection cannot undo.
    await tx.$executeRawUnsafe('ROLLBACK TO SAVEPOINT part').catch(() => {});
    throw error;
  }
}
