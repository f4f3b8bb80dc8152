import { beforeAll, describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from '../../src/config/config.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const names = ['deprecation', 'sunset', 'link'];

describe('without a date', () => {
  const gateway = useGateway();
  test('REST announces no end', async () => {
    const home = await makeWorld(gateway);
    const { headers } = await gateway.rest(home.owner, 'GET', '/rest/agents');
    expect(names.map((name) => headers.get(name))).toEqual([null, null, null]);
  });
});

describe('with dates', () => {
  const gateway = useGateway({ REST_DEPRECATED_SINCE: '2026-12-01', REST_SUNSET: '2027-06-30' });
  let home: World;
  beforeAll(async () => {
    home = await makeWorld(gateway);
  });

  test.each([
    ['answered', 'GET', '/rest/agents'],
    ['not found', 'GET', '/rest/leads/led_none'],
    ['refused', 'POST', '/rest/leads'],
  ])('every REST response announces the end and the successor: one %s', async (_, method, path) => {
    const { headers } = await gateway.rest(home.owner, method, path, method === 'POST' ? { email: 'none' } : undefined);
    expect(names.map((name) => headers.get(name))).toEqual([
      `@${Date.UTC(2026, 11, 1) / 1_000}`,
      'Wed, 30 Jun 2027 00:00:00 GMT',
      '</graphql>; rel="successor-version"',
    ]);
  });

  test('GraphQL does not', async () => {
    const response = await gateway.app.request('/graphql', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${await gateway.bearer(home.owner)}`,
      },
      body: JSON.stringify({ query: '{ agents(first: 1) { totalCount } }' }),
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('deprecation')).toBeNull();
  });
});

test('what is no date, or ends before it begins, is refused', () => {
  expect(() => readConfig({ REST_SUNSET: 'soon' })).toThrow(/^REST_SUNSET: must be a date such as 2027-06-30$/);
  expect(() => readConfig({ REST_SUNSET: '2026-01-01', REST_DEPRECATED_SINCE: '2026-12-01' })).toThrow(ConfigError);
});
