import { describe, expect, test } from 'vitest';
import { createWindows } from '../../../src/auth/budgets/windows.ts';
import { newId } from '../../../src/database/ids.ts';
import { makeKey } from '../../support/auth/keys.ts';
import { useWorkspaces } from '../../support/gateway/workspaces.ts';

const { gateway, home } = useWorkspaces();
const scopes = ['leads.read', 'fields.read'];

const ask = async (secret: string, query = '{ leads { totalCount } }') =>
  gateway.app.request('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
    body: JSON.stringify({ query }),
  });

describe('a key', () => {
  test('makes as many requests in a minute as it may, on both surfaces together, and is told', async () => {
    const secret = await makeKey(gateway, home.owner, { scopes, ratePerMinute: 3 });
    const first = await ask(secret);
    expect(first.status).toBe(200);
    expect(first.headers.get('ratelimit-policy')).toBe('"requests";q=3;w=60');
    expect(first.headers.get('ratelimit')).toMatch(/^"requests";r=2;t=\d+$/);
    // An operation that compiled queries leave to the resolvers counts once.
    const second = await ask(secret, '{ viewer { role } }');
    expect(second.headers.get('ratelimit')).toMatch(/^"requests";r=1;t=\d+$/);
    const third = await gateway.rest(secret, 'GET', '/rest/fields');
    expect(third.status).toBe(200);
    expect(third.headers.get('ratelimit')).toMatch(/^"requests";r=0;t=\d+$/);
    const over = await ask(secret);
    expect(over.status).toBe(429);
    expect(await over.json()).toMatchObject({ errors: [{ extensions: { code: 'rate_limited' } }] });
    const rest = await gateway.rest(secret, 'GET', '/rest/fields');
    expect(rest).toMatchObject({
      status: 429,
      body: { code: 'rate_limited', message: expect.stringMatching(/3 requests/) },
    });
    expect(Number(rest.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(rest.headers.get('ratelimit')).toMatch(/^"requests";r=0;t=\d+$/);
  });

  test('without a limit is told of none', async () => {
    const secret = await makeKey(gateway, home.owner, { scopes });
    const { status, headers } = await ask(secret);
    expect([status, headers.get('ratelimit'), headers.get('ratelimit-policy')]).toEqual([200, null, null]);
  });

  test('has no more on several replicas, which draw in advance', async () => {
    const { database } = gateway;
    const replicas = [createWindows({ database }), createWindows({ database }), createWindows({ database })] as const;
    const counted = { key: newId('key'), limit: 40 };
    const taken = await Promise.all(
      Array.from({ length: 90 }, (_, index) => replicas[(index % 3) as 0 | 1 | 2].consume(counted, 1)),
    );
    expect(taken.filter((standing) => !standing.refused)).toHaveLength(40);
  });

  test('has its requests again in the next minute, and costs a statement for a twentieth of them', async () => {
    let statements = 0;
    const database = new Proxy(gateway.database, {
      get: (target, name) => {
        if (name === '$queryRaw') statements += 1;
        return Reflect.get(target, name);
      },
    });
    const counted = { key: newId('key'), limit: 100 };
    const limits = createWindows({ database });
    for (let count = 0; count < 100; count += 1) {
      expect((await limits.consume(counted, 1)).refused).toBe(false);
    }
    expect(statements).toBe(20);
    expect(await limits.consume(counted, 1)).toMatchObject({ refused: true, remaining: 0 });
    await gateway.database.widgetWindow.update({ where: { key: counted.key }, data: { endsAt: new Date(0) } });
    const later = createWindows({ database });
    expect(await later.consume(counted, 1)).toMatchObject({ refused: false, remaining: 99 });
  });
});
