import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { newId } from '../../../src/database/ids.ts';
import { makeKey } from '../../support/auth/keys.ts';
import { BothWays } from '../../support/compiled/both-ways.ts';
import { expectFailure, useGateway } from '../../support/gateway/app.ts';
import { casesOf } from '../../support/random/cases.ts';
import { options, sampleOf } from '../../support/random/seed.ts';
import { makeWorld, type World } from '../../support/world/world.ts';

const gateway = useGateway();
let world: World;
let bothWays: BothWays;
let rows: { replyTime: number | null; cost: number | null; model: string | null }[];

const row = fc.record({
  replyTime: fc.option(
    fc.oneof(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: -2_147_483_648, max: 2_147_483_647 })),
  ),
  cost: fc.option(
    fc.oneof(
      fc.integer({ min: -30, max: 30 }).map((tenths) => tenths / 10),
      fc.constantFrom(1e-9, 1e9),
    ),
  ),
  model: fc.constantFrom('a', 'b', null),
});

beforeAll(async () => {
  world = await makeWorld(gateway);
  bothWays = new BothWays(gateway);
  const { id: workspaceId, ids } = world;
  await gateway.database.message.deleteMany({ where: { workspaceId } });
  rows = sampleOf(row, 80, 'rows of ranges');
  const data = rows.map((numbers, position) => ({
    ...numbers,
    id: newId('message'),
    workspaceId,
    conversationId: ids.conversationId as string,
    position,
    role: 'assistant' as const,
  }));
  await gateway.database.message.createMany({ data });
});

type Range = { from: number | null; to: number | null } | null;
type Found = { by: { range: Range }; count: number };
const groupsOf = async (range: string, args = '', more = '') => {
  const query = `{ messages(first: 0) { groups(${args || 'first: 100'}) {
    totalCount nodes { by { range(${range}) { from to } } count ${more} } other { count } pageInfo { endCursor hasNextPage } } } }`;
  const { data, errors } = await bothWays.agree(world.owner, query);
  expect(errors).toBeUndefined();
  return data.messages.groups as {
    totalCount: number;
    nodes: Found[];
    other: { count: number };
    pageInfo: { endCursor: string; hasNextPage: boolean };
  };
};
const isIn = (range: Range, value: number | null) =>
  range === null || value === null
    ? range === value
    : (range.from === null || value >= range.from) && (range.to === null || value < range.to);

const column = fc.constantFrom('replyTime', 'cost');
const width = fc.oneof(fc.integer({ min: 1, max: 1_000_000 }), fc.constantFrom(0.1, 0.25, 1e-3, 1e12));
const bounds = fc.uniqueArray(fc.oneof(fc.integer({ min: -50, max: 4_000 }), fc.constantFrom(0.1, 1.5, -0.7)), {
  minLength: 1,
  maxLength: 9,
});

test('every row is in the range of its number, whatever the ranges', async () => {
  const ranges = fc.oneof(
    width.map((each) => `width: ${each}`),
    bounds.map((each) => `bounds: [${each.toSorted((one, other) => one - other).join()}]`),
  );
  await fc.assert(
    fc.asyncProperty(column, ranges, async (of, given) => {
      const { nodes, other } = await groupsOf(`of: ${of}, ${given}`);
      const values = rows.map((each) => each[of as 'cost']);
      for (const { by, count } of nodes)
        expect([of, given, by.range, values.filter((value) => isIn(by.range, value)).length]).toEqual([
          of,
          given,
          by.range,
          count,
        ]);
      expect(nodes.reduce((sum, { count }) => sum + count, other.count)).toBe(rows.length);
    }),
    options(casesOf(150), 'ranges'),
  );
});

type Filled = { by: { range: Range; model?: string | null }; count: number; sum: { cost: number | null } };
const filled = fc.record({
  of: column,
  ranges: fc.oneof(
    fc
      .oneof(fc.integer({ min: 1, max: 400 }), fc.constantFrom(0.25, 0.1, 1e-9, 1e5, 1e9))
      .map((each) => `width: ${each}`),
    bounds.map((each) => `bounds: [${each.toSorted((one, other) => one - other).join()}]`),
  ),
  filter: fc.constantFrom(
    'cost: { gte: -3, lt: 3 }',
    'replyTime: { gte: 0, lte: 5000 }',
    'replyTime: { gte: 0, lte: 900 }',
    'cost: { isNull: true }',
    '',
  ),
  key: fc.constantFrom('', 'model'),
  having: fc.constantFrom('', 'having: { count: { lt: 1 } },', 'having: { not: { sumCost: { isNull: true } } },'),
});

test('fill adds the ranges without rows, from the first with rows to the last', { timeout: 120_000 }, async () => {
  const seen = { filled: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(filled, async ({ of, ranges, filter, key, having }) => {
      const groups = (fill: boolean, args: string) =>
        `{ messages(first: 0, filter: { ${filter} }) { groups(first: 100, orderBy: { field: by, direction: asc }, ${args}) {
          totalCount nodes { by { range(of: ${of}, ${ranges}, fill: ${fill}) { from to } ${key} } count sum { cost } }
          pageInfo { endCursor hasNextPage } } } }`;
      const { data } = await bothWays.agree(world.owner, groups(false, ''));
      const found: Filled[] = data.messages.groups.nodes;
      const numbered = found.filter(({ by }) => by.range);
      const others = new Set(found.map(({ by }) => by.model)).size;
      const [first, last] = [numbered[0]?.by.range, numbered.at(-1)?.by.range];
      const given = /^width: (.*)$/.exec(ranges)?.[1];
      const width = Number(given);
      const steps = first && last && given ? Math.round((Number(last.from) - Number(first.from)) / width) + 1 : 0;
      const isTooMany = steps > 10_000 || steps * others > 50_000;

      const pages: Filled[] = [];
      for (let after = '', more = true; more; ) {
        const answer = await bothWays.ask(world.owner, { query: groups(true, `${having}${after}`) });
        expect(answer.compiled.body).toBe(answer.resolvers.body);
        const page = JSON.parse(answer.compiled.body);
        if (isTooMany) {
          expectFailure(
            page,
            'invalid_request',
            /^fill: .* more than 10,000 ranges or 50,000 groups: ask for wider ranges/,
          );
          seen.refused += 1;
          return;
        }
        expect([answer.compiled.served, page.errors]).toEqual([true, undefined]);
        const { totalCount, nodes, pageInfo } = page.data.messages.groups;
        pages.push(...nodes);
        after = `after: "${pageInfo.endCursor}"`;
        more = pageInfo.hasNextPage && totalCount < 1_000;
        if (!pageInfo.hasNextPage) expect(totalCount).toBe(pages.length);
        if (totalCount >= 1_000) return;
      }
      const isWanted = ({ count, sum }: Filled) => {
        if (having === '') return true;
        return having.includes('count') ? count < 1 : sum.cost !== null;
      };
      const isFound = ({ count }: Filled) => count > 0;
      expect(pages.filter(isFound)).toEqual(found.filter(isWanted));
      const empty = pages.filter((group) => !isFound(group));
      seen.filled += empty.length;
      for (const { sum } of empty) expect(sum.cost).toBeNull();
      if (having) return;
      for (const model of new Set(found.map(({ by }) => by.model))) {
        const own = pages.filter(({ by }) => by.model === model && by.range);
        if (given) expect(own).toHaveLength(steps);
        expect([own[0]?.by.range, own.at(-1)?.by.range]).toEqual([first, last]);
        for (const [at, { by }] of own.slice(1).entries()) expect(by.range?.from).toBe(own[at]?.by.range?.to);
      }
    }),
    options(casesOf(150), 'filled ranges'),
  );
  expect(Math.min(seen.filled, seen.refused)).toBeGreaterThan(1);
});

test('ranges without rows have the time before, and are filled within groups and parents', async () => {
  const last = 'createdAt: { last: "1d" }, cost: { gte: -3, lt: 3 }';
  const groups =
    'groups(first: 100) { totalCount nodes { by { range(of: cost, width: 0.1, fill: true) { from } } count previous { count } } }';
  const query = `{ conversation(id: "${world.ids.conversationId}") { messages(first: 0, filter: { ${last} }) {
    ${groups} byModel: groups { nodes { by { model } rows(first: 0) { ${groups} } } } } } }`;
  const { data, errors } = await bothWays.agree(world.owner, query);
  expect(errors).toBeUndefined();
  const { groups: all, byModel } = data.conversation.messages;
  for (const one of [all, ...byModel.nodes.map(({ rows: of }: any) => of.groups)]) {
    const starts = one.nodes.map(({ by }: any) => by.range.from).toSorted((a: number, b: number) => a - b);
    expect(one.totalCount).toBe(Math.round((starts.at(-1) - starts[0]) * 10) + 1);
    expect(one.nodes.map(({ previous }: any) => previous.count)).toEqual(starts.map(() => 0));
    expect(one.nodes.at(-1).count).toBe(0);
  }
});

test('the price of fill is that of the ranges that there may be', async () => {
  const costOf = async (range: string) => {
    const query = `{ messages(first: 0) { groups { nodes { by { range(of: cost, ${range}) { from } } count } } } }`;
    const asked = 'query ($of: OperationInput!) { operationCost(operation: $of) { cost } }';
    return (await gateway.data(world.owner, asked, { of: { query } })).operationCost.cost;
  };
  expect((await costOf('width: 1, fill: true')) - (await costOf('width: 1'))).toBe(100);
  expect((await costOf('bounds: [1, 2], fill: true')) - (await costOf('bounds: [1, 2]'))).toBeLessThan(2);
});

test('ranges are ordered as numbers, those without come last, and pages follow one another', async () => {
  for (const direction of ['asc', 'desc']) {
    const order = `orderBy: { field: by, direction: ${direction} }`;
    const { nodes } = await groupsOf('of: cost, width: 0.5', `first: 100, ${order}`);
    const starts = nodes.slice(0, -1).map(({ by }) => by.range?.from as number);
    expect(starts).toEqual(starts.toSorted((one, other) => (direction === 'asc' ? one - other : other - one)));
    expect(nodes.at(-1)?.by.range).toBeNull();
    const paged: Found[] = [];
    for (let after = '', more = true; more; ) {
      const page = await groupsOf('of: cost, width: 0.5', `first: 3, ${order}${after}`);
      paged.push(...page.nodes);
      after = `, after: "${page.pageInfo.endCursor}"`;
      more = page.pageInfo.hasNextPage;
    }
    expect(paged).toEqual(nodes);
  }
});

test('a range has its rows, its measures, and groups within it', async () => {
  const { nodes } = await groupsOf(
    'of: replyTime, bounds: [0, 1000]',
    'first: 9, having: { count: { gte: 1 } }',
    `max { replyTime } rows(first: 100) { totalCount nodes { replyTime }
      groups(first: 100) { nodes { by { range(of: replyTime, width: 500) { from } } count } } }`,
  );
  expect(nodes.length).toBeGreaterThan(2);
  for (const { by, count, rows: found } of nodes as (Found & { rows: any })[]) {
    expect(found.totalCount).toBe(count);
    for (const each of found.nodes) expect(isIn(by.range, each.replyTime)).toBe(true);
    expect(found.groups.nodes.reduce((sum: number, each: Found) => sum + each.count, 0)).toBe(count);
  }
});

test.each([
  ['width: 1, bounds: [1]', 'range: give either width or bounds.'],
  ['', 'range: give either width or bounds.'],
  ['width: 0', 'range.width: must be more than 0, got 0.'],
  ['width: -2.5', 'range.width: must be more than 0, got -2.5.'],
  ['bounds: []', 'range.bounds: must have 1 to 100 numbers, got 0.'],
  ['bounds: [1, 3, 3]', 'range.bounds: must ascend, but 3 follows 3.'],
  [
    'width: 1, fill: true) { from } createdAt(every: day, fill: true',
    'fill: only one time span or range can be filled.',
  ],
])('"%s" is refused', async (given, message) => {
  const query = `{ messages { groups { nodes { by { range(of: cost, ${given}) { from } } count } } } }`;
  const { compiled, resolvers } = await bothWays.ask(world.owner, { query });
  expect(compiled.body).toBe(resolvers.body);
  expect(JSON.parse(compiled.body).errors).toMatchObject([{ message, extensions: { code: 'invalid_request' } }]);
});

test('cursors of other groups and forged ones are refused', async () => {
  const { pageInfo } = await groupsOf('of: cost, width: 0.5', 'first: 1');
  const [seal, value] = JSON.parse(Buffer.from(pageInfo.endCursor, 'base64url').toString());
  const forged = (place: string) => Buffer.from(JSON.stringify([seal, value, [place]])).toString('base64url');
  for (const after of [forged('one'), forged('1e5'), forged('Infinity'), forged("1'::numeric")]) {
    const query = `{ messages(first: 0) { groups(first: 1, after: "${after}") { nodes { by { range(of: cost, width: 0.5) { from to } } count } } } }`;
    expectFailure(await gateway.graphql(world.owner, query), 'invalid_request', /cursor/);
  }
});

test('a number that a bearer may not read makes no groups for it', async () => {
  const key = await makeKey(gateway, world.owner, { scopes: ['conversations.read'] });
  const query = (of: string) =>
    `{ messages(first: 0) { groups { nodes { by { range(of: ${of}, width: 1) { from } } count } } } }`;
  expectFailure(await gateway.graphql(key, query('cost')), 'forbidden', /by\.cost: needs the scope analytics\.read/);
  expect((await gateway.graphql(key, query('promptTokens'))).errors).toBeUndefined();
});
