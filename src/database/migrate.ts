import pg from 'pg';
import { MigratingAdapter, migrationLock, waitForScripts } from './adapter.ts';
import type { DatabaseHandle } from './client.ts';
import { areTablesDistributed, distributeAdded, isDistributionPending } from './layout/distribute.ts';
import { type Migration, readMigrations, readUpgrades } from './migrations.ts';
import { filters, migrationList, openEngine } from './pglite/engine.ts';
import type { Pool } from './pool.ts';
import { connectionTo } from './postgres.ts';
import { unreadyReasons } from './serving/reasons.ts';
import { Session } from './session.ts';
import { quoted } from './sql.ts';

/** `migrations`: these alone, instead of those of this version. */
type MigrateOptions = { onStep?: (text: string) => void; migrations?: Migration[] };
/**
 * What a database lacks: of the `upgrades`, if it began with them; then the migration that stands for them all, to be
 * `recorded`; and the `migrations` to run.
 */
type Pending = { upgrades: Migration[]; recorded: Migration[]; migrations: Migration[] };
type Row = { migration_name: string; checksum: string; done: boolean };
/** The SQLSTATE of a missing privilege. */
const forbidden = '42501';
type Queryable = Pick<pg.Pool, 'query'>;

/** A migration failed, or the database is not one that this version may touch. */
export class MigrationError extends Error {
  override name = 'MigrationError';
}

/**
 * Applies pending migrations and returns their names. A database from before 0.2.0 goes on along the upgrades, and the
 * migration that makes the same schema in a new one is then recorded without running it. Of many replicas that start at
 * once, one applies them while the others wait. Each migration is one transaction that also records its success, so
 * after any crash it is applied whole or not at all, and is tried again at the next start. On a cluster, tables that
 * they add are then distributed. Throws `MigrationError`.
 */
export async function migrate(handle: DatabaseHandle, options: MigrateOptions = {}): Promise<string[]> {
  const reason = await unsuitableReason(handle.pool);
  if (reason) throw new MigrationError(reason);
  const isDistributed = await areTablesDistributed(handle);
  const pending = await pendingMigrations(handle, options.migrations);
  if (pending.length === 0 && !(isDistributed && (await isDistributionPending(handle)))) return [];
  if (handle.kind === 'embedded') return apply(handle.pool, options);
  return withLock(handle.pool, async (pool) => {
    const applied = await apply(pool, { ...options, oneByOne: isDistributed });
    if (isDistributed) await distributeAdded(handle, options);
    return applied;
  });
}

/** Returns the names of this version's migrations that the database lacks. */
export async function pendingMigrations(
  { pool }: Pick<DatabaseHandle, 'pool'>,
  given?: Migration[],
): Promise<string[]> {
  return namesOf(await pendingOf(pool, given));
}

const namesOf = ({ upgrades, recorded, migrations }: Pending): string[] =>
  [...upgrades, ...recorded, ...migrations].map(({ name }) => name);

/** Whether no migration was ever applied to the database. */
export const isUnmigrated = async ({ pool }: Pick<DatabaseHandle, 'pool'>): Promise<boolean> =>
  (await appliedRows(pool)).every((row) => !row.done);

async function pendingOf(database: Queryable, given?: Migration[]): Promise<Pending> {
  const rows = await appliedRows(database);
  const [upgrades, migrations] = known(rows, given);
  const all = [...upgrades, ...migrations];
  requireOwn(rows, all);
  const applied = new Map(rows.filter((row) => row.done).map((row) => [row.migration_name, row.checksum]));
  const edited = all.find(({ name, checksum }) => applied.has(name) && applied.get(name) !== checksum);
  if (edited) {
    throw new MigrationError(
      `The migration ${edited.name} was edited after this database applied it: put its file back, and make the change in a new migration.`,
    );
  }
  const lacking = (list: Migration[]) => list.filter(({ name }) => !applied.has(name));
  if (lacking(upgrades).length === upgrades.length) {
    return { upgrades: [], recorded: [], migrations: lacking(migrations) };
  }
  return {
    upgrades: lacking(upgrades),
    recorded: lacking(migrations.slice(0, 1)),
    migrations: lacking(migrations.slice(1)),
  };
}

/**
 * The upgrades and migrations of this version, or the given ones, which may be upgrades themselves. Without the
 * upgrades, a hundred files, where the database has none of them.
 */
function known(rows: Row[], given?: Migration[]): [upgrades: Migration[], migrations: Migration[]] {
  const migrations = given ?? readMigrations();
  const names = new Set(migrations.map(({ name }) => name));
  if (rows.every((row) => names.has(row.migration_name))) return [[], migrations];
  const upgrades = readUpgrades();
  return [upgrades.some(({ name }) => names.has(name)) ? [] : upgrades, migrations];
}

/**
 * Throws if another application that uses Prisma records its migrations here too. Rows that this version does not know
 * are a newer version's if they come after its own.
 */
function requireOwn(rows: Row[], migrations: Migration[]): void {
  const own = new Set(migrations.map(({ name }) => name));
  const isAhead = rows.some((row) => own.has(row.migration_name));
  const [oldest = ''] = [...own].sort();
  const foreign = rows.find(({ migration_name: name }) => !own.has(name) && !(isAhead && name > oldest));
  if (!foreign) return;
  throw new MigrationError(
    `The table _prisma_migrations has the migration ${foreign.migration_name}, which is another application's. Nothing was changed: give the gateway a database of its own.`,
  );
}

/** The migrations that the engine has recorded; none on a database that it has never seen. */
async function appliedRows(database: Queryable): Promise<Row[]> {
  const { rows } = await database.query<{ exists: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists`,
  );
  if (!rows[0]?.exists) return [];
  const applied = await database
    .query<Row>(
      'SELECT migration_name, checksum, finished_at IS NOT NULL AS done FROM _prisma_migrations WHERE rolled_back_at IS NULL',
    )
    .catch((error: unknown) => {
      if ((error as { code?: string }).code !== forbidden) throw error;
      throw new MigrationError(
        `The database could not be read: ${(error as Error).message}. The role must own its database.`,
        { cause: error },
      );
    });
  return applied.rows;
}

/**
 * Runs `work` under the migration lock, on connections without the pool's statement timeout, which a migration may
 * exceed.
 */
async function withLock<T>(outer: Pool, work: (pool: pg.Pool) => Promise<T>): Promise<T> {
  const config = {
    ...connectionTo(outer.url ?? ''),
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 0,
    Client: Session,
  };
  const lock = new Session(config);
  const pool = new pg.Pool({ ...config, max: 1 });
  // Queries on a lost connection fail by themselves; without listeners Node would exit.
  pool.on('error', () => {});
  lock.on('error', () => {});
  try {
    await lock.connect();
    // A session-level lock would stay with whichever connection a pooler happened to assign.
    await lock.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL statement_timeout = 0');
    await lock.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
    return await work(pool);
  } finally {
    await pool.end();
    await lock.end();
  }
}

async function apply(
  pool: pg.Pool,
  { onStep, migrations: given, oneByOne = false }: MigrateOptions & { oneByOne?: boolean },
): Promise<string[]> {
  await markInterruptedRolledBack(pool, given);
  const pending = await pendingOf(pool, given);
  const names = namesOf(pending);
  if (names.length === 0) return [];
  onStep?.(`Applying ${names.length === 1 ? 'a migration' : `${names.length} migrations`}`);
  const engine = await openEngine(new MigratingAdapter(pool, { oneByOne }));
  const run = (list: Migration[]) => engine.applyMigrations({ migrationsList: migrationList(list), filters });
  try {
    await run(pending.upgrades);
    for (const migration of pending.recorded) {
      await engine.markMigrationApplied({
        migrationName: migration.name,
        migrationsList: migrationList([migration]),
      });
    }
    await run(pending.migrations);
    return names;
  } catch (error) {
    throw new MigrationError(`The database could not be migrated. ${reasonOf(error)}`);
  } finally {
    engine.free();
  }
}

/**
 * Marks unfinished records as rolled back. Such a record is left by a process that died before it sent the script, or
 * by a script that failed, which PostgreSQL rolled back. A script that is still running finishes its record itself, so
 * it is waited for first.
 */
async function markInterruptedRolledBack(pool: pg.Pool, given?: Migration[]): Promise<void> {
  const rows = await appliedRows(pool);
  const migrations = known(rows, given).flat();
  requireOwn(rows, migrations);
  const own = new Set(migrations.map(({ name }) => name));
  const unfinished = rows.filter((row) => !row.done && own.has(row.migration_name));
  if (unfinished.length === 0) return;
  const names = unfinished.map((row) => pg.escapeLiteral(row.migration_name)).join(', ');
  // Sent as one query, the three are one transaction: no script can start between the wait and the update.
  await pool.query(
    `SET LOCAL statement_timeout = 0; ${waitForScripts};
    UPDATE _prisma_migrations SET rolled_back_at = now() WHERE finished_at IS NULL AND rolled_back_at IS NULL
      AND migration_name IN (${names})`,
  );
}

/** The engine's message without its stack: which migration failed, and PostgreSQL's error. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const name = /migration_name="([^"]+)"/.exec(text)?.[1];
  const [words = text] = text.split(/\n\s+0: /);
  const message = /ERROR: (.*)/s.exec(words)?.[1] ?? words;
  return name ? `${name}: ${message}` : message;
}

type Server = { schema: string | null; encoding: string; standby: boolean; role: string; database: string };

/**
 * Why the gateway cannot use a database, whatever its migrations, with what to do; null if it can. Changes nothing.
 */
async function unsuitableReason(database: Queryable): Promise<string | null> {
  const { rows } = await database.query<Server>(
    `SELECT current_schema() AS schema, current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS standby,
      current_user AS role, current_database() AS database`,
  );
  const { schema, encoding, standby, role, database: name } = rows[0] as Server;
  if (standby) return `${unreadyReasons.standby} Name the primary, or all servers of the cluster, in DATABASE_URL.`;
  if (encoding !== 'UTF8') {
    return `The database "${name}" stores texts as ${encoding}, which lacks most characters. Create another one: CREATE DATABASE parley ENCODING 'UTF8' TEMPLATE template0.`;
  }
  if (schema !== 'public') {
    const found = schema === null ? 'no schema' : `the schema "${schema}"`;
    return `The gateway's tables live in the schema public, but ${found} comes first for the role "${role}". Give the gateway a database of its own, and leave search_path out of DATABASE_URL or run: ALTER ROLE ${quoted(role)} IN DATABASE ${quoted(name)} SET search_path = public.`;
  }
  return null;
}
