import { presenceTables, requireNoGateways } from '../serving/presence.ts';
import { quoted } from '../sql.ts';
import { columnsOf, type Sequence, type Table } from './catalog.ts';
import { type Content, hashed, RowHash } from './row-hash.ts';
import { type CopySession, inTransaction } from './session.ts';

/**
 * Exists while a database is being filled: what was loaded so far, and which foreign keys are missing. No gateway
 * starts on such a database.
 */
export const loadingSchema = 'parley_restore';

/** `source` identifies what the database is filled from, `loaded` what it has of each table. */
type LoadState = { source: string; loaded: Map<string, Content> };

/** Returns how far an interrupted load came; null if there is none. */
export async function readLoadState(session: CopySession): Promise<LoadState | null> {
  const { rows } = await session.query<{ exists: boolean }>('SELECT to_regnamespace($1) IS NOT NULL AS exists', [
    loadingSchema,
  ]);
  if (!rows[0]?.exists) return null;
  const source = await session.query<{ id: string }>(`SELECT id FROM ${loadingSchema}.source`);
  const loaded = await session.query<{ name: string; rows: string; hash: string }>(
    `SELECT name, rows::text, hash FROM ${loadingSchema}.loaded`,
  );
  return {
    source: source.rows[0]?.id ?? '',
    loaded: new Map(loaded.rows.map(({ name, rows, hash }) => [name, { rows: Number(rows), hash }])),
  };
}

/** Closes a database, which may have no tables yet, to gateways. Throws if one serves it. */
export function announceLoad(session: CopySession, source: string): Promise<void> {
  return inTransaction(session, '', async () => {
    // A gateway that becomes known later waits for this transaction, and finds the schema.
    for (const name of await presenceTables(session)) await session.query(`LOCK TABLE ${quoted(name)} IN SHARE MODE`);
    await requireNoGateways(session);
    await session.query(`
      CREATE SCHEMA ${loadingSchema};
      CREATE TABLE ${loadingSchema}.source (id text PRIMARY KEY);
      CREATE TABLE ${loadingSchema}.loaded (name text PRIMARY KEY, rows bigint, hash text);
      CREATE TABLE ${loadingSchema}.foreign_key (owner text, name text, definition text)`);
    await session.query(`INSERT INTO ${loadingSchema}.source VALUES ($1)`, [source]);
  });
}

/**
 * Begins or resumes filling an announced database: removes its foreign keys, so that tables may be loaded in any order,
 * and disables its triggers, whose effects are rows of the source. Needs no superuser, only the owner of the tables.
 */
export function beginLoad(session: CopySession, tables: Table[]): Promise<void> {
  return inTransaction(session, '', async () => {
    await session.query(`
      INSERT INTO ${loadingSchema}.foreign_key
        SELECT conrelid::regclass, conname, pg_get_constraintdef(con.oid)
        FROM pg_constraint AS con JOIN pg_namespace AS space ON space.oid = connamespace
        WHERE contype = 'f' AND conparentid = 0 AND nspname = current_schema()`);
    const { rows } = await session.query<{ drop: string }>(
      `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', owner, name) AS drop
      FROM ${loadingSchema}.foreign_key JOIN pg_constraint ON conrelid = owner::regclass AND conname = name`,
    );
    for (const { drop } of rows) await session.query(drop);
    for (const { name } of tables) await session.query(`ALTER TABLE ${quoted(name)} DISABLE TRIGGER USER`);
  });
}

/** Fills one table, and records that in the same transaction. Throws, and loads nothing, unless `verify` returns. */
export function loadTable(
  session: CopySession,
  table: Table,
  chunks: AsyncIterable<Buffer>,
  verify: (content: Content) => void,
): Promise<Content> {
  return inTransaction(session, '', async () => {
    const hash = new RowHash();
    await session.query(`TRUNCATE ${quoted(table.name)}`);
    await session.copyIn(`${quoted(table.name)} (${columnsOf(table)})`, hashed(chunks, hash));
    const { content } = hash;
    verify(content);
    await session.query(
      `INSERT INTO ${loadingSchema}.loaded VALUES ($1, $2, $3)
      ON CONFLICT (name) DO UPDATE SET rows = excluded.rows, hash = excluded.hash`,
      [table.name, content.rows, content.hash],
    );
    return content;
  });
}

/**
 * Restores sequences, triggers and foreign keys, which verifies every reference. The database stays closed to gateways.
 */
export function sealLoad(session: CopySession, tables: Table[], sequences: Sequence[]): Promise<void> {
  return inTransaction(session, '', async () => {
    for (const { name, value } of sequences) {
      if (value !== null) await session.query('SELECT setval($1::regclass, $2)', [quoted(name), value]);
    }
    for (const { name } of tables) await session.query(`ALTER TABLE ${quoted(name)} ENABLE TRIGGER USER`);
    const { rows } = await session.query<{ add: string }>(
      `SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', owner, name, definition) AS add
      FROM ${loadingSchema}.foreign_key`,
    );
    for (const { add } of rows) await session.query(add);
    await session.query(`DELETE FROM ${loadingSchema}.foreign_key`);
  });
}

/** Opens a sealed database to gateways. */
export async function endLoad(session: CopySession): Promise<void> {
  await session.query(`DROP SCHEMA ${loadingSchema} CASCADE`);
}
