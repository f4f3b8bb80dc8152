import pg from 'pg';
import type { DatabaseHandle } from '../client.ts';
import { globalTables } from '../global-tables.ts';
import { connectionTo } from '../postgres.ts';
import { requireNoGateways } from '../serving/presence.ts';

/** The database cannot be distributed; the message says what to do. */
export class DistributionError extends Error {
  override name = 'DistributionError';
}

type DistributeOptions = {
  /** Into how many shards each table is divided. */
  shards: number;
  /** Called before each step. */
  onStep?: (text: string) => void;
};
/** `isUpgrade`: gateways may serve, since they do not know the tables with rows yet. */
type InternalOptions = DistributeOptions & { isUpgrade?: boolean };
/**
 * Where the tables stand: by what each of those on all nodes is divided, those copied to each, those on the
 * coordinator.
 */
type Distribution = { distributed: string[]; copied: string[]; local: string[] };

/** The most shards: each is a table with its indexes, of each of our tables. */
export const maxShards = 1_024;
/** The first version whose reference tables, triggers and metadata on all nodes are as this needs them. */
const minVersion = 12;

/** The table that all nodes have a copy of. */
const copied = 'User';
/** The statements that restore references and triggers: a run that was killed leaves them for the next. */
const pending = '_distribution';

/**
 * Distributes the tables over the nodes of a Citus cluster: `Workspace` by its id, the workspaces' tables beside it by
 * `workspaceId`, and a copy of `User` on each node. Small tables of the gateway itself and the queue stay on the
 * coordinator. The rows of a table move with it. Each step leaves what is done already, so that it can be run again:
 * after a run that was killed, after a migration that adds tables, and when a node was added. Throws
 * `DistributionError` if there is no cluster, or gateways serve the rows.
 */
async function distributeTables(client: pg.ClientBase, options: InternalOptions): Promise<Distribution> {
  const { shards, onStep, isUpgrade = false } = options;
  await client.query(`SET statement_timeout = 0; SET search_path = public; SET client_min_messages = warning`);
  await requireCluster(client);
  // Another run, or a gateway that starts meanwhile, waits, and finds what is done.
  await client.query(`SELECT pg_advisory_lock(hashtextextended('${pending}', 0))`);
  const tables = await localTables(client);
  const moving = await tablesWithRows(client, tables);
  if (moving.length > 0 && !isUpgrade) await announceMove(client, moving, onStep);
  const { rows } = await client.query<{ name: string }>('SELECT current_database() AS name');
  await configureDatabase(client, rows[0]?.name ?? '');
  await makeCasts(client);
  const names = tables.map(({ name }) => name);
  await setAside(client, names, moving);
  for (const { name, column } of tables) {
    onStep?.(column ? `Distributing ${name} by ${column}` : `Copying ${name} to all nodes`);
    await client.query('BEGIN');
    await client.query(
      column
        ? `SELECT create_distributed_table($1, '${column}', ${name === 'Workspace' ? `shard_count => ${shards}, colocate_with => 'none'` : `colocate_with => '"Workspace"'`})`
        : 'SELECT create_reference_table($1)',
      [`"${name}"`],
    );
    // Citus copies the rows, and leaves those on the coordinator.
    if (moving.includes(name))
      await client.query('SELECT truncate_local_data_after_distributing_table($1)', [`"${name}"`]);
    await client.query('COMMIT');
  }
  await spreadFunctions(client);
  await restoreAside(client, onStep);
  return distributionOf(client);
}

async function requireCluster(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ version: string }>(
    `SELECT extversion AS version FROM pg_extension WHERE extname = 'citus'`,
  );
  const version = rows[0]?.version;
  if (!version) {
    throw new DistributionError(
      'The database has no extension citus: run CREATE EXTENSION citus in it, on the coordinator and on each node, and add the nodes with citus_add_node.',
    );
  }
  if (Number.parseInt(version, 10) < minVersion) {
    throw new DistributionError(`Citus ${version} is too old: update it to ${minVersion} or newer.`);
  }
  const nodes = await client.query(
    `SELECT FROM pg_dist_node WHERE isactive AND noderole = 'primary' AND shouldhaveshards`,
  );
  if (!nodes.rowCount) {
    throw new DistributionError('The cluster has no node for rows: add one with SELECT citus_add_node(host, port).');
  }
}

/**
 * What every session of a distributed database needs. Our triggers read and write rows of the same workspace, which
 * are on the same node. A statement over many shards goes from one to the next, since the table on all nodes cannot be
 * changed after one that did them side by side. The rest is what the gateway sets for its sessions, of which Citus
 * sends the nodes none: they compute days and write times. Citus makes them settings of the nodes' databases, too, also
 * of those that are added later.
 */
const sessionSettings = {
  'citus.enable_unsafe_triggers': 'on',
  'citus.multi_shard_modify_mode': 'sequential',
  TimeZone: 'UTC',
  DateStyle: 'ISO',
  standard_conforming_strings: 'on',
};

/** Makes the settings those of a database, given a connection to any database of its server, and of the connection. */
export async function configureDatabase(client: pg.ClientBase, name: string): Promise<void> {
  for (const [setting, value] of Object.entries(sessionSettings)) {
    await client.query(`ALTER DATABASE "${name}" SET ${setting} = '${value}'; SET ${setting} = '${value}'`);
  }
}

type Connected = Pick<DatabaseHandle, 'pool'>;
type Table = { name: string; column: string | null };

const localTablesSql = `
  SELECT c.relname AS name, c.relkind = 'p' AS "isPartitioned" FROM pg_class c
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND NOT EXISTS (SELECT FROM pg_dist_partition d WHERE d.logicalrelid = c.oid)
    AND (c.relname IN ('${copied}', 'Workspace') OR c.relname <> ALL ($1) AND EXISTS (
      SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'workspaceId'))
  ORDER BY c.relname <> '${copied}', c.relname <> 'Workspace', c.relname`;
const hasSettingsSql = `
  EXISTS (SELECT FROM pg_db_role_setting JOIN pg_database d ON d.oid = setdatabase
    WHERE d.datname = current_database() AND setrole = 0 AND setconfig @> $2)`;
const enumsWithoutCastSql = `
  SELECT t.typname AS name FROM pg_type t WHERE t.typtype = 'e' AND t.typnamespace = 'public'::regnamespace
    AND NOT EXISTS (SELECT FROM pg_cast c WHERE c.castsource = 'text'::regtype AND c.casttarget = t.oid) ORDER BY 1`;

/** The tables that are not distributed yet, in the order in which they can be. */
async function localTables(client: pg.ClientBase): Promise<Table[]> {
  const { rows } = await client.query<{ name: string; isPartitioned: boolean }>(localTablesSql, [
    Object.keys(globalTables),
  ]);
  if (rows.some(({ isPartitioned }) => isPartitioned)) {
    throw new DistributionError(
      'The tables are partitioned: distribute a new database, and move the data there. Shards take the place of partitions.',
    );
  }
  return rows.map(({ name }) => ({
    name,
    column: name === copied ? null : name === 'Workspace' ? 'id' : 'workspaceId',
  }));
}

async function tablesWithRows(client: pg.ClientBase, tables: Table[]): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of tables) {
    const { rowCount } = await client.query(`SELECT FROM "${name}" LIMIT 1`);
    if (rowCount) found.push(name);
  }
  return found;
}

/** Says what is to be moved. Throws `DistributionError` if gateways serve it: their requests would wait, and fail. */
async function announceMove(client: pg.ClientBase, names: string[], onStep: DistributeOptions['onStep']) {
  await requireNoGateways({ kind: 'postgres', query: (text) => client.query(text) }).catch((error: unknown) => {
    throw new DistributionError((error as Error).message);
  });
  const { rows } = await client.query<{ size: string }>(
    'SELECT pg_size_pretty(sum(pg_total_relation_size(name::regclass))) AS size FROM unnest($1::text[]) AS name',
    [names.map((name) => `"${name}"`)],
  );
  const tables = names.length === 1 ? 'a table' : `${names.length} tables`;
  onStep?.(`Moving the rows of ${tables}, ${rows[0]?.size} with indexes: each table is locked while it is copied`);
}

/**
 * Makes functions known to all nodes which Citus has not spread by itself: those that the functions of triggers call,
 * and those that depend on a table.
 */
async function spreadFunctions(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT p.oid::regprocedure::text AS name FROM pg_proc p
     WHERE p.pronamespace = 'public'::regnamespace AND p.prokind = 'f'
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e')
       AND NOT EXISTS (SELECT FROM pg_dist_object o WHERE o.objid = p.oid AND o.classid = 'pg_proc'::regclass)
     ORDER BY 1`,
  );
  for (const { name } of rows) await client.query('SELECT create_distributed_function($1)', [name]);
}

/**
 * Casts between enums and text by functions that are immutable, as they are in truth: PostgreSQL's own count as stable,
 * and Citus accepts none in RETURNING and ON CONFLICT, where Prisma writes them. Only here, since they take 0.6 µs
 * more.
 */
async function makeCasts(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string }>(enumsWithoutCastSql);
  for (const { name } of rows) {
    const kind = 'LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE';
    // By way of varchar, since a function of a cast would call itself.
    await client.query(
      `CREATE OR REPLACE FUNCTION "textOf"("${name}") RETURNS text ${kind} AS $$ BEGIN RETURN $1::varchar; END $$`,
    );
    await client.query(
      `CREATE OR REPLACE FUNCTION "${name}Of"(text) RETURNS "${name}" ${kind} AS $$ BEGIN RETURN $1::varchar::"${name}"; END $$`,
    );
    // That of a run that was killed before the other.
    await client.query(`DROP CAST IF EXISTS ("${name}" AS text)`);
    await client.query(`CREATE CAST ("${name}" AS text) WITH FUNCTION "textOf"("${name}") AS ASSIGNMENT`);
    await client.query(`CREATE CAST (text AS "${name}") WITH FUNCTION "${name}Of"(text)`);
  }
}

/**
 * Drops the references of tables that are to be distributed, and disables the triggers of those whose rows move, which
 * would run for each. Writes down how to restore both.
 */
async function setAside(client: pg.ClientBase, names: string[], moving: string[]): Promise<void> {
  const { rows } = await client.query<{ table: string; name: string }>(
    `SELECT conrelid::regclass::text AS table, quote_ident(conname) AS name FROM pg_constraint
     WHERE contype = 'f' AND (conrelid = ANY ($1::regclass[]) OR confrelid = ANY ($1::regclass[])) ORDER BY 1, 2`,
    [names.map((name) => `"${name}"`)],
  );
  await client.query('BEGIN');
  await client.query(`CREATE TABLE IF NOT EXISTS "${pending}" ("statement" text PRIMARY KEY)`);
  for (const { table, name } of rows) {
    await client.query(
      `INSERT INTO "${pending}" SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
       FROM pg_constraint WHERE conrelid = $1::regclass AND quote_ident(conname) = $2`,
      [table, name],
    );
    await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
  }
  for (const name of moving) {
    await client.query(`INSERT INTO "${pending}" VALUES ($1) ON CONFLICT DO NOTHING`, [
      `ALTER TABLE "${name}" ENABLE TRIGGER USER`,
    ]);
    await client.query(`ALTER TABLE "${name}" DISABLE TRIGGER USER`);
  }
  await client.query('COMMIT');
}

/** Restores what was set aside; a reference that a killed run made and did not strike off is made anew. */
async function restoreAside(client: pg.ClientBase, onStep: DistributeOptions['onStep']): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(`SELECT "statement" FROM "${pending}" ORDER BY 1`);
  const references = rows.filter(({ statement }) => statement.includes(' ADD CONSTRAINT ')).length;
  if (references > 0) onStep?.(`Making ${references === 1 ? 'a reference' : `${references} references`} again`);
  for (const { statement } of rows) {
    await client.query('BEGIN');
    await client.query(statement);
    await client.query(`DELETE FROM "${pending}" WHERE "statement" = $1`, [statement]);
    await client.query('COMMIT');
  }
  await client.query(`DROP TABLE "${pending}"`);
}

async function distributionOf(client: pg.ClientBase): Promise<Distribution> {
  const { rows } = await client.query<{ name: string; method: 'h' | 'n' | null }>(
    `SELECT c.relname AS name, d.partmethod AS method FROM pg_class c LEFT JOIN pg_dist_partition d ON d.logicalrelid = c.oid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' ORDER BY 1`,
  );
  const of = (method: string | null) => rows.filter((row) => row.method === method).map(({ name }) => name);
  return { distributed: of('h'), copied: of('n'), local: of(null) };
}

/** `distributeTables` on a connection of its own, without the pool's statement timeout. */
export async function distributeDatabase({ pool }: Connected, options: InternalOptions): Promise<Distribution> {
  const client = new pg.Client(connectionTo(pool.url ?? ''));
  await client.connect();
  try {
    return await distributeTables(client, options);
  } finally {
    await client.end();
  }
}

/** Whether the workspaces are distributed over the nodes of a cluster. */
export async function areTablesDistributed({ pool }: Connected): Promise<boolean> {
  if (!pool.isDistributed) return false;
  const { rowCount } = await pool.query(
    `SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass('"Workspace"')`,
  );
  return rowCount === 1;
}

/** Distributes what a migration has added, or a run that was killed has left, if there is something. */
export async function distributeAdded(handle: Connected, { onStep }: Pick<DistributeOptions, 'onStep'>): Promise<void> {
  if (!(await isDistributionPending(handle))) return;
  await distributeDatabase(handle, { shards: 0, isUpgrade: true, ...(onStep && { onStep }) });
}

/** Whether there are tables, references, enums or settings that `distributeDatabase` would do something about. */
export async function isDistributionPending({ pool }: Connected): Promise<boolean> {
  const { rows } = await pool.query<{ isPending: boolean }>(
    `SELECT to_regclass('"${pending}"') IS NOT NULL OR EXISTS (${localTablesSql}) OR EXISTS (${enumsWithoutCastSql})
       OR NOT ${hasSettingsSql} AS "isPending"`,
    [Object.keys(globalTables), Object.entries(sessionSettings).map(([name, value]) => `${name}=${value}`)],
  );
  return rows[0]?.isPending ?? false;
}
