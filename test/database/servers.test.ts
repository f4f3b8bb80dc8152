import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { serverName, serverUrlProblem, serverUrls } from '../../src/core/server-urls.ts';
import { closePostgres, openPostgres, poolSizes } from '../../src/database/postgres.ts';
import { findPrimary } from '../../src/database/servers.ts';
import { testDatabase } from '../support/database/database.ts';

test.each([
  ['postgres://a/parley', ['postgres://a/parley']],
  ['postgres://a:1,b/parley', ['postgres://a:1/parley', 'postgres://b/parley']],
  [
    'postgresql://me:p%40,ss@a:1,[::1]:2/parley?sslmode=require&target_session_attrs=read-write',
    ['postgresql://me:p%40,ss@a:1/parley?sslmode=require', 'postgresql://me:p%40,ss@[::1]:2/parley?sslmode=require'],
  ],
  ['postgres://a/p?target_session_attrs=primary', ['postgres://a/p']],
  ['postgres://me@/parley?host=/run/postgresql', ['postgres://me@/parley?host=/run/postgresql']],
  ['postgres://a/parley?user=me@b&schema=public', ['postgres://a/parley?user=me@b&schema=public']],
])('%s names these servers', (url, urls) => {
  expect(serverUrlProblem(url)).toBeNull();
  expect(serverUrls(url)).toEqual(urls);
});

test.each(['mysql://a/parley', 'a,b', '', 'postgres://a:x,b/parley', 'postgres://a,b/p?target_session_attrs=standby'])(
  '%j is refused',
  (url) => expect(serverUrlProblem(url)).toMatch(/^must be a postgres:\/\/ URL/),
);

test.each([
  ['postgres://me:hidden@a/parley\n', 'line break'],
  ['"postgres://me:hidden@a/parley"', 'quotes around it'],
  ['postgres://me:hid#den@a/parley', 'write %23'],
  ['postgres://me:hid@den@a/parley', 'write %40'],
  ['postgres://me:hid/den@a/parley', 'write %2F'],
  ['postgres://me:hid?den@a/parley', 'write %3F'],
  ['postgres://me:hid%gen@a/parley', 'write %25'],
  ['postgres://me:hidden@a', 'names no database'],
  ['postgres://me:hidden@a/', 'names no database'],
  ['postgres://me:hidden@a/parley?schema=mine', 'live in public'],
])('what is wrong with %j is told, and what to write, without the password', (url, told) => {
  const problem = serverUrlProblem(url);
  expect(problem).toContain(told);
  expect(problem).not.toMatch(/hid/);
});

test('a replica opens as many connections as it is told, or as its cores suggest, and its workers share them', () => {
  expect(poolSizes(2, 1, null)).toEqual({ max: 8, shared: 4 });
  expect(poolSizes(32, 1, null)).toEqual({ max: 16, shared: 8 });
  expect(poolSizes(2, 1, 40)).toEqual({ max: 40, shared: 4 });
  expect(poolSizes(2, 4, 40)).toEqual({ max: 10, shared: 2 });
});

test('the name of servers has no password', () => {
  expect(serverName('postgres://me:hidden@/parley?host=/run/postgresql')).toBe('/run/postgresql/parley');
  expect(serverName('postgres://me:hidden@a:1,b/parley?x=1')).toBe('a:1,b/parley');
});

test.runIf(process.env.TEST_DATABASE_URL)('a server is reached by its socket', async ({ skip }) => {
  const { username, port, hostname, pathname } = new URL(process.env.TEST_DATABASE_URL ?? '');
  const { pool, close } = await testDatabase();
  const { rows } = await pool.query<{ folders: string }>(
    `SELECT current_setting('unix_socket_directories') AS folders`,
  );
  await close();
  const folder = (rows[0]?.folders ?? '').split(',')[0]?.trim() ?? '';
  skip(!/^(localhost|127\.0\.0\.1)$/.test(hostname) || !existsSync(`${folder}/.s.PGSQL.${port || 5432}`));
  const opened = await openPostgres(`postgres://${username}@${pathname}?host=${folder}&port=${port || 5432}`);
  const found = await opened.pool.query('SELECT inet_server_addr() AS address');
  expect(found.rows).toEqual([{ address: null }]);
  await closePostgres(opened);
});

test('a single server is used as it is, without being asked', async () => {
  expect(await findPrimary('postgres://127.0.0.1:1/parley')).toBe('postgres://127.0.0.1:1/parley');
});

test('of servers that are all away, none is the primary', async () => {
  await expect(findPrimary('postgres://127.0.0.1:1,127.0.0.1:2/parley')).rejects.toThrow('accepts writes');
});

test.runIf(process.env.TEST_DATABASE_URL)(
  'settings of the database do not change what values and texts mean',
  async () => {
    const { pool, close } = await testDatabase();
    const { connectionString } = pool.options as { connectionString?: string };
    const { rows } = await pool.query<{ name: string }>('SELECT current_database() AS name');
    for (const setting of [
      "DateStyle = 'SQL, DMY'",
      'standard_conforming_strings = off',
      "TimeZone = 'Asia/Tokyo'",
      "default_transaction_isolation = 'serializable'",
      "client_encoding = 'LATIN1'",
    ]) {
      await pool.query(`ALTER DATABASE "${rows[0]?.name}" SET ${setting}`);
    }
    const opened = await openPostgres(connectionString ?? '');
    const found = await opened.pool.query(`SELECT '2026-02-01T00:00:00Z'::timestamptz::text AS moment, 'a\\b' AS text`);
    expect(found.rows).toEqual([{ moment: '2026-02-01 00:00:00+00', text: 'a\\b' }]);
    const kept = await opened.pool.query(
      `SELECT current_setting('transaction_isolation') AS isolation, current_setting('client_encoding') AS encoding`,
    );
    expect(kept.rows).toEqual([{ isolation: 'read committed', encoding: 'UTF8' }]);
    await closePostgres(opened);
    await close();
  },
);
