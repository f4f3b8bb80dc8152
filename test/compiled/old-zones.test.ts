import { beforeAll, expect, test } from 'vitest';
import { currentZone } from '../../src/lists/time/old-zones.ts';
import { zoneOf } from '../../src/lists/time/zones.ts';
import { expectFailure, useGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
let home: TestWorkspace;
beforeAll(async () => {
  home = await makeWorkspace(gateway);
});

test.each([
  ['Asia/Calcutta', 'Asia/Kolkata'],
  ['US/Eastern', 'America/New_York'],
  ['us/eastern', 'America/New_York'],
  ['Europe/Kiev', 'Europe/Kyiv'],
  ['Brazil/East', 'America/Sao_Paulo'],
  ['America/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
  ['Asia/Saigon', 'Asia/Ho_Chi_Minh'],
  ['America/Godthab', 'America/Nuuk'],
  ['Japan', 'Asia/Tokyo'],
  ['GB', 'Europe/London'],
  // Fixed offsets in PostgreSQL, without its summer time.
  ['CET', 'Europe/Brussels'],
  ['EST5EDT', 'America/New_York'],
  ['Etc/UTC', 'UTC'],
  ['GMT', 'UTC'],
  ['utc', 'UTC'],
  // Today's names stay.
  ['Asia/Kolkata', 'Asia/Kolkata'],
  ['Europe/Oslo', 'Europe/Oslo'],
  ['Etc/GMT+3', 'Etc/GMT+3'],
])('%s is %s to the database', (written, current) => {
  expect(zoneOf(written)).toBe(current);
});

// Names of JavaScript that PostgreSQL takes for another place, or for none.
test.each(['IST', 'BST', 'PST', 'JST', 'SystemV/EST5EDT', '+05:30', 'Mars/Base'])('%s is refused', (name) => {
  expect(() => zoneOf(name)).toThrow(/IANA time zone/);
});

test('every zone that JavaScript names is one to the database, and the clock of both is the same', async () => {
  const names = Intl.supportedValuesOf('timeZone');
  const current = [...new Set(names.map((name) => zoneOf(name)))];
  expect(current.length).toBeGreaterThan(400);
  expect(current.map((name) => currentZone(name))).toEqual(current);
  const at = new Date('2026-07-01T12:00:00Z');
  const rows = await gateway.database.$queryRawUnsafe<{ zone: string; local: Date }[]>(
    `SELECT zone, timestamptz '2026-07-01T12:00:00Z' AT TIME ZONE zone AS local FROM unnest($1::text[]) AS zone`,
    current,
  );
  expect(rows).toHaveLength(current.length);
  const shown = new Map(rows.map(({ zone, local }) => [zone, new Date(local).toISOString().slice(11, 16)]));
  const wrong = current.filter((zone) => {
    const clock = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' });
    return clock.format(at) !== shown.get(zone);
  });
  // Rules that changed after the one or the other was released.
  expect(wrong.length).toBeLessThan(4);
});

test('a filter takes an old name', async () => {
  const query = 'query ($f: LeadFilter) { leads(filter: $f) { totalCount } }';
  const filter = { createdAt: { from: '2026-01-01', timeZone: 'Asia/Calcutta' } };
  expect((await gateway.data(home.viewer, query, { f: filter })).leads.totalCount).toBe(0);
});

test('an offset whose plus was not encoded is named', async () => {
  const agent = await makeAgent(gateway, home.editor);
  const ask = (path: string) => gateway.rest(home.app, 'GET', path);
  const interval = '2026-07-01T09:30:00+02:00/..';
  const { status, body } = await ask(`/rest/conversations/list/${agent.id}?createdAt=${interval}`);
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('%2B')]);
  expect((await ask(`/rest/conversations/list/${agent.id}?createdAt=${interval.replace('+', '%2B')}`)).status).toBe(
    200,
  );
  const query = 'query ($f: LeadFilter) { leads(filter: $f) { totalCount } }';
  const error = expectFailure(
    await gateway.graphql(home.viewer, query, { f: { createdAt: { from: '2026-07-01T09:30:00 02:00' } } }),
    'invalid_request',
  );
  expect(error?.message).toContain('%2B');
});

test.each([
  ['query { agents { totalCount } }', 200],
  ['query Named { agents { totalCount } }', 200],
  ['query One { agents { totalCount } } query Two { agents { totalCount } }', 400],
])('an empty operationName is none: %s', async (query, status) => {
  const authorization = `Bearer ${await gateway.bearer(home.viewer)}`;
  const post = await gateway.app.request('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization },
    body: JSON.stringify({ query, operationName: '' }),
  });
  const get = await gateway.app.request(`/graphql?${new URLSearchParams({ query, operationName: '' })}`, {
    headers: { authorization, accept: 'application/json' },
  });
  const told = [await post.json(), await get.json()] as { data?: object; errors?: object[] }[];
  for (const { data, errors } of told) {
    expect(Boolean(errors)).toBe(status === 400);
    if (status === 200) expect(data).toMatchObject({ agents: { totalCount: expect.any(Number) } });
  }
});
