import pg from 'pg';
import { MigratingAdapter, migrationLock, waitForScripts } from './adapter.ts';
import type { DatabaseHandle } from './client.ts';
import { inBackground } from './deadline.ts';
import { type Migration, readMigrations } from './migrations.ts';
import { filters, migrationList, openEngine } from './pglite/engine.ts';
import { connectionTo } from './postgres.ts';
import { Session } from './session.ts';

export type MigrateOptions = { onStep?: (text: string) => void; migrations?: Migration[] };
type Row = { migration_name: string; checksum: string; done: boolean };
type Queryable = Pick<pg.Pool, 'query'>;

/** A migration that failed, or a database that this version of the service must not touch. */
export class MigrationError extends Error {
  override name = 'MigrationError';
}

/**
 * Brings the database to this version's migrations; returns the names of those applied. Of many replicas that start at
 * once, one applies them and the others wait. Each migration is one transaction with the record of its end: it is applied
 * whole or not at all, whatever dies meanwhile, and is tried again at the next start. Throws `MigrationError`.
 */
export async function migrate(handle: DatabaseHandle, options: MigrateOptions = {}): Promise<string[]> {
  const migrations = options.migrations ?? readMigrations();
  const pending = await pendingOf(handle.pool, migrations);
  if (pending.length === 0) return [];
  if (handle.kind === 'embedded') return apply(handle.pool, migrations, options);
  return withLock(handle.pool, (pool) => apply(pool, migrations, options));
}

/** The names of this version's migrations that the database lacks. */
export async function pendingMigrations(handle: DatabaseHandle, migrations = readMigrations()): Promise<string[]> {
  return pendingOf(handle.pool, migrations);
}

/** Whether the database answers and lacks no migration, however busy this process's connections are. Never throws. */
export async function isReady({ probe }: Pick<DatabaseHandle, 'probe'>): Promise<boolean> {
  // Its own limits hold, which are narrower than a request's.
  const pending = inBackground(() => pendingOf(probe, readMigrations()));
  return pending.then(
    (names) => names.length === 0,
    () => false,
  );
}

async function pendingOf(database: Queryable, migrations: Migration[]): Promise<string[]> {
  const rows = await appliedRows(database);
  const applied = new Map(rows.filter((row) => row.done).map((row) => [row.migration_name, row.checksum]));
  const edited = migrations.find(({ name, checksum }) => applied.has(name) && applied.get(name) !== checksum);
  if (edited) {
    throw new MigrationError(
      `The migration ${edited.name} was edited after this database applied it: put its file back, and make the change in a new migration.`,
    );
  }
  return migrations.filter(({ name }) => !applied.has(name)).map(({ name }) => name);
}

/** What the engine has recorded: nothing on a database that it has not seen. */
async function appliedRows(database: Queryable): Promise<Row[]> {
  const { rows } = await database.query<{ exists: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists`,
  );
  if (!rows[0]?.exists) return [];
  const applied = await database.query<Row>(
    'SELECT migration_name, checksum, finished_at IS NOT NULL AS done FROM _prisma_migrations WHERE rolled_back_at IS NULL',
  );
  return applied.rows;
}

/** A connection of its own, since a migration may take longer than a request's statement may. */
async function withLock<T>(outer: pg.Pool, work: (pool: pg.Pool) => Promise<T>): Promise<T> {
  const { connectionString = '' } = outer.options;
  const config = {
    ...connectionTo(connectionString),
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 0,
    Client: Session,
  };
  const lock = new Session(config);
  const pool = new pg.Pool({ ...config, max: 1 });
  // A lost connection fails what is under way on it; without listeners Node would end the process.
  pool.on('error', () => {});
  lock.on('error', () => {});
  try {
    await lock.connect();
    // The lock is of a transaction: one of a session would be left with whichever connection a pooler has given to it.
    await lock.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL statement_timeout = 0');
    await lock.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
    return await work(pool);
  } finally {
    await pool.end();
    await lock.end();
  }
}

async function apply(pool: pg.Pool, migrations: Migration[], { onStep }: MigrateOptions): Promise<string[]> {
  await giveUpInterrupted(pool);
  const pending = await pendingOf(pool, migrations);
  if (pending.length === 0) return [];
  onStep?.(`Applying ${pending.length === 1 ? 'the migration' : 'migrations'} ${pending.join(', ')}`);
  const engine = await openEngine(new MigratingAdapter(pool));
  try {
    const { appliedMigrationNames } = await engine.applyMigrations({
      migrationsList: migrationList(migrations),
      filters,
    });
    return appliedMigrationNames;
  } catch (error) {
    throw new MigrationError(`The database could not be migrated. ${reasonOf(error)}`, { cause: error });
  } finally {
    engine.free();
  }
}

/**
 * A record without an end is of a process that died before its script was sent, or of a script that failed: PostgreSQL
 * has undone it. A script that is still under way writes its end itself, so that its end is waited for first.
 */
async function giveUpInterrupted(pool: pg.Pool): Promise<void> {
  if ((await appliedRows(pool)).every((row) => row.done)) return;
  // Sent as one, the three are one transaction: a script cannot begin between the wait and the update.
  await pool.query(
    `SET LOCAL statement_timeout = 0; ${waitForScripts};
    UPDATE _prisma_migrations SET rolled_back_at = now() WHERE finished_at IS NULL AND rolled_back_at IS NULL`,
  );
}

/** The engine's words without its stack: which migration, and what PostgreSQL said. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const name = /migration_name="([^"]+)"/.exec(text)?.[1];
  const [words = text] = text.split(/\n\s+0: /);
  const said = /ERROR: (.*)/s.exec(words)?.[1] ?? words;
  return name ? `${name}: ${said}` : said;
}
