import { expect, test } from 'vitest';
import { isServerUrl, serverName, serverUrls } from '../../src/core/server-urls.ts';
import { closePostgres, openPostgres } from '../../src/database/postgres.ts';
import { findPrimary } from '../../src/database/servers.ts';
import { testDatabase } from '../support/database/database.ts';

test.each([
  ['postgres://a/parley', ['postgres://a/parley']],
  ['postgres://a:1,b/parley', ['postgres://a:1/parley', 'postgres://b/parley']],
  [
    'postgresql://me:p%40,ss@a:1,[::1]:2/parley?sslmode=require&target_session_attrs=read-write',
    ['postgresql://me:p%40,ss@a:1/parley?sslmode=require', 'postgresql://me:p%40,ss@[::1]:2/parley?sslmode=require'],
  ],
  ['postgres://a?target_session_attrs=primary', ['postgres://a']],
])('%s names these servers', (url, urls) => {
  expect(isServerUrl(url)).toBe(true);
  expect(serverUrls(url)).toEqual(urls);
});

test.each(['mysql://a/parley', 'a,b', '', 'postgres://a:x,b/parley', 'postgres://a,b/p?target_session_attrs=standby'])(
  '%j is refused',
  (url) => expect(isServerUrl(url)).toBe(false),
);

test('the name of servers has no password', () => {
  expect(serverName('postgres://me:hidden@a:1,b/parley?x=1')).toBe('a:1,b/parley');
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
