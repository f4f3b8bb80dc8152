import pg from 'pg';
import type { DatabaseHandle } from '../client.ts';
import { globalTables } from '../global-tables.ts';
import { connectionTo } from '../postgres.ts';

/** The database cannot be partitioned; the message says what to do. */
export class PartitionError extends Error {
  override name = 'PartitionError';
}

/** What a table has besides its columns, as statements that create it again. */
type Definition = {
  name: string;
  keys: { name: string; text: string }[];
  references: { table: string; name: string; text: string }[];
  indexes: string[];
  triggers: string[];
  sequences: { name: string; column: string }[];
};

/** The most partitions: planning takes longer with each, and every partition is a file for each of its indexes. */
export const maxPartitions = 256;

/**
 * Replaces the workspaces' tables by empty ones that are partitioned by a hash of `workspaceId`, with the same columns,
 * constraints, indexes and triggers, in one transaction. Tables that are partitioned already stay as they are, so it
 * can be run again after a migration that adds tables. Returns the names of the replaced tables. Throws
 * `PartitionError` if one of them has rows.
 */
async function partitionTables(client: pg.ClientBase, partitions: number): Promise<string[]> {
  await client.query('BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL search_path = public');
  try {
    const names = await plainTables(client);
    for (const name of names) await refuseRows(client, name);
    const definitions: Definition[] = [];
    for (const name of names) definitions.push(await definitionOf(client, name));
    for (const { table, name } of referencesOf(definitions)) {
      await client.query(`ALTER TABLE "${table}" DROP CONSTRAINT "${name}"`);
    }
    for (const definition of definitions) await replaceTable(client, definition, partitions);
    for (const { table, name, text } of referencesOf(definitions)) {
      await client.query(`ALTER TABLE "${table}" ADD CONSTRAINT "${name}" ${text}`);
    }
    await client.query('COMMIT');
    return names;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

/** The workspaces' tables that are not partitioned. */
async function plainTables(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'workspaceId'
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND NOT c.relispartition
       AND c.relname <> ALL ($1) ORDER BY 1`,
    [Object.keys(globalTables)],
  );
  return rows.map(({ name }) => name);
}

async function refuseRows(client: pg.ClientBase, name: string): Promise<void> {
  await client.query(`LOCK TABLE "${name}" IN ACCESS EXCLUSIVE MODE`);
  const { rowCount } = await client.query(`SELECT FROM "${name}" LIMIT 1`);
  if (rowCount) {
    throw new PartitionError(
      `The table ${name} has rows, and only empty tables can be partitioned. Partition a new database, before the gateway's first start, and move the data there.`,
    );
  }
}

async function definitionOf(client: pg.ClientBase, name: string): Promise<Definition> {
  const table = `'"${name}"'::regclass`;
  const read = async <Row extends object>(text: string): Promise<Row[]> => (await client.query<Row>(text)).rows;
  return {
    name,
    keys: await read(
      `SELECT conname AS name, pg_get_constraintdef(oid) AS text FROM pg_constraint
       WHERE conrelid = ${table} AND contype IN ('p', 'u', 'x') ORDER BY contype, conname`,
    ),
    references: await read(
      `SELECT conrelid::regclass::text AS table, conname AS name, pg_get_constraintdef(oid) AS text FROM pg_constraint
       WHERE contype = 'f' AND conparentid = 0 AND ${table} IN (conrelid, confrelid) ORDER BY conname`,
    ).then((rows) =>
      (rows as Definition['references']).map((row) => ({ ...row, table: row.table.replaceAll('"', '') })),
    ),
    indexes: (
      await read<{ text: string }>(
        `SELECT pg_get_indexdef(x.indexrelid) AS text FROM pg_index x WHERE x.indrelid = ${table}
           AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = x.indexrelid AND k.conrelid = ${table})`,
      )
    ).map(({ text }) => text),
    triggers: (
      await read<{ text: string }>(
        `SELECT pg_get_triggerdef(oid) AS text FROM pg_trigger WHERE tgrelid = ${table} AND NOT tgisinternal ORDER BY tgname`,
      )
    ).map(({ text }) => text),
    sequences: await read(
      `SELECT s.relname AS name, a.attname AS column FROM pg_depend d
       JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S'
       JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
       WHERE d.refobjid = ${table} AND d.deptype = 'a'`,
    ),
  };
}

/** The references from and to these tables, each once. */
const referencesOf = (definitions: Definition[]): Definition['references'] => [
  ...new Map(
    definitions.flatMap(({ references }) => references.map((each) => [`${each.table} ${each.name}`, each] as const)),
  ).values(),
];

async function replaceTable(client: pg.ClientBase, definition: Definition, partitions: number): Promise<void> {
  const { name, keys, indexes, triggers, sequences } = definition;
  const statements = [
    // A sequence would be dropped with the column that owns it.
    ...sequences.map((sequence) => `ALTER SEQUENCE "${sequence.name}" OWNED BY NONE`),
    `ALTER TABLE "${name}" RENAME TO "${name} plain"`,
    `CREATE TABLE "${name}" (LIKE "${name} plain" INCLUDING ALL EXCLUDING INDEXES) PARTITION BY HASH ("workspaceId")`,
    `DROP TABLE "${name} plain"`,
    ...Array.from(
      { length: partitions },
      (_, remainder) =>
        `CREATE TABLE "${name}_p${remainder}" PARTITION OF "${name}" FOR VALUES WITH (MODULUS ${partitions}, REMAINDER ${remainder})`,
    ),
    ...sequences.map((sequence) => `ALTER SEQUENCE "${sequence.name}" OWNED BY "${name}"."${sequence.column}"`),
    ...keys.map((key) => `ALTER TABLE "${name}" ADD CONSTRAINT "${key.name}" ${key.text}`),
    ...indexes,
    ...triggers,
  ];
  for (const statement of statements) await client.query(statement);
}

/** `partitionTables` on a connection of its own, without the pool's statement timeout. */
export async function partitionDatabase({ pool }: Pick<DatabaseHandle, 'pool'>, partitions: number): Promise<string[]> {
  const client = new pg.Client(connectionTo(pool.url ?? ''));
  await client.connect();
  try {
    return await partitionTables(client, partitions);
  } finally {
    await client.end();
  }
}
