import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeKey } from '../../support/auth/keys.ts';
import { expectFailure } from '../../support/gateway/app.ts';
import { useMessages } from '../../support/graphql/grouped-messages.ts';
import { casesOf } from '../../support/random/cases.ts';
import { options } from '../../support/random/seed.ts';

const row = fc.record({
  topic: fc.integer({ min: 0, max: 11 }),
  cost: fc.option(fc.constantFrom(0, 0.1, 0.2, 0.7, 1e-9, 123_456.789)),
  promptTokens: fc.option(fc.integer({ min: 0, max: 9 })),
  model: fc.constantFrom(null, 'a', 'b'),
  at: fc.integer({ min: 0, max: 9 }).map((days) => days * 86_400_000),
});

const grouped = useMessages(row, {
  about: 'rows of ratio order',
  count: 60,
  begin: Date.parse('2026-09-01T12:00:00Z'),
});
const { gateway, ask, read } = grouped;

const part = fc.oneof(
  fc.constantFrom('', '{ model: ["a"] }', '{ promptTokens: { gte: 5 } }', '{ ids: [] }').map((filter) => ({
    name: 'count',
    filter,
  })),
  fc
    .constantFrom('distinctModel', 'sumCost', 'avgPromptTokens', 'maxCost', 'p50PromptTokens')
    .map((name) => ({ name, filter: '' })),
);
const ratio = fc
  .tuple(part, part)
  .map(
    ([of, to]) =>
      `of: ${of.name}, to: ${to.name}${of.filter && `, ofFilter: ${of.filter}`}${to.filter && `, toFilter: ${to.filter}`}`,
  );
const asked = fc.record({
  ratio,
  by: fc.constantFrom(
    'topic: metadata(key: "topic")',
    'topic: metadata(key: "topic") createdAt(every: week, fill: true) { from }',
    'createdAt(every: day, fill: true) { from }',
    '',
  ),
  direction: fc.constantFrom('asc', 'desc'),
  size: fc.integer({ min: 1, max: 9 }),
  bound: fc.constantFrom(0, 0.1, 0.25, 0.5, 1, 2, 30),
  operator: fc.constantFrom('equals', 'gt', 'gte', 'lt', 'lte', 'isNull'),
  isNot: fc.boolean(),
});
type Group = { by?: object; ratio: number | null; count: number };

const compare: Record<string, (value: number, bound: number) => boolean> = {
  equals: (value, bound) => value === bound,
  gt: (value, bound) => value > bound,
  gte: (value, bound) => value >= bound,
  lt: (value, bound) => value < bound,
  lte: (value, bound) => value <= bound,
};
const span = 'createdAt: { from: "2026-09-01", to: "2026-09-11" }';

test('groups are ordered and filtered by the ratio that they have', { timeout: 120_000 }, async () => {
  const seen = { missing: 0, kept: 0, left: 0 };
  await fc.assert(
    fc.asyncProperty(asked, async ({ ratio, by, direction, size, bound, operator, isNot }) => {
      const selected = `${by && `by { ${by} }`} ratio(${ratio}) count`;
      const list = `messages(first: 0, filter: { ${span} })`;
      // The keys break ties.
      const keyed = await read(
        `{ ${list} { groups(first: 100, orderBy: { field: by, direction: asc }) { nodes { ${selected} } } } }`,
      );
      const all: Group[] = keyed.messages.groups.nodes;
      expect(all.length).toBeLessThan(100);
      const sign = direction === 'asc' ? 1 : -1;
      const sorted = all.toSorted((one, other) => {
        if (one.ratio === null || other.ratio === null)
          return Number(one.ratio === null) - Number(other.ratio === null);
        return sign * (one.ratio - other.ratio);
      });
      const isMet = ({ ratio: value }: Group) =>
        operator === 'isNull' ? value === null : value !== null && (compare[operator]?.(value, bound) ?? false);
      const wanted = sorted.filter((group) => isMet(group) !== isNot);
      seen.missing += all.filter(({ ratio: value }) => value === null).length;
      seen.kept += wanted.length;
      seen.left += all.length - wanted.length;

      const condition = `{ ratio: { ${ratio}, ${operator}: ${operator === 'isNull' ? true : bound} } }`;
      const having = isNot ? `{ not: ${condition} }` : condition;
      const order = `{ field: ratio, ratio: { ${ratio} }, direction: ${direction} }`;
      const found: Group[] = [];
      for (let after = 'null', more = true; more; ) {
        const { messages } =
          await read(`{ ${list} { groups(first: ${size}, after: ${after}, having: ${having}, orderBy: ${order}) {
          totalCount nodes { ${selected} } other { count } pageInfo { hasNextPage endCursor } } } }`);
        const { totalCount, nodes, other, pageInfo } = messages.groups;
        found.push(...nodes);
        expect(totalCount).toBe(wanted.length);
        expect(other.count).toBe(wanted.slice(found.length).reduce((sum, { count }) => sum + count, 0));
        after = JSON.stringify(pageInfo.endCursor);
        more = pageInfo.hasNextPage;
      }
      expect(found).toEqual(wanted);
    }),
    options(casesOf(120), 'ratio order'),
  );
  expect(Math.min(seen.missing, seen.kept, seen.left)).toBeGreaterThan(20);
});

test('is HAVING and ORDER BY of SQL', async () => {
  const share = `(count(*) FILTER (WHERE model = 'a'))::float8 / count(*)`;
  const expected = await gateway.database.$queryRawUnsafe<{ topic: string; share: number }[]>(
    `SELECT metadata ->> 'topic' AS topic, ${share} AS share FROM "Message" WHERE "workspaceId" = $1 GROUP BY 1
     HAVING ${share} >= 0.2 AND sum(cost) / nullif(count(DISTINCT model), 0) > 0.1
     ORDER BY 2 DESC, (metadata ->> 'topic') COLLATE "C"`,
    grouped.world.id,
  );
  expect(expected.length).toBeGreaterThan(2);
  const { messages } = await read(
    `query ($having: MessageGroupFilter, $order: MessageGroupOrder, $of: MessageFilter) { messages(first: 0) {
      groups(first: 100, having: $having, orderBy: $order) {
        nodes { by { topic: metadata(key: "topic") } share: ratio(of: count, ofFilter: $of) } } } }`,
    {
      having: {
        ratio: [
          { of: 'count', ofFilter: { model: ['a'] }, gte: 0.2 },
          { of: 'sumCost', to: 'distinctModel', gt: 0.1 },
        ],
      },
      order: { field: 'ratio', ratio: { of: 'count', ofFilter: { model: ['a'] } }, direction: 'desc' },
      of: { model: ['a'] },
    },
  );
  expect(messages.groups.nodes.map(({ by, share: found }: any) => ({ ...by, share: found }))).toEqual(expected);
});

test('holds in the groups of a parent and of a group, and costs as any order', async () => {
  const groups = (args: string) => `groups(${args}) { nodes { by { model } count ratio(of: sumCost)
    rows(first: 1) { totalCount groups(${args}) { nodes { by { topic: metadata(key: "topic") } ratio(of: sumCost) } } } } }`;
  const nested = (args: string) =>
    `{ conversation(id: "${grouped.world.ids.conversationId}") { messages(first: 0) { ${groups(args)} } } }`;
  const of = '{ of: sumCost }';
  const byRatio = nested(
    `having: { ratio: { of: sumCost, gte: 0.05 } }, orderBy: { field: ratio, ratio: ${of}, direction: desc }`,
  );
  const { conversation } = await read(byRatio);
  const { nodes } = conversation.messages.groups;
  expect(nodes.length).toBeGreaterThan(1);
  for (const found of [nodes, ...nodes.map(({ rows }: any) => rows.groups.nodes)]) {
    const ratios = found.map(({ ratio: value }: any) => value);
    expect(ratios).toEqual(ratios.toSorted((one: number, other: number) => other - one));
    expect(Math.min(...ratios)).toBeGreaterThanOrEqual(0.05);
  }
  const costOf = async (query: string) => {
    const asked = 'query ($of: OperationInput!) { operationCost(operation: $of) { cost } }';
    return (await gateway.data(grouped.world.owner, asked, { of: { query } })).operationCost.cost;
  };
  expect(await costOf(byRatio)).toBe(await costOf(nested('orderBy: { field: count, direction: desc }')));
});

test('a cursor belongs to its ratio', async () => {
  const page = (of: string, after: string) =>
    `{ messages(first: 0) { groups(first: 1, after: ${after}, orderBy: { field: ratio, ratio: { ${of} }, direction: asc }) {
      nodes { by { model } } pageInfo { endCursor } } } }`;
  const { messages } = await read(page('of: sumCost', 'null'));
  const after = JSON.stringify(messages.groups.pageInfo.endCursor);
  await read(page('of: sumCost', after));
  for (const other of ['of: maxCost', 'of: sumCost, to: distinctModel', 'of: count, ofFilter: { model: ["a"] }'])
    expectFailure(await ask(page(other, after), {}), 'invalid_request', /^after: .* other groups/);
});

const many = Array.from({ length: 11 }, (_, at) => `{ of: count, ofFilter: { promptTokens: { gt: ${at} } }, gt: 0 }`);
test.each([
  ['orderBy: { field: ratio, direction: asc }', /^orderBy\.ratio: name the ratio/],
  [
    'orderBy: { field: count, ratio: { of: count }, direction: asc }',
    /^orderBy\.ratio: can only be given with the field ratio/,
  ],
  [
    'orderBy: { field: ratio, ratio: { of: sumCost, ofFilter: { ids: [] } }, direction: asc }',
    /^orderBy\.ratio\.ofFilter/,
  ],
  ['having: { ratio: { of: sumCost, to: distinctModel, toFilter: { ids: [] }, gt: 1 } }', /^having\.ratio\.toFilter/],
  ['having: { ratio: { of: sumCost, gt: null } }', /^having\.ratio\.0\.gt: null is not a condition. .*isNull: true/],
  ['having: { ratio: null }', /^having\.ratio: null is not a condition/],
  ['having: { ratio: { of: count, ofFilter: { promptTokens: { gt: null } }, gt: 1 } }', /promptTokens\.gt: null/],
  [`having: { ratio: { of: count, in: [${Array.from({ length: 1001 }, () => 1).join()}] } }`, /at most 1,000 values/],
  [`having: { ratio: [${many.join()}] }`, /^having: must have at most 10 different ratios/],
  ['having: { ratio: { of: by, gt: 1 } }', /MessageGroupNumber/],
])('%s is refused', async (args, message) => {
  const query = `{ messages { groups(${args}) { totalCount } } }`;
  expectFailure(await ask(query, {}), 'invalid_request', message);
});

test('a ratio of what the bearer may not read neither orders nor filters', async () => {
  const key = await makeKey(gateway, grouped.world.owner, { scopes: ['conversations.read'] });
  for (const args of [
    'having: { or: [{ ratio: { of: sumCost, gt: 1 } }] }',
    'orderBy: { field: ratio, ratio: { of: count, to: maxReplyTime }, direction: asc }',
    'orderBy: { field: ratio, ratio: { of: count, ofFilter: { cost: { gt: 1 } } }, direction: asc }',
  ]) {
    const query = `{ messages(first: 0) { groups(${args}) { totalCount } } }`;
    expectFailure(await gateway.graphql(key, query), 'forbidden', /needs the scope analytics\.read/);
  }
});
