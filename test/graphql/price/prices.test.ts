import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../src/database/ids.ts';
import { BothWays } from '../../support/compiled/both-ways.ts';
import { statementsOf } from '../../support/database/database.ts';
import { expectFailure } from '../../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../../support/gateway/factories.ts';
import { useWorkspaces } from '../../support/gateway/workspaces.ts';
import { scaleStatistics } from '../../support/world/large.ts';

const { gateway, home, other } = useWorkspaces();
let bothWays: BothWays;
let few: TestWorkspace;

/** The number of rows in PostgreSQL's statistics. */
const believed = 12_000_000;

beforeAll(async () => {
  bothWays = new BothWays(gateway);
  few = await makeWorkspace(gateway);
  const rows = (workspaceId: string, count: number) =>
    Array.from({ length: count }, (_, at) => ({
      id: newId('lead'),
      workspaceId,
      createdAt: new Date(Date.UTC(2026, 0, 1) + (at * 86_400_000) / 10),
    }));
  await gateway.database.lead.createMany({ data: rows(home.id, 3_000) });
  await gateway.database.lead.createMany({ data: rows(few.id, 3) });
  const { pool } = gateway.handle;
  await scaleStatistics(pool, ['Lead'], `CASE WHEN reltuples < 3000 THEN reltuples ELSE ${believed} END`);
});

const day = (at: number) => new Date(Date.UTC(2026, 0, 1 + at)).toISOString();
const within = (from: string, to: string) => `filter: {createdAt: {from: "${from}", to: "${to}"}}`;

/** The answer, after checking that compiled queries and resolvers agree. */
async function ask(workspace: TestWorkspace, query: string) {
  const { compiled, resolvers } = await bothWays.ask(workspace.viewer, { query });
  expect(compiled.body).toBe(resolvers.body);
  return JSON.parse(resolvers.body);
}

describe('groups of a list of many rows', () => {
  test('are refused by what their statement may read, and the error names what to narrow', async () => {
    const answer = await ask(home, '{ leads(first: 0) { groups { nodes { count } } } }');
    expectFailure(
      answer,
      'invalid_request',
      /^leads\.groups may read 12,000,000 rows, of 10,000,000 at most: narrow filter\.createdAt\.$/,
    );
    expect(answer.data).toEqual({ leads: null });
  });

  test('are refused beside a field whose arguments turn out to be invalid', async () => {
    const query = `query ($limit: Int = 5) {
      leads(first: 0) { groups { nodes { count } } }
      invalid: leads(first: 1) { countUpTo(limit: $limit) { count } }
    }`;
    const { compiled, resolvers } = await bothWays.ask(home.viewer, { query, variables: { limit: null } });
    for (const { body } of [compiled, resolvers])
      expectFailure(JSON.parse(body), 'invalid_request', /^leads\.groups may read 12,000,000 rows/);
  });

  test('are answered within a span that holds few', async () => {
    const { data } = await ask(home, `{ leads(first: 0, ${within(day(0), day(10))}) { groups { nodes { count } } } }`);
    expect(data.leads.groups.nodes).toEqual([{ count: 100 }]);
  });

  test('are answered within a span in `and`, in whatever depth, and within several that overlap', async () => {
    const range = (from: number, to: number) => `{createdAt: {from: "${day(from)}", to: "${day(to)}"}}`;
    const count = async (filter: string) =>
      (await ask(home, `{ leads(first: 0, filter: ${filter}) { groups { nodes { count } } } }`)).data.leads.groups
        .nodes[0].count;
    expect(await count(`{and: [${range(0, 10)}]}`)).toBe(100);
    expect(await count(`{and: [{hasEmail: false}, {and: [${range(0, 10)}]}]}`)).toBe(100);
    expect(
      await count(`{createdAt: {from: "${day(0)}"}, and: [{createdAt: {to: "${day(10)}"}}, ${range(0, 300)}]}`),
    ).toBe(100);
  });

  test('are refused for a span in `or` or `not`, which leaves any number of rows', async () => {
    for (const filter of [`{or: [{createdAt: {to: "${day(10)}"}}, {}]}`, `{not: {createdAt: {to: "${day(10)}"}}}`]) {
      const answer = await ask(home, `{ leads(first: 0, filter: ${filter}) { groups { nodes { count } } } }`);
      expectFailure(answer, 'invalid_request', /^leads\.groups may read 12,000,000 rows/);
    }
  });

  test('are answered within a span until now, which ends at another moment each time', async () => {
    const query = '{ leads(first: 0, filter: {createdAt: {last: "30d"}}) { groups { nodes { count } } } }';
    expect((await gateway.graphql(home.viewer, query)).errors).toBeUndefined();
  });

  test('are refused under sixty names where one of them is not', async () => {
    const one = (at: number) => `d${at}: leads(first: 0, ${within(day(0), day(120))}) { groups { nodes { count } } }`;
    expect((await ask(home, `{ ${one(0)} }`)).data.d0.groups.nodes).toEqual([{ count: 1200 }]);
    const all = Array.from({ length: 60 }, (_, at) => one(at)).join(' ');
    const answer = await ask(home, `{ ${all} }`);
    expectFailure(answer, 'invalid_request', /^The operation may read .* with leads\.groups and others: narrow /);
  });

  test('cost what the filters of their measures test, once for all groups, wherever these are selected', async () => {
    const document = 'query ($of: OperationInput!) { operationCost(operation: $of) { cost } }';
    const costOf = async (groups: string) => {
      const query = `{ leads(first: 0, ${within(day(0), day(120))}) { groups${groups} } }`;
      return (await gateway.data(home.owner, document, { of: { query } })).operationCost.cost;
    };
    const many = (one: string) => Array.from({ length: 40 }, (_, at) => `m${at}: ${one}`).join(' ');
    const plain = await costOf(`(first: 1) { nodes { ${many('count')} } }`);
    // The test of ten conditions takes as long as reading the row.
    for (const measure of [
      'count(filter: { hasEmail: true })',
      // A list of values is one condition.
      `count(filter: { ids: ${JSON.stringify(Array.from({ length: 50 }, (_, at) => `${at}`))} })`,
      'ratio(of: count, ofFilter: { hasEmail: true })',
      'ratio(of: count, toFilter: { hasEmail: true })',
    ]) {
      const times = (await costOf(`(first: 1) { nodes { ${many(measure)} } }`)) / plain;
      expect([measure, times]).toEqual([measure, expect.closeTo(5, 1)]);
    }
    for (const [start, end] of [
      ['{ nodes { previous { ', '} } }'],
      ['{ nodes { by { createdAt(every: day) { from } } cumulative { ', '} } }'],
      ['{ other { ', '} nodes { count } }'],
    ] as const) {
      const [filtered, all] = [many('count(filter: { hasEmail: true })'), many('count')];
      const difference =
        (await costOf(`(first: 1) ${start}${filtered}${end}`)) - (await costOf(`(first: 1) ${start}${all}${end}`));
      expect([start, difference / plain]).toEqual([start, expect.closeTo(4, 1)]);
    }
  });

  test('cost a row in ten for each running total, wherever it stands', async () => {
    const document = 'query ($of: OperationInput!) { operationCost(operation: $of) { cost } }';
    const costOf = async (args: string, more = '') => {
      const groups = `groups(first: 1${args}) { nodes { by { createdAt(every: day) { from } } count ${more} } }`;
      const query = `{ leads(first: 0, ${within(day(0), day(120))}) { ${groups} } }`;
      return (await gateway.data(home.owner, document, { of: { query } })).operationCost.cost;
    };
    const plain = await costOf('');
    const total = (await costOf('', 'cumulative { count }')) - plain;
    expect(total).toBeGreaterThan((plain - 30) / 12);
    const fields = 2;
    for (const args of [
      ', orderBy: { field: cumulativeCount, direction: asc }',
      ', having: { cumulativeCount: { gte: 2 } }',
      ', having: { not: { or: [{ cumulativeCount: { gte: 2 } }] } }',
    ])
      expect([args, (await costOf(args)) - plain]).toEqual([args, expect.closeTo(total - fields, -0.7)]);
  });

  test('are of no matter to a workspace of few', async () => {
    expect((await ask(few, '{ leads(first: 0) { groups { nodes { count } } } }')).data.leads.groups.nodes).toEqual([
      { count: 3 },
    ]);
  });

  test('are refused no more than counts under many names', async () => {
    const counts = Array.from({ length: 60 }, (_, at) => `n${at}: leads { totalCount }`).join(' ');
    expectFailure(
      await ask(home, `{ ${counts} }`),
      'invalid_request',
      /leads\.totalCount and others: count up to a limit/,
    );
    expect((await ask(home, '{ leads { totalCount } }')).data.leads.totalCount).toBe(3_000);
  });
});

describe('lists', () => {
  test('cost by the rows that there are: sixty groups of each of a few agents are answered', async () => {
    await gateway.database.agent.createMany({
      data: Array.from({ length: 7 }, (_, at) => ({
        id: newId('agent'),
        workspaceId: other.id,
        name: `A${at}`,
        createdBy: other.id,
        updatedBy: other.id,
      })),
    });
    const groups = Array.from(
      { length: 60 },
      (_, at) =>
        `d${at}: conversations(first: 0, ${within(day(at), day(at + 1))}) { groups(first: 5) { nodes { by { status } count } } }`,
    );
    const { data } = await ask(other, `{ agents(first: 100) { nodes { ${groups.join('\n')} } } }`);
    expect(data.agents.nodes).toHaveLength(7);
    expect(Object.keys(data.agents.nodes[0])).toHaveLength(60);
  });

  test('of a list are answered where the rows are few, whatever the pages', async () => {
    const query = `{ agents(first: 100) { nodes { conversations(first: 100) { nodes { messages(first: 100) { nodes { id } } } } } } }`;
    expect((await ask(other, query)).data.agents.nodes).toHaveLength(7);
  });

  test('are not looked into again for a minute, by requests that follow each other', async () => {
    const query = '{ leads(first: 0) { groups { nodes { count } } } }';
    await ask(few, query);
    const { recorded } = await statementsOf(() => ask(few, query));
    expect(recorded.filter(({ text }) => /pg_stats|EXPLAIN|LIMIT 100001/.test(text))).toEqual([]);
  });
});

describe('fragments that spread each other twice, on sixty levels', () => {
  const doubled = (root: string, type: string, leaf: string) => {
    const levels = Array.from({ length: 60 }, (_, at) => `fragment F${at} on ${type} { ...F${at + 1} ...F${at + 1} }`);
    return `${root} ${levels.join(' ')} fragment F60 on ${type} { ${leaf} }`;
  };

  test.each([
    ['at the root', doubled('{ ...F0 }', 'Query', 'agents(first: 1) { nodes { id } }')],
    ['in a list', doubled('{ agents(first: 1) { nodes { ...F0 } } }', 'Agent', 'id')],
    ['of a change', doubled('mutation { ...F0 }', 'Mutation', 'createLead(input: {name: "a"}) { lead { id } }')],
    ['among what is counted', doubled('{ leads(first: 0) { groups { nodes { ...F0 } } } }', 'LeadGroup', 'count')],
  ])('%s are refused without writing them out', async (_name, query) => {
    expectFailure(await ask(home, query), 'invalid_request', /^The operation is too large: its (breadth|depth) is \d+/);
  });

  test('of a dry run are priced without writing them out', async () => {
    const { data } = await ask(home, doubled('{ ...F0 }', 'Query', 'rateLimit(dryRun: true) { cost }'));
    expect(data.rateLimit.cost).toBe(2 ** 31 - 1);
  });
});

describe('a price that is too high', () => {
  const groups = 'leads(first: 1) { groups { nodes { count } } }';

  test.each([
    ['of one field', `{ ${groups} }`],
    ['of several fields', `{ a: __typename b: ${groups} c: leads(first: 1) { totalCount } ${groups} }`],
  ])('is told by the compiled query, for each root field, and no statement runs: %s', async (_what, query) => {
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const { compiled, resolvers } = await bothWays.ask(home.viewer, { query }, { accept });
      expect(resolvers.body).toContain('may read 12,000,000 rows');
      expect(compiled).toEqual({ ...resolvers, served: true });
    }
    const { statements } = await statementsOf(() => bothWays.askOne('compiled', home.viewer, { query }));
    expect(statements.filter((text) => text.includes('"Lead"'))).toEqual([]);
  });

  test.each([
    ['a field that its own rules refuse', `{ agents(first: -1) { totalCount } ${groups} }`],
    ['the price itself', `{ rateLimit { cost } ${groups} }`],
    ['what is not in the database', `{ models { name } ${groups} }`],
    ['the schema', `{ __schema { queryType { name } } ${groups} }`],
  ])('is told by the resolvers beside %s', async (_what, query) => {
    const { compiled, resolvers } = await bothWays.ask(home.viewer, { query });
    expect(resolvers.body).toContain('may read 12,000,000 rows');
    expect(compiled).toEqual(resolvers);
  });
});
