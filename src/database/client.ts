import { Adapter, type RelationLoad } from './adapter.ts';
import { type Prisma, PrismaClient } from './generated/prisma/client.ts';
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
  close(): Promise<void>;
};

export type OpenOptions = {
  /** A postgres:// URL, or null for the embedded database in `dataDir`. */
  databaseUrl: string | null;
  dataDir: string;
  /** `join` loads related rows in one statement, `query` in one statement a relation. */
  relationLoad?: RelationLoad;
  onStep?: (text: string) => void;
};

export type TransactOptions = { isolationLevel?: Prisma.TransactionIsolationLevel; timeoutMs?: number };

const pools = new WeakMap<Database, Pool>();

/**
 * Opens the database, as it is: migrating is another step. Throws `FolderInUseError` for a folder in use, and
 * `DatabaseUnreachableError` when PostgreSQL does not answer or refuses.
 */
export async function openDatabase(options: OpenOptions): Promise<DatabaseHandle> {
  if (options.databaseUrl) {
    options.onStep?.('Connecting to PostgreSQL');
    const pool = await openPostgres(options.databaseUrl);
    return handleOf('postgres', pool, options.relationLoad, () => endPool(pool));
  }
  options.onStep?.(`Opening the database in ${options.dataDir}`);
  // PGlite is loaded where it is used: on PostgreSQL it would be 20 MB for nothing.
  const { openEmbedded } = await import('./embedded.ts');
  const { pool, close } = await openEmbedded({ dataDir: options.dataDir });
  return handleOf('embedded', pool, options.relationLoad, close);
}

/** The client of an open pool. `close` ends the pool and what lies under it. */
export function handleOf(
  kind: DatabaseKind,
  pool: Pool,
  relationLoad: RelationLoad | undefined,
  close: () => Promise<void>,
): DatabaseHandle {
  const client = new PrismaClient({ adapter: new Adapter(pool, relationLoad), errorFormat: 'minimal' });
  shareQueryCompiler(client);
  pools.set(client, pool);
  let closing: Promise<void> | undefined;
  return { kind, client, pool, close: () => (closing ??= client.$disconnect().then(close)) };
}

/**
 * Runs `work` in one transaction: all of its writes are kept, or none. The only way to open one. Inside, everything
 * goes through `tx`; the outer client throws `OutsideTransactionError`. A `transact` inside joins the running
 * transaction, and when it fails, the whole is rolled back, even if the caller caught the error.
 */
export async function transact<T>(
  database: Database,
  work: (tx: Transaction) => Promise<T>,
  { isolationLevel, timeoutMs = 30_000 }: TransactOptions = {},
): Promise<T> {
  const pool = pools.get(database);
  if (!pool) throw new Error('transact() takes a client that openDatabase() opened.');
  const running = pool.scope.getStore();
  if (running?.open) return join(running, work);
  return database.$transaction((tx) => begin(pool, tx, work), { maxWait: 15_000, timeout: timeoutMs, isolationLevel });
}

async function begin<T>(pool: Pool, tx: Transaction, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const scope: Scope = { tx, open: true, failure: null };
  try {
    const result = await pool.scope.run(scope, () => work(tx));
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
