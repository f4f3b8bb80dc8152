import { randomBytes } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { type DatabaseHandle, openDatabase } from '../../../src/database/client.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { migrationOf } from '../../../src/database/migrations.ts';
import { onServer, withDatabase } from '../../support/database/database.ts';

const server = process.env.TEST_DATABASE_URL;
const name = `parley_suitable_${randomBytes(4).toString('hex')}`;
let handle: DatabaseHandle;

/** Opens a new database, made so, after `prepare` has run in it. */
async function opened(options: string, prepare = ''): Promise<void> {
  const url = withDatabase(server ?? '', name);
  await onServer(server ?? '', (client) => client.query(`CREATE DATABASE ${name} ${options}`));
  await onServer(url, (client) => client.query(prepare));
  handle = await openDatabase({ databaseUrl: url, dataDir: '' });
}

/** The tables and failed migrations that a refused start leaves. */
const left = async () => {
  const { rows } = await handle.pool.query<{ tables: string[] }>(
    `SELECT coalesce(array_agg(schemaname || '.' || tablename ORDER BY 1), '{}') AS tables FROM pg_tables
    WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  return rows[0]?.tables;
};

afterEach(async () => {
  await handle?.close();
  if (server) await onServer(server, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
});

const ledger = `CREATE TABLE _prisma_migrations (id varchar(36) PRIMARY KEY, checksum varchar(64) NOT NULL,
  finished_at timestamptz, migration_name varchar(255) NOT NULL, logs text, rolled_back_at timestamptz,
  started_at timestamptz NOT NULL DEFAULT now(), applied_steps_count int NOT NULL DEFAULT 0);`;

test.runIf(server)('a database that is not UTF-8 is refused before the first migration', async () => {
  await opened("ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
  await expect(migrate(handle)).rejects.toThrow(/stores texts as LATIN1.*ENCODING 'UTF8'/);
  expect(await left()).toEqual([]);
});

test.runIf(server)('a schema other than public is refused before the first migration', async () => {
  await opened('', `CREATE SCHEMA other; ALTER DATABASE ${name} SET search_path = other, public`);
  await expect(migrate(handle)).rejects.toThrow(/the schema "other" comes first.*SET search_path = public/);
  expect(await left()).toEqual([]);
});

test.runIf(server).each([
  ['applied', 'now()'],
  ['failed', 'NULL'],
])('migrations of another application, %s, are refused and left as they are', async (_, finished) => {
  const row = `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
    VALUES ('1', '', '20240101000000_shop', ${finished})`;
  await opened('', `${ledger} ${row}`);
  await expect(migrate(handle)).rejects.toThrow(/20240101000000_shop, which is another application's/);
  const { rows } = await handle.pool.query('SELECT rolled_back_at FROM _prisma_migrations');
  expect([rows, await left()]).toEqual([[{ rolled_back_at: null }], ['public._prisma_migrations']]);
});

test.runIf(server)('another application that arrives later is refused too, and our own is tried again', async () => {
  await opened('');
  const [first, second] = ['20260101000000_first', '20260102000000_second'].map((id) => migrationOf(id, 'SELECT 1'));
  await migrate(handle, { migrations: first ? [first] : [] });
  const begin = (migration: string) =>
    handle.pool.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES (gen_random_uuid(), '', $1)`,
      [migration],
    );
  await begin('20260102000000_second');
  expect(await migrate(handle, { migrations: first && second ? [first, second] : [] })).toEqual([second?.name]);
  await begin('20240101000000_shop');
  await expect(migrate(handle)).rejects.toThrow("another application's");
});
