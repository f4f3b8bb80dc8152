import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import type { DatabaseHandle } from '../../src/database/client.ts';
import { migrate, pendingMigrations } from '../../src/database/migrate.ts';
import { migrationOf, readMigrations } from '../../src/database/migrations.ts';
import { databaseUnready } from '../../src/database/readiness.ts';
import { unreadyReasons } from '../../src/database/serving/reasons.ts';
import { onServer, testDatabase, withDatabase } from '../support/database/database.ts';

let handle: DatabaseHandle;
afterEach(() => handle.close());

/** An empty database, without migrations. */
async function untouched(): Promise<DatabaseHandle> {
  handle = await testDatabase();
  await handle.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  return handle;
}

const names = async (): Promise<string[]> => {
  const { rows } = await handle.pool.query<{ migration_name: string }>(
    'SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL ORDER BY 1',
  );
  return rows.map((row) => row.migration_name);
};
const exists = async (table: string): Promise<boolean> =>
  (await handle.pool.query(`SELECT to_regclass($1) IS NOT NULL AS found`, [table])).rows[0].found;

const first = migrationOf('20260101000000_first', 'CREATE TABLE one (id int PRIMARY KEY);');
const second = migrationOf('20260102000000_second', 'CREATE TABLE two (id int PRIMARY KEY);');

test('a database is ready when it has every migration, and not before', async () => {
  await untouched();
  const all = readMigrations().map(({ name }) => name);
  expect(await pendingMigrations(handle)).toEqual(all);
  expect(await databaseUnready(handle)).toBe(unreadyReasons.migrations);
  expect(await migrate(handle)).toEqual(all);
  expect(await databaseUnready(handle)).toBeNull();
  expect(await migrate(handle)).toEqual([]);
});

test('only what is pending is applied, in order, and each step is told', async () => {
  await untouched();
  await migrate(handle, { migrations: [first] });
  const steps: string[] = [];
  await migrate(handle, { migrations: [first, second], onStep: (text) => steps.push(text) });
  expect(await names()).toEqual([first.name, second.name]);
  expect(steps).toEqual(['Applying a migration']);
});

test('a script with semicolons in texts and functions runs whole', async () => {
  await untouched();
  const script = `
    CREATE TABLE note (body text DEFAULT 'a; b');
    CREATE FUNCTION twice(n int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN n := n * 2; RETURN n; END $$;
    INSERT INTO note VALUES ('it''s; -- not a comment'), (DEFAULT);`;
  await migrate(handle, { migrations: [migrationOf('20260101000000_tricky', script)] });
  const { rows } = await handle.pool.query('SELECT body, twice(21) FROM note');
  expect(rows).toEqual([
    { body: "it's; -- not a comment", twice: 42 },
    { body: 'a; b', twice: 42 },
  ]);
});

test('a migration that fails is undone, not recorded as applied, and tried again at the next start', async () => {
  await untouched();
  const broken = migrationOf(
    '20260102000000_second',
    'CREATE TABLE half (id int); SELECT 1/0; CREATE TABLE rest (id int);',
  );
  await expect(migrate(handle, { migrations: [first, broken] })).rejects.toMatchObject({
    name: 'MigrationError',
    message: expect.stringContaining(broken.name),
  });
  expect(await names()).toEqual([first.name]);
  expect(await exists('half')).toBe(false);
  expect(await pendingMigrations(handle, [first, broken])).toEqual([broken.name]);
  await migrate(handle, { migrations: [first, second] });
  expect(await exists('two')).toBe(true);
});

test('a process that died while it migrated does not block the next', async () => {
  await untouched();
  await migrate(handle, { migrations: [first] });
  await handle.pool.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at) VALUES ('x', $1, $2, now())`,
    [second.checksum, second.name],
  );
  expect(await migrate(handle, { migrations: [first, second] })).toEqual([second.name]);
});

test("a process that died between a script and the engine's word for its end does not block the next", async () => {
  await untouched();
  const { query } = pg.Client.prototype;
  const dying = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args) {
    const [statement, , done] = args as unknown as [{ text?: string }, unknown, (error: Error) => void];
    if (statement.text?.startsWith('UPDATE "_prisma_migrations"')) return done(new Error('the process died'));
    return (query as (...all: unknown[]) => void).apply(this, args);
  });
  await expect(migrate(handle, { migrations: [first] })).rejects.toThrow(first.name);
  dying.mockRestore();
  expect(await migrate(handle, { migrations: [first, second] })).toEqual([second.name]);
  expect(await names()).toEqual([first.name, second.name]);
});

test('a migration that was edited after it was applied is refused', async () => {
  await untouched();
  await migrate(handle, { migrations: [first] });
  const edited = migrationOf(first.name, `${first.script}\nSELECT 1;`);
  await expect(migrate(handle, { migrations: [edited] })).rejects.toThrow(first.name);
});

test('a database that a newer version has migrated further serves an older one', async () => {
  await untouched();
  await migrate(handle, { migrations: [first, second] });
  expect(await migrate(handle, { migrations: [first] })).toEqual([]);
});

test('a closed database is not ready', async () => {
  handle = await testDatabase();
  await handle.close();
  expect(await databaseUnready(handle)).toBe(unreadyReasons.database);
});

const server = process.env.TEST_DATABASE_URL;

test.skipIf(!server)('a migration may take longer than the statements of its role', async () => {
  await untouched();
  const { rows } = await handle.pool.query<{ name: string }>('SELECT current_database() AS name');
  await handle.pool.query(`ALTER DATABASE ${rows[0]?.name} SET statement_timeout = '1s'`);
  const slow = migrationOf('20260101000000_slow', 'CREATE TABLE slow AS SELECT pg_sleep(1.1)::text AS slept;');
  expect(await migrate(handle, { migrations: [slow] })).toEqual([slow.name]);
});

test.skipIf(!server)(
  'who starts waits for the script of a process that was killed, and goes on from its end',
  async () => {
    await untouched();
    const { rows } = await handle.pool.query<{ name: string }>('SELECT current_database() AS name');
    const url = withDatabase(server ?? '', rows[0]?.name ?? '');
    const held = migrationOf(first.name, `SELECT pg_advisory_xact_lock(1); ${first.script}`);
    const source = (path: string) => JSON.stringify(new URL(`../../src/database/${path}`, import.meta.url).href);
    const script = `
    import { openDatabase } from ${source('client.ts')};
    import { migrate } from ${source('migrate.ts')};
    const handle = await openDatabase({ databaseUrl: ${JSON.stringify(url)}, dataDir: '' });
    await migrate(handle, { migrations: ${JSON.stringify([held])} });`;
    await onServer(url, async (holder) => {
      await holder.query('BEGIN; SELECT pg_advisory_xact_lock(1)');
      const waiting = async (what: string) => {
        const { rows: found } = await handle.pool.query(
          `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory' AND query LIKE $1`,
          [what],
        );
        return found.length;
      };
      const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'ignore' });
      const ended = once(child, 'exit');
      await expect.poll(() => waiting('%pg_advisory_xact_lock(1)%')).toBe(1);
      child.kill('SIGKILL');
      await ended;
      const next = migrate(handle, { migrations: [held, second] });
      await expect.poll(() => waiting('%rolled_back_at%')).toBe(1);
      expect(await waiting('%CREATE TABLE one%')).toBe(1);
      await holder.query('COMMIT');
      expect(await next).toEqual([second.name]);
    });
    expect(await names()).toEqual([held.name, second.name]);
  },
);

test.skipIf(!server)('of three processes that start at once, one migrates and all become ready', async () => {
  handle = await testDatabase();
  const name = `parley_replicas_${randomBytes(4).toString('hex')}`;
  const url = withDatabase(server ?? '', name);
  await onServer(server ?? '', (client) => client.query(`CREATE DATABASE ${name}`));
  const source = (path: string) => JSON.stringify(new URL(`../../src/database/${path}`, import.meta.url).href);
  const script = `
    import { openDatabase } from ${source('client.ts')};
    import { migrate } from ${source('migrate.ts')};
    import { databaseUnready } from ${source('readiness.ts')};
    const handle = await openDatabase({ databaseUrl: ${JSON.stringify(url)}, dataDir: '' });
    const applied = await migrate(handle);
    console.log(JSON.stringify({ applied, ready: (await databaseUnready(handle)) === null }));
    await handle.close();`;
  const run = () => promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  try {
    const outputs = (await Promise.all([run(), run(), run()])).map(({ stdout }) => JSON.parse(stdout));
    expect(outputs.map(({ ready }) => ready)).toEqual([true, true, true]);
    expect(outputs.flatMap(({ applied }) => applied)).toEqual(readMigrations().map((migration) => migration.name));
  } finally {
    await onServer(server ?? '', (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
  }
});
