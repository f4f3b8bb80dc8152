import { type GraphQLObjectType, getNamedType, isLeafType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { schema } from '../../schema/index.ts';
import { createWindows } from '../../src/auth/budgets/windows.ts';
import { setQuota } from '../../src/auth/quota.ts';
import { newId } from '../../src/database/ids.ts';
import { makeKey } from '../support/auth/keys.ts';
import { expectFailure, openGateway } from '../support/gateway/app.ts';
import { makeWorkspace } from '../support/gateway/factories.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';

const { gateway, home } = useWorkspaces();
const scopes = ['leads.read', 'fields.read', 'agents.read'];

type Asked = { on?: typeof gateway; bearer: string; query?: string };
const ask = async ({ on = gateway, bearer, query = '{ leads(first: 10) { nodes { id name } } }' }: Asked) => {
  const answer = await on.app.request('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
    body: JSON.stringify({ query }),
  });
  const { headers, status } = answer;
  return {
    status,
    policy: headers.get('ratelimit-policy'),
    left: headers.get('ratelimit'),
    headers,
    body: await answer.json(),
  };
};
const costLeft = (left: string | null, name = 'cost') => Number(new RegExp(`"${name}";r=(\\d+)`).exec(left ?? '')?.[1]);

describe('a key with a budget of cost', () => {
  test('pays what its operations cost, and is told', async () => {
    const secret = await makeKey(gateway, home.owner, { scopes, costPerMinute: 1_000 });
    const first = await ask({ bearer: secret });
    expect([first.status, first.policy]).toEqual([200, '"cost";q=1000;w=60']);
    const cost = 1_000 - costLeft(first.left);
    expect(cost).toBeGreaterThan(0);
    // An operation that compiled queries leave to the resolvers is charged once.
    const second = await ask({ bearer: secret, query: '{ viewer { role } }' });
    expect(costLeft(second.left)).toBe(1_000 - cost - 2);
    const rest = await gateway.rest(secret, 'GET', '/rest/fields');
    expect(rest.status).toBe(200);
    expect(costLeft(rest.headers.get('ratelimit'))).toBeLessThan(costLeft(second.left));
  });

  test('is refused what is beyond it, on both surfaces, and nothing is taken then', async () => {
    const secret = await makeKey(gateway, home.owner, { scopes, costPerMinute: 5 });
    await ask({ bearer: secret, query: '{ leads(first: 1) { pageInfo { hasNextPage } } }' });
    const over = await ask({ bearer: secret, query: '{ a: viewer { role } b: viewer { role } }' });
    expect(over.status).toBe(429);
    expect(over.body).toMatchObject({ errors: [{ extensions: { code: 'rate_limited' } }] });
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(over.left).toMatch(/^"cost";r=\d+;t=\d+$/);
    const small = await ask({ bearer: secret, query: '{ viewer { role } }' });
    expect([small.status, costLeft(small.left)]).toEqual([200, costLeft(over.left) - 2]);
    const never = await ask({ bearer: secret, query: '{ a: viewer { role } b: viewer { role } c: viewer { role } }' });
    expect([never.status, never.headers.get('retry-after')]).toEqual([429, null]);
    expect(JSON.stringify(never.body)).toContain('this one alone costs 6');
    const rest = await gateway.rest(secret, 'GET', '/rest/fields');
    expect(rest).toMatchObject({ status: 429, body: { code: 'rate_limited', message: expect.stringMatching(/cost/) } });
  });

  test('has no more of it on several replicas, whatever each operation costs', async () => {
    const { database } = gateway;
    const replicas = Array.from({ length: 3 }, () => createWindows({ database }));
    const counted = { key: newId('key'), limit: 1_000 };
    const amounts = Array.from({ length: 200 }, (_, at) => 1 + ((at * 37) % 90));
    const taken = await Promise.all(
      amounts.map((amount, at) => (replicas[at % 3] as (typeof replicas)[0]).consume(counted, amount)),
    );
    const sum = taken.reduce((total, { refused }, at) => total + (refused ? 0 : (amounts[at] ?? 0)), 0);
    expect(sum).toBeLessThanOrEqual(1_000);
    // Only what a replica holds of a slice too small for the request may be left.
    expect(sum).toBeGreaterThan(700);
  });

  test('is made by a member, and shown', async () => {
    const created = await gateway.data(
      home.owner,
      'mutation { createKey(input: {name: "Paid", costPerMinute: 300}) { key { ratePerMinute costPerMinute } } }',
    );
    expect(created.createKey.key).toEqual({ ratePerMinute: 600, costPerMinute: 300 });
    const refused = await gateway.graphql(
      home.owner,
      'mutation { createKey(input: {name: "Free", costPerMinute: 0}) { key { id } } }',
    );
    expectFailure(refused, 'invalid_request', /costPerMinute/);
  });
});

describe('a workspace', () => {
  const save = (
    limits: string,
  ) => `mutation { saveBudgets(input: {${limits}}) { settings { requestsPerMinute costPerMinute
    tokenRequestsPerMinute tokenCostPerMinute } } }`;

  test('has the budgets that its owner sets: together, and for each member', async () => {
    const { owner, editor, viewer } = await makeWorkspace(gateway);
    const [first, second] = [await gateway.bearer(editor), await gateway.bearer(viewer)];
    expect((await ask({ bearer: first })).left).toBeNull();
    const { saveBudgets } = await gateway.data(owner, save('requestsPerMinute: 100, tokenRequestsPerMinute: 2'));
    expect(saveBudgets.settings).toEqual({
      requestsPerMinute: 100,
      costPerMinute: null,
      tokenRequestsPerMinute: 2,
      tokenCostPerMinute: null,
    });
    expect((await ask({ bearer: first })).policy).toBe('"requests";q=2;w=60, "workspace-requests";q=100;w=60');
    await ask({ bearer: first });
    const over = await ask({ bearer: first });
    expect([over.status, over.body.errors[0].message]).toEqual([
      429,
      expect.stringMatching(/^This bearer may make 2 /),
    ]);
    const other = await ask({ bearer: second });
    expect(other.status).toBe(200);
    expect(costLeft(other.left, 'workspace-requests')).toBe(97);
  });

  test('is told of no limit of another, and only its owner sets its own', async () => {
    const { admin } = await makeWorkspace(gateway);
    expectFailure(await gateway.graphql(admin, save('costPerMinute: 10')), 'forbidden');
    expect((await ask({ bearer: await gateway.bearer(admin) })).left).toBeNull();
  });

  test('cannot be left with budgets that its owner could not undo', async () => {
    const { owner } = await makeWorkspace(gateway);
    const fields = Object.values((schema.getType('Settings') as GraphQLObjectType).getFields());
    const settings = fields.filter(({ type }) => isLeafType(getNamedType(type))).map(({ name }) => name);
    const mutation = (limits: string) =>
      `mutation { saveBudgets(input: {${limits}}) { settings { ${settings.join(' ')} } } }`;
    const floors = { requestsPerMinute: 1, costPerMinute: 25, tokenRequestsPerMinute: 1, tokenCostPerMinute: 25 };
    for (const [name, floor] of Object.entries(floors)) {
      const refused = await gateway.graphql(owner, mutation(`${name}: ${floor - 1}`));
      expectFailure(refused, 'invalid_request', new RegExp(`${name}: must be ${floor} or more`));
      await gateway.data(owner, mutation(`${name}: ${floor}`));
      if (floor > 1) await gateway.data(owner, `{ settings { ${settings.join(' ')} } }`);
      const undone = await gateway.data(owner, mutation(`${name}: null`));
      expect(undone.saveBudgets.settings).toMatchObject({ [name]: null });
    }
  });

  test('of which the operator has reset the budgets has none at once', async () => {
    const { id, owner } = await makeWorkspace(gateway);
    const limits = { costPerMinute: 1, tokenRequestsPerMinute: 1, tokenCostPerMinute: 1 };
    const bearer = await gateway.bearer(owner);
    await gateway.data(owner, save('requestsPerMinute: 100'));
    // What an older version let an owner set.
    await gateway.database.settings.update({ where: { workspaceId: id }, data: limits });
    await gateway.services.tokens.forget();
    expect((await ask({ bearer })).status).toBe(429);
    await setQuota(gateway.services, { workspaceId: id, resetBudgets: true });
    const after = await ask({ bearer });
    expect([after.status, after.policy]).toEqual([200, null]);
  });

  test('uses no more than the operator allows', async () => {
    const env = { WORKSPACE_COST_PER_MINUTE: '1000', TOKEN_COST_PER_MINUTE: '500' };
    const limited = await openGateway(env);
    const { owner } = await makeWorkspace(limited);
    const bearer = await limited.bearer(owner);
    await limited.data(owner, save('costPerMinute: 5000, tokenCostPerMinute: 400'));
    const { policy } = await ask({ on: limited, bearer });
    expect(policy).toBe('"cost";q=400;w=60, "workspace-cost";q=1000;w=60');
    await limited.close();
  });
});

describe('rateLimit', () => {
  test('tells what the operation costs and what is left, and alone it is told for nothing', async () => {
    const secret = await makeKey(gateway, home.owner, { scopes, costPerMinute: 1_000 });
    const dry = await ask({
      bearer: secret,
      query: '{ rateLimit(dryRun: true) { cost remaining resetAt } leads(first: 10) { nodes { id name } } }',
    });
    const { cost, remaining, resetAt } = dry.body.data.rateLimit;
    expect([dry.body.data, remaining]).toEqual([{ rateLimit: dry.body.data.rateLimit }, 1_000]);
    expect(Date.parse(resetAt)).toBeGreaterThan(Date.now() - 1_000);
    const wet = await ask({
      bearer: secret,
      query: '{ rateLimit { cost remaining resetAt } leads(first: 10) { nodes { id name } } }',
    });
    expect(wet.body.data).toMatchObject({ rateLimit: { cost, remaining: 1_000 - cost }, leads: { nodes: [] } });
    expect(costLeft(wet.left)).toBe(1_000 - cost);
  });

  test('is told by a variable, in a fragment, and to members without a budget', async () => {
    const fields = Array.from({ length: 60 }, (_, at) => `a${at}: agents(first: 100) { nodes { id name } }`).join(' ');
    const query = `query Q($dry: Boolean!) { ...Price ${fields} }
      fragment Price on Query { rateLimit(dryRun: $dry) { cost remaining resetAt } }`;
    const { data, errors } = await gateway.graphql(home.owner, query, { dry: true });
    expect(errors).toBeUndefined();
    expect(data).toEqual({ rateLimit: { cost: expect.any(Number), remaining: null, resetAt: null } });
    expect(data.rateLimit.cost).toBeGreaterThan(60);
    expectFailure(await gateway.graphql(null, '{ rateLimit { cost } }'), 'unauthorized');
  });

  test('is told to apps, of the budget of their secret and not of another app', async () => {
    const { owner } = await makeWorkspace(gateway);
    const made = 'mutation ($input: CreateAppInput!) { createApp(input: $input) { app { secret } } }';
    const secretOf = async (id: string): Promise<string> =>
      (await gateway.data(owner, made, { input: { id, name: id } })).createApp.app.secret;
    const [bearer, other] = [await secretOf('spender'), await secretOf('saver')];
    const leads = 'leads(first: 10) { nodes { id name } }';
    const dry = { bearer, query: `{ rateLimit(dryRun: true) { cost remaining resetAt } ${leads} }` };
    const free = await ask(dry);
    expect(free.body).toEqual({ data: { rateLimit: { cost: expect.any(Number), remaining: null, resetAt: null } } });
    await gateway.data(
      owner,
      'mutation { saveBudgets(input: {tokenCostPerMinute: 500}) { settings { tokenCostPerMinute } } }',
    );
    const { cost } = free.body.data.rateLimit;
    const whole = { cost, remaining: 500, resetAt: expect.any(String) };
    for (let time = 0; time < 2; time++) expect((await ask(dry)).body).toEqual({ data: { rateLimit: whole } });
    const paid = await ask({ bearer, query: `{ rateLimit { remaining } ${leads} }` });
    expect(paid.body.data).toEqual({ rateLimit: { remaining: 500 - cost + 2 }, leads: { nodes: [] } });
    expect((await ask(dry)).body.data.rateLimit.remaining).toBe(500 - cost + 2);
    expect((await ask({ ...dry, bearer: other })).body.data.rateLimit.remaining).toBe(500);
  });
});
