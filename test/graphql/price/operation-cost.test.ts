import { beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../../src/app.ts';
import { newId } from '../../../src/database/ids.ts';
import { makeKey } from '../../support/auth/keys.ts';
import { statementsOf } from '../../support/database/database.ts';
import { expectFailure, openGateway } from '../../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../../support/gateway/factories.ts';
import { useWorkspaces } from '../../support/gateway/workspaces.ts';
import { scaleStatistics } from '../../support/world/large.ts';

const { gateway, home, other } = useWorkspaces();
const costQuery = `query ($operation: OperationInput!) { operationCost(operation: $operation) {
  cost maxCost refusal rateLimit { budget limit remaining resetAt } parts { path cost ownCost rows advice }
} }`;
type Part = { path: string; cost: number; ownCost: number; rows: number | null; advice: string | null };

beforeAll(async () => {
  const lead = (at: number) => ({ id: newId('lead'), workspaceId: home.id, name: `Lead ${at}` });
  await gateway.database.lead.createMany({ data: Array.from({ length: 30 }, (_, at) => lead(at)) });
});

const costOf = async (operation: object, bearer: Parameters<typeof gateway.data>[0] = home.owner) =>
  (await gateway.data(bearer, costQuery, { operation })).operationCost;
const partsOf = (parts: Part[]) => Object.fromEntries(parts.map(({ path, ...part }) => [path, part]));

describe('operationCost', () => {
  const query = `query Leads($first: Int!) { top: leads(first: $first) { totalCount nodes { id name } } viewer { role } }`;

  test('prices each field by the rows that there are, and in all as execution does, on both paths', async () => {
    const found = await costOf({ query, variables: { first: 100 } });
    const parts = partsOf(found.parts);
    expect(Object.keys(parts)).toEqual([
      'top',
      'top.totalCount',
      'top.nodes',
      'top.nodes.id',
      'top.nodes.name',
      'viewer',
      'viewer.role',
    ]);
    expect(parts).toMatchObject({
      top: { rows: 30, ownCost: 1 },
      'top.totalCount': { rows: 30, ownCost: 1.3 },
      'top.nodes.name': { rows: null, cost: 30, ownCost: 30 },
      viewer: { cost: 2, ownCost: 1, rows: null },
    });
    const sum = found.parts.reduce((total: number, { ownCost }: Part) => total + ownCost, 0);
    expect([found.cost, found.maxCost, found.refusal]).toEqual([Math.ceil(sum), 100_000, null]);
    expect(parts.top?.cost).toBeCloseTo(sum - 2);

    const compiledOnly = query.replace('viewer { role }', '');
    const { cost } = await costOf({ query: compiledOnly, variables: { first: 100 } });
    for (const compiled of [true, false]) {
      const { services } = gateway;
      const app = createApp(
        { ...services, config: { ...services.config, compiledQueries: compiled } },
        async () => null,
      );
      const secret = await makeKey(gateway, home.owner, { scopes: ['leads.read'], costPerMinute: 1_000 });
      const { headers } = await app.request('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
        body: JSON.stringify({ query: compiledOnly, variables: { first: 100 } }),
      });
      expect([headers.has('x-parley-compiled'), headers.get('ratelimit')]).toEqual([
        compiled,
        expect.stringContaining(`"cost";r=${1_000 - cost};`),
      ]);
    }
  });

  test('runs nothing, also of a mutation and a subscription', async () => {
    const mutation = 'mutation { createLead(input: {name: "Never"}) { lead { id } } }';
    expect((await costOf({ query: mutation })).cost).toBeGreaterThan(1);
    expect(await gateway.database.lead.count({ where: { workspaceId: home.id, name: 'Never' } })).toBe(0);
    expect(
      (await costOf({ query: 'subscription { sourceProgress(sourceId: "src_1") { status } }' })).cost,
    ).toBeGreaterThan(0);
  });

  test('names the budget, what is left of it, and costs nothing itself', async () => {
    const secret = await makeKey(gateway, home.owner, { scopes: [], costPerMinute: 500 });
    for (let time = 0; time < 2; time++) {
      const { rateLimit } = await costOf({ query: '{ viewer { role } }' }, secret);
      expect(rateLimit).toEqual({ budget: 'cost', limit: 500, remaining: 500, resetAt: expect.any(String) });
    }
    expect((await costOf({ query: '{ viewer { role } }' })).rateLimit).toEqual({
      budget: null,
      limit: null,
      remaining: null,
      resetAt: null,
    });
    const limited = await openGateway({ WORKSPACE_COST_PER_MINUTE: '300' });
    const { owner } = await makeWorkspace(limited);
    const { operationCost } = await limited.data(owner, costQuery, { operation: { query: '{ viewer { role } }' } });
    expect(operationCost.rateLimit).toMatchObject({ budget: 'workspace-cost', limit: 300, remaining: 300 });
    await limited.close();
  });

  test('reads row counts once a minute, not for each request', async () => {
    await costOf({ query, variables: { first: 5 } });
    const { statements } = await statementsOf(() => costOf({ query, variables: { first: 6 } }));
    expect(statements.filter((text) => /LIMIT 100001|EXPLAIN/.test(text))).toEqual([]);
  });

  test('does not count rows for those who may not list them all', async () => {
    const [agent] = await gateway.database.agent.createManyAndReturn({
      data: [{ id: newId('agent'), workspaceId: home.id, name: 'A', createdBy: home.id, updatedBy: home.id }],
    });
    const ofLeads = { query: '{ leads(first: 100) { totalCount } }' };
    for (const given of [{ scopes: ['agents.read'] }, { scopes: ['leads.read'], agentIds: [agent?.id ?? ''] }]) {
      const { parts } = await costOf(ofLeads, await makeKey(gateway, home.owner, given));
      expect(parts.map(({ rows }: Part) => rows)).toEqual([null, null]);
    }
    const elsewhere = await costOf(ofLeads, other.owner);
    expect(elsewhere.parts.map(({ rows }: Part) => rows)).toEqual([0, 0]);
  });

  test('refuses an invalid operation with the line and the reason, and a second one in a request', async () => {
    const ask = (operation: object) => gateway.graphql(home.owner, costQuery, { operation });
    expectFailure(
      await ask({ query: '{\n  leads { nope } }' }),
      'invalid_request',
      /^Line 2: Cannot query field "nope"/,
    );
    expectFailure(await ask({ query: '{ leads {' }), 'invalid_request', /^Line 1: Syntax Error/);
    expectFailure(await ask({ query }), 'invalid_request', /\$first/);
    expectFailure(await ask({ query, variables: { first: 'x' } }), 'invalid_request', /\$first.*Int/);
    const two = 'query A { viewer { role } } query B { viewer { role } }';
    expectFailure(await ask({ query: two }), 'invalid_request', /^operationName/);
    expect((await costOf({ query: two, operationName: 'B' })).cost).toBe(2);
    expectFailure(await ask({ query: `{ viewer { role } } # ${'x'.repeat(100_000)}` }), 'payload_too_large');
    const twice = costQuery.replace('operationCost', 'a: operationCost(operation: $operation) { cost } operationCost');
    const answer = await gateway.graphql(home.owner, twice, { operation: { query: '{ viewer { role } }' } });
    expectFailure(answer, 'invalid_request', /may be selected once in a request/);
    expect(answer.data.a).toEqual({ cost: 2 });
    expectFailure(await gateway.graphql(null, costQuery, { operation: { query } }), 'unauthorized');
  });
});

describe('where there are many rows', () => {
  let many: TestWorkspace;
  beforeAll(async () => {
    const { pool } = gateway.handle;
    many = await makeWorkspace(gateway);
    await gateway.database.lead.createMany({
      data: Array.from({ length: 3_000 }, () => ({ id: newId('lead'), workspaceId: many.id })),
    });
    await gateway.database.agent.create({
      data: { id: newId('agent'), workspaceId: many.id, name: 'A', createdBy: many.id, updatedBy: many.id },
    });
    await scaleStatistics(pool, ['Lead'], 'CASE WHEN reltuples < 3000 THEN reltuples ELSE 12000000 END');
  });

  test('advice names the argument, and a refusal is told before', async () => {
    const found = await costOf(
      {
        query: `{
        leads(first: 20, offset: 400000) { nodes { id } }
        all: leads(first: 0) { totalCount groups { nodes { count } } }
      }`,
      },
      many.owner,
    );
    expect(found.refusal).toMatch(/^leads\.groups may read 12,000,000 rows/);
    expect(partsOf(found.parts)).toMatchObject({
      leads: { rows: 400_020, ownCost: 4_001, advice: 'offset 400,000: use the cursor (after)' },
      all: { rows: 0 },
      'all.totalCount': { ownCost: 5_001, advice: 'count up to a limit (countUpTo)' },
      'all.groups': { advice: 'narrow filter.createdAt' },
    });
  });

  test('a long offset costs what it skips, never so much as to be refused alone, and nothing where there are few', async () => {
    const page = (offset: number) => ({ query: `{ leads(first: 1, offset: ${offset}) { nodes { id } } }` });
    expect((await costOf(page(9_999), many.owner)).cost).toBe(3);
    expect((await costOf(page(20_000), many.owner)).cost).toBe(203);
    const far = await costOf(page(2_000_000_000), many.owner);
    expect([far.cost, far.refusal]).toEqual([5_003, null]);
    expect((await costOf(page(20_000), other.owner)).cost).toBeLessThan(4);
  });

  test('advice for a large page names its argument, where the page is most of the cost', async () => {
    const nested =
      'query ($first: Int) { leads(first: $first) { nodes { id name email phone company createdAt stage: id } } }';
    const partOf = async (first: number) =>
      partsOf((await costOf({ query: nested, variables: { first } }, many.owner)).parts).leads;
    expect((await partOf(100))?.advice).toBeNull();
    const wide = `{ leads(first: 100) { nodes { ${Array.from({ length: 12 }, (_, at) => `n${at}: name`).join(' ')} } } }`;
    expect(partsOf((await costOf({ query: wide }, many.owner)).parts).leads).toMatchObject({
      rows: 100,
      advice: '100 rows: ask for smaller pages (first)',
    });
  });
});
