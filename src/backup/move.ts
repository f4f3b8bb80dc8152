import { readApplied, readSequences, readTables } from '../database/copy/catalog.ts';
import { readTable } from '../database/copy/read.ts';
import { type CopyDatabase, type CopySession, inTransaction } from '../database/copy/session.ts';
import { movedRefusal, movedTable, moveLock } from '../database/copy/usable.ts';
import { movedState } from '../database/errors.ts';
import { presenceTables, requireNoGateways } from '../database/serving/presence.ts';
import { quoted } from '../database/sql.ts';
import type { Storage } from '../storage/types.ts';
import { moveFiles, readFileRows } from './files.ts';
import { fill } from './fill.ts';

type MoveOptions = {
  /** Identifies the source: a move that was interrupted must not be completed from another database. */
  id: string;
  source: CopyDatabase;
  target: CopyDatabase;
  from: Storage;
  /** Null: the files stay where they are, and are checked there. */
  to: Storage | null;
  onStep: (text: string) => void;
  /** Begins the transaction that reads the source: keeps others from writing to these tables until it ends. */
  lock: (session: CopySession, tables: string[]) => Promise<void>;
  /** Marks the source as moved, within that transaction, once the target has everything. */
  mark: (session: CopySession) => Promise<void>;
};

export type Moved = { tables: number; rows: number; files: number; missing: string[] };

/**
 * Copies everything to another, empty database, which stays closed to gateways, and marks the source as moved. Until
 * then, the source is as it was. After an interruption, call it again: tables that have not changed since are not
 * copied again.
 */
export function moveData({ id, source, target, from, to, onStep, lock, mark }: MoveOptions): Promise<Moved> {
  return source.session(async (session) => {
    // Read before the transaction: its snapshot must begin after the locks.
    const names = [...(await readTables(session)).map(({ name }) => name), ...(await presenceTables(session))];
    return inTransaction(session, 'ISOLATION LEVEL REPEATABLE READ', async () => {
      await lock(session, names);
      const migrations = await readApplied(session);
      if (migrations.length === 0) throw new Error('The database is empty: there is nothing to move.');
      const found = await readTables(session);
      const tables = found.map((table) => ({ ...table, expected: null, read: () => readTable(session, table) }));
      const sequences = await readSequences(session);
      const contents = await fill({ target, source: { id, migrations, tables, sequences }, onStep });
      onStep(to ? 'Copying the files of attachments' : 'Checking the files of attachments');
      const files = await readFileRows(session);
      const missing = await moveFiles(from, files, to);
      await mark(session);
      const rows = contents.reduce((sum, content) => sum + content.rows, 0);
      return { tables: tables.length, rows, files: files.length, missing };
    });
  });
}

/** The target that a database was moved to; null if it was not. */
export async function readServerMark(session: CopySession): Promise<string | null> {
  const { rows } = await session.query<{ exists: boolean }>('SELECT to_regclass($1) IS NOT NULL AS exists', [
    movedTable,
  ]);
  if (!rows[0]?.exists) return null;
  return (await session.query<{ target: string }>(`SELECT target FROM ${movedTable}`)).rows[0]?.target ?? '';
}

/**
 * In the transaction that copies the data. Once this is committed, no gateway starts on the database, and none that was
 * not found writes to it: its statements fail as `movedState`.
 */
export async function markServer(session: CopySession, target: string): Promise<void> {
  await session.query(`CREATE TABLE ${movedTable} (target text NOT NULL, at timestamp NOT NULL)`);
  await session.query(`INSERT INTO ${movedTable} VALUES ($1, now() AT TIME ZONE 'UTC')`, [target]);
  await session.query(`CREATE FUNCTION ${movedRefusal}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'The data of this database was moved to another one.' USING ERRCODE = '${movedState}'; END $$`);
  for (const { name } of await readTables(session)) {
    // Two, since Citus leaves those of TRUNCATE out on its nodes.
    for (const event of ['INSERT OR UPDATE OR DELETE', 'TRUNCATE']) {
      const trigger = event === 'TRUNCATE' ? `${movedRefusal}_truncate` : movedRefusal;
      await session.query(`CREATE TRIGGER ${trigger} BEFORE ${event} ON ${quoted(name)}
        FOR EACH STATEMENT EXECUTE FUNCTION ${movedRefusal}()`);
    }
  }
}

/**
 * Keeps everybody from writing to a PostgreSQL database until the transaction ends, also gateways from becoming known.
 * Throws if one serves it: it would go on writing to the old database afterwards. One that starts later finds the lock.
 */
export async function lockServer(session: CopySession, tables: string[]): Promise<void> {
  await session.query(`SET LOCAL lock_timeout = '10s'`);
  // First of all, since any SELECT would begin the snapshot.
  if (tables.length > 0) await session.query(`LOCK TABLE ${tables.map(quoted).join(', ')} IN SHARE MODE`);
  const { rows } = await session.query<{ free: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS free', [moveLock]);
  if (!rows[0]?.free) throw new Error('The data of this database is being moved by another process.');
  await requireNoGateways(session);
  // Those of versions that do not make themselves known.
  const gateways = await session.query<{ address: string }>(
    `SELECT DISTINCT coalesce(host(client_addr), 'this machine') AS address FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'parley'`,
  );
  if (gateways.rows.length === 0) return;
  const addresses = gateways.rows.map(({ address }) => address).join(', ');
  throw new Error(`Gateways are connected to the database, from ${addresses}: stop all of them first.`);
}
