import { readMigrations, readUpgrades } from '../migrations.ts';
import { quoted } from '../sql.ts';
import type { CopySession } from './session.ts';

export type Table = { name: string; columns: string[] };
/** `value`: the last one that was used; null if none was. */
export type Sequence = { name: string; value: string | null };

/** Names a table's columns for SQL. */
export const columnsOf = ({ columns }: Table): string => columns.map(quoted).join(', ');

/** Whether a relation was created by an extension, which creates it elsewhere too. */
const ofExtension = (oid: string): string =>
  `EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = ${oid} AND deptype = 'e')`;

/**
 * The tables of the gateway's schema, by name, without those that a copy does not contain: Prisma's record of
 * migrations, which migrating creates, and unlogged tables, which a crash empties too. The job queue has a schema of
 * its own.
 */
export async function readTables(session: CopySession): Promise<Table[]> {
  const { rows } = await session.query<Table>(`
    SELECT class.relname AS name, array_agg(attname::text ORDER BY attnum) AS columns
    FROM pg_class AS class JOIN pg_namespace AS space ON space.oid = relnamespace
    JOIN pg_attribute ON attrelid = class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
    WHERE nspname = current_schema() AND relkind IN ('r', 'p') AND NOT relispartition AND relpersistence = 'p'
      AND relname NOT IN ('_prisma_migrations', 'parley_moved')
      AND NOT ${ofExtension('class.oid')}
    GROUP BY class.oid, relname ORDER BY relname COLLATE "C"`);
  return rows;
}

/**
 * The sequences of the gateway's schema, without those of extensions. Read after a snapshot begins, they cover all
 * numbers in it.
 */
export async function readSequences(session: CopySession): Promise<Sequence[]> {
  const { rows } = await session.query<Sequence>(
    `SELECT sequencename::text AS name, last_value::text AS value FROM pg_sequences
    WHERE schemaname = current_schema() AND NOT ${ofExtension("format('%I.%I', schemaname, sequencename)::regclass")}
    ORDER BY sequencename COLLATE "C"`,
  );
  return rows;
}

/**
 * The migrations that make the schema that a database has, oldest first; none on an empty one. Without the upgrades of
 * one that has them all: the migration that stands for them makes the same.
 */
export async function readApplied(session: CopySession): Promise<{ name: string; checksum: string }[]> {
  const { rows } = await session.query<{ exists: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists`,
  );
  if (!rows[0]?.exists) return [];
  const applied = await session.query<{ name: string; checksum: string }>(
    `SELECT migration_name AS name, checksum FROM _prisma_migrations
    WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY 1`,
  );
  const [first] = readMigrations();
  if (applied.rows.every(({ name }) => name !== first?.name)) return applied.rows;
  const upgrades = new Set(readUpgrades().map(({ name }) => name));
  return applied.rows.filter(({ name }) => !upgrades.has(name));
}

/** The first of the tables that has a row; null if all are empty. */
export async function firstWithRows(session: CopySession, tables: Table[]): Promise<string | null> {
  for (const { name } of tables) {
    const { rowCount } = await session.query(`SELECT FROM ${quoted(name)} LIMIT 1`);
    if (rowCount) return name;
  }
  return null;
}
