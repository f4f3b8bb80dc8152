import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeKey } from '../../support/auth/keys.ts';
import { expectFailure } from '../../support/gateway/app.ts';
import { useMessages } from '../../support/graphql/grouped-messages.ts';
import { casesOf } from '../../support/random/cases.ts';
import { options } from '../../support/random/seed.ts';

const row = fc.record({
  topic: fc.integer({ min: 0, max: 3 }),
  cost: fc.option(fc.integer({ min: 0, max: 40 }).map((tenths) => tenths / 10)),
  promptTokens: fc.option(fc.integer({ min: 0, max: 9 })),
  model: fc.constantFrom(null, 'a', 'b'),
  at: fc.integer({ min: 0, max: 19 * 24 }).map((hours) => hours * 3_600_000),
});

const grouped = useMessages(row, { about: 'rows of cumulative', count: 60, begin: Date.parse('2026-09-01T00:30:00Z') });
const { gateway, ask, read } = grouped;

type Sums = { cost: number | null; promptTokens: number | null };
type Measures = { count: number; ofA: number; sum: Sums };
type Group = Measures & { by: { at: { from: string } } & Record<string, unknown>; cumulative: Measures };

/** Adds what may be missing, in tenths, as fractions do not add up exactly. */
const added = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : (Math.round(one * 10) + Math.round(other * 10)) / 10;

/** The running totals of groups, one by one in the order of time. */
function totalsOf(groups: Group[]): Map<string, Measures> {
  const so = new Map<string, Measures>();
  const totals = new Map<string, Measures>();
  for (const group of groups.toSorted((one, other) => one.by.at.from.localeCompare(other.by.at.from))) {
    const { at: _, ...others } = group.by;
    const series = JSON.stringify(others);
    const before = so.get(series) ?? { count: 0, ofA: 0, sum: { cost: null, promptTokens: null } };
    const total = {
      count: before.count + group.count,
      ofA: before.ofA + group.ofA,
      sum: {
        cost: added(before.sum.cost, group.sum.cost),
        promptTokens: added(before.sum.promptTokens, group.sum.promptTokens),
      },
    };
    so.set(series, total);
    totals.set(JSON.stringify(group.by), total);
  }
  return totals;
}

const measured = 'count ofA: count(filter: { model: ["a"] }) sum { cost promptTokens }';
const asked = fc.record({
  every: fc.constantFrom('day', 'week', 'month'),
  zone: fc.constantFrom('UTC', 'America/Sao_Paulo'),
  fill: fc.boolean(),
  keys: fc.constantFrom('', 'model', 'topic: metadata(key: "topic")', 'range(of: cost, bounds: [1, 3]) { from }'),
  order: fc.constantFrom('by', 'count', 'sumCost', 'cumulativeCount', 'cumulativeSumCost'),
  direction: fc.constantFrom('asc', 'desc'),
  having: fc.constantFrom(
    '',
    'having: { count: { gte: 2 } },',
    'having: { sumCost: { isNull: false } },',
    'having: { cumulativeCount: { gte: 9 }, sumCost: { gte: 1 } },',
  ),
  size: fc.integer({ min: 1, max: 30 }),
});

test('a running total is that of the groups before, whatever is on the page', { timeout: 120_000 }, async () => {
  let found = 0;
  await fc.assert(
    fc.asyncProperty(asked, async ({ every, zone, fill, keys, order, direction, having, size }) => {
      const list = 'messages(first: 0, filter: { createdAt: { from: "2026-09-02", to: "2026-09-20" } })';
      const by = `by { ${keys} at: createdAt(every: ${every}, timeZone: "${zone}", fill: ${fill}) { from } }`;
      const all: Group[] = [];
      for (let after = 'null', more = true; more; ) {
        const { messages } = await read(`{ ${list} { groups(first: 100, after: ${after}) {
          nodes { ${by} ${measured} } pageInfo { hasNextPage endCursor } } } }`);
        all.push(...messages.groups.nodes);
        after = JSON.stringify(messages.groups.pageInfo.endCursor);
        more = messages.groups.pageInfo.hasNextPage;
      }
      const totals = totalsOf(all);
      const sorted = `orderBy: { field: ${order}, direction: ${direction} }`;
      const page = (after: string) => `{ ${list} { groups(first: ${size}, after: ${after}, ${having} ${sorted}) {
        nodes { ${by} cumulative { ${measured} } } other { count } pageInfo { endCursor } } } }`;
      const { messages } = await read(page('null'));
      const { nodes, pageInfo } = messages.groups;
      const next = pageInfo.endCursor
        ? (await read(page(JSON.stringify(pageInfo.endCursor)))).messages.groups.nodes
        : [];
      for (const group of [...nodes, ...next] as Group[]) {
        expect([group.by, group.cumulative]).toEqual([group.by, totals.get(JSON.stringify(group.by))]);
        found += 1;
      }
    }),
    options(casesOf(100), 'cumulative'),
  );
  expect(found).toBeGreaterThan(100);
});

test('is the window of SQL', async () => {
  const expected = await gateway.database.$queryRawUnsafe<{ day: Date; total: number; cost: number }[]>(
    `SELECT date_trunc('day', "createdAt") AS day, (sum(count(*)) OVER (ORDER BY date_trunc('day', "createdAt")))::int AS total,
       (sum(sum(cost::numeric)) OVER (ORDER BY date_trunc('day', "createdAt")))::float8 AS cost
     FROM "Message" WHERE "workspaceId" = $1 GROUP BY 1 ORDER BY 1`,
    grouped.world.id,
  );
  const { messages } =
    await read(`{ messages(first: 0) { groups(first: 100, orderBy: { field: by, direction: asc }) { nodes {
    by { createdAt(every: day) { from } } cumulative { count sum { cost } } } } } }`);
  const found = messages.groups.nodes.map(({ by, cumulative }: any) => ({
    day: new Date(by.createdAt.from),
    total: cumulative.count,
    cost: cumulative.sum.cost,
  }));
  expect(found).toEqual(expected);
  expect(found.at(-1).total).toBe(60);
});

const orders = fc.record({
  model: fc.boolean(),
  field: fc.constantFrom('cumulativeCount', 'cumulativeSumCost', 'count', 'by'),
  direction: fc.constantFrom('asc', 'desc'),
  least: fc.integer({ min: 0, max: 30 }),
  cost: fc.constantFrom('', 'cumulativeSumCost: { gte: 4 }', 'not: { cumulativeSumCost: { gte: 4 } }'),
  size: fc.integer({ min: 1, max: 9 }),
});

test('groups are sorted and filtered by running totals as by the window of SQL', { timeout: 120_000 }, async () => {
  let found = 0;
  await fc.assert(
    fc.asyncProperty(orders, async ({ model, field, direction, least, cost, size }) => {
      const keys = model ? 'day, model' : 'day';
      const window = `OVER (${model ? 'PARTITION BY model ' : ''}ORDER BY day)`;
      const column = { cumulativeCount: 'total', cumulativeSumCost: 'costs', count: 'n', by: 'day' }[field];
      const bound = { '': 'true', c: 'costs >= 4', n: 'NOT (costs >= 4)' }[cost.slice(0, 1)];
      const ties = model && field === 'by' ? `model ${direction} NULLS LAST` : keys;
      const models = model ? `coalesce(model, '') COLLATE "C" AS shown,` : '';
      const expected = await gateway.database.$queryRawUnsafe<{ day: Date; model?: string; total: number }[]>(
        `SELECT day, ${models} total FROM (SELECT ${keys}, n, (sum(n) ${window})::int AS total, sum(cost) ${window} AS costs
           FROM (SELECT date_trunc('day', "createdAt") AS day, ${model ? 'model, ' : ''}count(*) AS n, sum(cost::numeric) AS cost
             FROM "Message" WHERE "workspaceId" = $1 GROUP BY ${keys}) g) t
         WHERE total >= $2 AND ${bound} ORDER BY ${column} ${direction} NULLS LAST, ${ties}`,
        grouped.world.id,
        least,
      );
      const by = `by { createdAt(every: day) { from } ${model ? 'model' : ''} }`;
      const nodes: any[] = [];
      for (let after = 'null', more = true; more; ) {
        const { messages } = await read(`{ messages(first: 0) { groups(first: ${size}, after: ${after},
          having: { cumulativeCount: { gte: ${least} } ${cost} }, orderBy: { field: ${field}, direction: ${direction} }) {
          nodes { ${by} } totalCount pageInfo { hasNextPage endCursor } } } }`);
        expect(messages.groups.totalCount).toBe(expected.length);
        nodes.push(...messages.groups.nodes);
        after = JSON.stringify(messages.groups.pageInfo.endCursor);
        more = messages.groups.pageInfo.hasNextPage;
      }
      const shown = nodes.map(({ by }) => [new Date(by.createdAt.from).getTime(), ...(model ? [by.model ?? ''] : [])]);
      const rows = expected.map((row: any) => [row.day.getTime(), ...(model ? [row.shown] : [])]);
      expect(shown).toEqual(rows);
      found += rows.length;
    }),
    options(casesOf(40), 'cumulative-order'),
  );
  expect(found).toBeGreaterThan(40);
});

test.each([
  ['orderBy: { field: cumulativeCount, direction: asc }', '', /^orderBy\.field: adds up over time/],
  ['having: { or: [{ cumulativeSumCost: { gte: 1 } }] }', 'by { model }', /^having\.cumulativeSumCost: adds up over/],
  [
    'having: { cumulativeCount: { gte: 1 } }',
    'by { createdAt(every: day) { from } updatedAt(every: day) { from } }',
    /^having\.cumulativeCount: adds up over one time span/,
  ],
])('%s is refused without one order by time: "%s"', async (args, by, message) => {
  expectFailure(
    await ask(`{ messages { groups(${args}) { nodes { ${by} count } } } }`, {}),
    'invalid_request',
    message,
  );
});

test('is of one parent and one outer group, and beside other measures', async () => {
  const groups = (keys = '') => `groups(first: 100, orderBy: { field: by, direction: asc }) {
    nodes { by { ${keys} createdAt(every: week) { from } } count cumulative { count } sum { cost } } other { count } }`;
  const { conversation } = await read(`{ conversation(id: "${grouped.world.ids.conversationId}") { messages(first: 0) {
    totalCount ${groups()} byModel: groups { nodes { by { model } count rows(first: 0) { ${groups()} } } } } } }`);
  const { totalCount, groups: all, byModel } = conversation.messages;
  expect(all.nodes.at(-1).cumulative.count).toBe(totalCount);
  for (const { count, rows } of byModel.nodes) expect(rows.groups.nodes.at(-1).cumulative.count).toBe(count);
});

test('charts are told that running totals do not add up, and of their unit', async () => {
  const query = `{ messages { groups { nodes { by { createdAt(every: day) { from } } cumulative { n: count sum { cost } } } } } }`;
  const asked = 'query ($of: OperationInput!) { resultValues(operation: $of) { path kind additive unit } }';
  const { resultValues } = await gateway.data(grouped.world.owner, asked, { of: { query } });
  expect(resultValues).toEqual([
    { path: 'messages.groups.nodes.cumulative.n', kind: 'cumulative', additive: false, unit: null },
    { path: 'messages.groups.nodes.cumulative.sum.cost', kind: 'cumulative', additive: false, unit: 'USD' },
  ]);
});

test.each([
  ['', /^cumulative: adds up over time: select a time span in `by`/],
  ['by { model dayOfWeek }', /^cumulative: adds up over time: select a time span in `by`/],
  ['by { createdAt(every: day) { from } updatedAt(every: day) { from } }', /^cumulative: adds up over one time span/],
  ['by { createdAt(every: day) { from } } previous { cumulative { count } }', /cumulative/],
  ['by { createdAt(every: day) { from } } cumulative { avg { cost } }', /avg/],
])('without one order by time, or of what does not add up, it is refused: "%s"', async (selected, message) => {
  const query = `{ messages { groups { nodes { ${selected} cumulative { count } } } } }`;
  expectFailure(await ask(query, {}), 'invalid_request', message);
});

test('of what the bearer may not read is refused', async () => {
  const key = await makeKey(gateway, grouped.world.owner, { scopes: ['conversations.read'] });
  const query = (sum: string) =>
    `{ messages(first: 0) { groups { nodes { by { createdAt(every: day) { from } } cumulative { sum { ${sum} } } } } } }`;
  expectFailure(await gateway.graphql(key, query('cost')), 'forbidden', /^sum\.cost: needs the scope analytics\.read/);
  expect((await gateway.graphql(key, query('promptTokens'))).errors).toBeUndefined();
  const sorted = `{ messages(first: 0) { groups(orderBy: { field: cumulativeSumCost, direction: asc }) {
    nodes { by { createdAt(every: day) { from } } } } } }`;
  expectFailure(await gateway.graphql(key, sorted), 'forbidden', /^sum\.cost: needs the scope analytics\.read/);
});
