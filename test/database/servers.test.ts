import { expect, test } from 'vitest';
import { isServerUrl, serverName, serverUrls } from '../../src/core/server-urls.ts';
import { findPrimary } from '../../src/database/servers.ts';

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
