import { parse } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { schema } from '../../schema/index.ts';
import { unknownRows } from '../../src/database/query/estimates.ts';
import { roughPrice } from '../../src/graphql/price/index.ts';
import { BothWays } from '../support/compiled/both-ways.ts';
import { statementsOf } from '../support/database/database.ts';
import { scansOf } from '../support/database/plans.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();
let world: World;
let bothWays: BothWays;
beforeAll(async () => {
  world = await makeWorld(gateway);
  const other = await makeWorld(gateway);
  bothWays = new BothWays(gateway);
  // Including the world's rows: 7 leads, 5 of them named Ana, and 5 conversations of its first agent.
  const { lead, conversation } = world.make;
  await gateway.database.lead.createMany({
    data: Array.from({ length: 5 }, () => ({ ...lead(), searchText: 'ana', capture: 'completed' as const })),
  });
  const unnamed = { workspaceId: world.id, searchText: { not: 'ana' } };
  await gateway.database.lead.updateMany({ where: unnamed, data: { capture: 'partial' } });
  await gateway.database.conversation.createMany({ data: [conversation(), conversation(), conversation()] });
  await gateway.database.lead.createMany({ data: [other.make.lead(), other.make.lead()] });
});

/** The data of a compiled query, after checking that it was served and that the resolvers agree. */
async function read(query: string, variables: object = {}) {
  const { compiled, resolvers } = await bothWays.ask(world.owner, { query, variables });
  expect([compiled.served, compiled.body]).toEqual([true, resolvers.body]);
  return JSON.parse(resolvers.body).data;
}

const exact = (count: number) => ({ count, precision: 'exact' });
const atLeast = (count: number) => ({ count, precision: 'at_least' });
const estimate = (count: number) => ({ count, precision: 'estimate' });

describe('counting up to a limit', () => {
  test('is exact up to the limit, and tells of more beyond it', async () => {
    const query = 'query ($n: Int!) { leads { countUpTo(limit: $n) { count precision } } }';
    const counts = await Promise.all([1, 6, 7, 8, 10_000].map(async (n) => (await read(query, { n })).leads.countUpTo));
    expect(counts).toEqual([atLeast(1), atLeast(6), exact(7), exact(7), exact(7)]);
  });

  test('counts to 1,000 unless told otherwise, and leaves the exact count as it is', async () => {
    const { leads } = await read('{ leads(first: 1) { nodes { name } totalCount countUpTo { count precision } } }');
    expect(leads).toEqual({ nodes: [expect.anything()], totalCount: 7, countUpTo: exact(7) });
  });

  test('counts what the filter and the search leave', async () => {
    const { some, found } = await read(`{
      some: leads(filter: { capture: [completed] }) { few: countUpTo(limit: 4) { count precision } all: countUpTo { count } }
      found: leads(search: "ANA") { countUpTo(limit: 5) { precision count } } }`);
    expect([some, found]).toEqual([{ few: atLeast(4), all: { count: 5 } }, { countUpTo: exact(5) }]);
  });

  test('counts the rows of each row, also through a joining table, and of none', async () => {
    const { agents } = await read(`{ agents(orderBy: { field: createdAt, direction: asc }) { nodes { id
      conversations(first: 2) { nodes { title } countUpTo(limit: 4) { count precision } }
      channels { countUpTo { count precision __typename } }
      bases { countUpTo(limit: 1) { count precision } } } } }`);
    const mine = (agents.nodes as { id: string }[]).find(({ id }) => id === world.ids.agentId);
    const another = (agents.nodes as { id: string }[]).find(({ id }) => id === world.ids.activeAgentId);
    expect(mine).toMatchObject({ conversations: { countUpTo: atLeast(4) }, channels: { countUpTo: exact(2) } });
    expect(mine).toMatchObject({ bases: { countUpTo: exact(1) } });
    expect(another).toMatchObject({
      conversations: { nodes: [], countUpTo: exact(0) },
      bases: { countUpTo: exact(1) },
    });
  });

  test('is refused with a limit that makes no sense', async () => {
    for (const limit of [0, -1, 10_001]) {
      const query = `{ leads { countUpTo(limit: ${limit}) { count } } }`;
      const { compiled, resolvers } = await bothWays.ask(world.owner, { query });
      expect(compiled.body).toBe(resolvers.body);
      const [error] = JSON.parse(compiled.body).errors;
      expect(error).toMatchObject({
        message: `limit: must be between 1 and 10000, got ${limit}.`,
        extensions: { code: 'invalid_request' },
      });
    }
  });

  /** What the planner may prefer for a few rows, once a test before has analyzed the tables. */
  const planOfSmallTables = ['enable_seqscan', 'enable_bitmapscan', 'enable_sort'];

  test('reads no more rows than the limit and one', async () => {
    const query = `{ leads { countUpTo(limit: 2) { count } }
      agent(id: "${world.ids.agentId}") { conversations { countUpTo(limit: 3) { count } } } }`;
    const { recorded } = await statementsOf(() => read(query));
    const scans = (await Promise.all(recorded.filter(({ text }) => text.startsWith('SELECT')).map(rowsRead))).flat();
    expect(scans).toEqual(scans.map(({ table }) => ({ table, rows: { Lead: 3, Conversation: 4, Agent: 1 }[table] })));
    expect(new Set(scans.map(({ table }) => table))).toEqual(new Set(['Lead', 'Conversation', 'Agent']));
  });
  const rowsRead = async (statement: Parameters<typeof scansOf>[1]) =>
    (await scansOf(gateway.handle, statement, undefined, { disabled: planOfSmallTables }))
      .filter(({ table }) => ['Lead', 'Conversation', 'Agent'].includes(table))
      .map(({ table, rows }) => ({ table, rows }));

  test('costs more the further it may count', async () => {
    const document = (limit: number) =>
      `{ agents(first: 100) { nodes { conversations(first: 100) { countUpTo(limit: ${limit}) { count } } } } }`;
    const costOf = (limit: number) =>
      roughPrice({
        schema,
        document: parse(document(limit)),
        contextValue: { ...gateway.services, viewer: world.owner, estimates: unknownRows },
      })?.cost ?? 0;
    // At most 100 agents, and one point per 100 rows counted for each.
    expect(costOf(10_000) - costOf(100)).toBe(100 * (100 - 1));
  });
});

describe('an estimate beyond the limit', () => {
  /** The resolvers' page of leads, after checking that the compiled query agrees. */
  async function leads(args: string, list = 'leads', token = world.owner) {
    const query = `{ ${list} { countUpTo(${args}) { count precision } } }`;
    const { compiled, resolvers } = await bothWays.ask(token, { query });
    expect([compiled.served, compiled.body]).toEqual([true, resolvers.body]);
    return JSON.parse(resolvers.body).data.leads.countUpTo;
  }
  const analyze = () => gateway.handle.pool.query('ANALYZE "Lead"');

  test('is not made up where the database has no statistics', async () => {
    await gateway.handle.pool.query('ALTER TABLE "Lead" ALTER "workspaceId" SET STATISTICS 0');
    await analyze();
    expect(await leads('limit: 3, estimate: true')).toEqual(atLeast(3));
    await gateway.handle.pool.query('ALTER TABLE "Lead" ALTER "workspaceId" SET STATISTICS -1');
  });

  test('is of the rows of the workspace, and only when there are more than the limit', async () => {
    await analyze();
    expect(await leads('limit: 3, estimate: true')).toEqual(estimate(7));
    expect(await leads('limit: 3, estimate: true', 'leads(first: 1, filter: {}, search: "")')).toEqual(estimate(7));
    expect(await leads('limit: 7, estimate: true')).toEqual(exact(7));
    expect(await leads('limit: 3, estimate: false')).toEqual(atLeast(3));
  });

  test('tells nothing of what other workspaces have: neither of their values, nor how many rows they have', async () => {
    await analyze();
    expect(await leads('limit: 1, estimate: true', 'leads(search: "ana")')).toEqual(atLeast(1));
    expect(await leads('limit: 1, estimate: true', 'leads(filter: { capture: [completed] })')).toEqual(atLeast(1));
    const late = await makeWorld(gateway);
    await gateway.database.lead.createMany({ data: [late.make.lead(), late.make.lead()] });
    expect(await leads('limit: 1, estimate: true', 'leads', late.owner)).toEqual(atLeast(1));
  });

  test('gives way to what was counted when it is out of date', async () => {
    await analyze();
    await gateway.database.lead.createMany({ data: [world.make.lead(), world.make.lead(), world.make.lead()] });
    expect(await leads('limit: 9, estimate: true')).toEqual(atLeast(9));
    await analyze();
    expect(await leads('limit: 9, estimate: true')).toEqual(estimate(10));
  });

  test('is not told of the rows of a row', async () => {
    await gateway.handle.pool.query('ANALYZE "Conversation"');
    const query = `{ agent(id: "${world.ids.agentId}") { conversations { countUpTo(limit: 1, estimate: true) { count precision } } } }`;
    const { compiled, resolvers } = await bothWays.ask(world.owner, { query });
    expect(compiled.body).toBe(resolvers.body);
    expect(JSON.parse(compiled.body).data.agent.conversations.countUpTo).toEqual(atLeast(1));
  });
});
