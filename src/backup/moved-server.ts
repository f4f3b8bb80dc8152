import { quoted, readTables } from '../database/copy/catalog.ts';
import type { CopySession } from '../database/copy/session.ts';
import { movedRefusal, movedTable, moveLock } from '../database/copy/usable.ts';
import { movedState } from '../database/errors.ts';
import { requireNoGateways } from '../database/serving/presence.ts';

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
