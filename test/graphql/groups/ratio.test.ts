import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectFailure } from '../../support/gateway/app.ts';
import { useMessages } from '../../support/graphql/grouped-messages.ts';
import { casesOf } from '../../support/random/cases.ts';
import { options } from '../../support/random/seed.ts';

const begin = Date.parse('2026-09-01T12:00:00Z');

const row = fc.record({
  topic: fc.integer({ min: 0, max: 6 }),
  cost: fc.option(fc.constantFrom(0, 0.1, 0.2, 0.7, 1e-9, 123_456.789)),
  promptTokens: fc.option(fc.integer({ min: 0, max: 9 })),
  model: fc.constantFrom(null, 'a', 'b'),
  at: fc.integer({ min: 0, max: 9 }).map((days) => days * 86_400_000),
});

const grouped = useMessages(row, { about: 'rows of ratio', count: 50, begin: begin });
const { gateway, ask } = grouped;

/** Numbers, by their name in a ratio, and how to select them. */
const numbers = {
  count: 'count',
  distinctModel: 'distinct { model }',
  sumCost: 'sum { cost }',
  avgPromptTokens: 'avg { promptTokens }',
  maxCost: 'max { cost }',
  p50PromptTokens: 'p50 { promptTokens }',
};
type Name = keyof typeof numbers;
const filters = [null, '{ model: ["a"] }', '{ promptTokens: { gte: 5 } }', '{ ids: [] }'];
const part = fc.record({
  name: fc.constantFrom(...(Object.keys(numbers) as Name[])),
  filter: fc.constantFrom(...filters),
});
/** The filter of a part: only rows are counted by one. */
const filterOf = ({ name, filter }: { name: Name; filter: string | null }) => (name === 'count' ? filter : null);
const asked = fc.record({
  of: part,
  to: part,
  by: fc.constantFrom('topic: metadata(key: "topic")', 'createdAt(every: day, fill: true) { from }', ''),
  size: fc.constantFrom(0, 3, 100),
});

test('is one measure divided by another, in groups, the time before and other', { timeout: 120_000 }, async () => {
  const seen = { missing: 0, found: 0 };
  await fc.assert(
    fc.asyncProperty(asked, async ({ of, to, by, size }) => {
      const [ofFilter, toFilter] = [filterOf(of), filterOf(to)];
      const select = ({ name }: typeof of, filter: string | null) =>
        filter ? `count(filter: ${filter})` : numbers[name];
      const args = [
        `of: ${of.name}`,
        `to: ${to.name}`,
        ...(ofFilter ? [`ofFilter: ${ofFilter}`] : []),
        ...(toFilter ? [`toFilter: ${toFilter}`] : []),
      ];
      const aliased = (alias: string, text: string) => `${alias}: ${text}`;
      const measures = `ratio(${args.join(', ')}) ${aliased('of', select(of, ofFilter))} ${aliased('to', select(to, toFilter))}`;
      const keys = by && `by { ${by} }`;
      const groups = `groups(first: ${size}) { nodes { ${keys} ${measures} previous { ${measures} } } other { ${measures} } }`;
      const filter = 'createdAt: { from: "2026-09-04", to: "2026-09-14" }';
      const { data, errors } = await ask(`{ messages(first: 0, filter: { ${filter} }) { ${groups} } }`);
      expect(errors).toBeUndefined();
      const { nodes, other } = data.messages.groups;
      const numberOf = (value: any): number | null =>
        typeof value === 'object' && value !== null ? (Object.values(value)[0] as number | null) : value;
      for (const group of [...nodes, ...nodes.map(({ previous }: any) => previous), other]) {
        const [dividend, divisor] = [numberOf(group.of), numberOf(group.to)];
        const expected = dividend === null || !divisor ? null : dividend / divisor;
        expect(group.ratio).toBe(expected);
        seen[expected === null ? 'missing' : 'found'] += 1;
      }
    }),
    options(casesOf(150), 'ratio'),
  );
  expect(Math.min(seen.missing, seen.found)).toBeGreaterThan(20);
});

test('is the division of SQL', async () => {
  const expected = await gateway.database.$queryRawUnsafe<{ topic: string; share: number; each: number | null }[]>(
    `SELECT metadata ->> 'topic' AS topic, (count(*) FILTER (WHERE model = 'a'))::float8 / count(*) AS share,
       sum(cost::numeric)::float8 / nullif(count(DISTINCT model), 0) AS each
     FROM "Message" WHERE "workspaceId" = $1 GROUP BY 1 ORDER BY (metadata ->> 'topic') COLLATE "C"`,
    grouped.world.id,
  );
  const { data } = await ask(
    `query ($filter: MessageFilter, $to: MessageGroupNumber!) { messages(first: 0) {
      groups(orderBy: { field: by, direction: asc }) { nodes {
        by { topic: metadata(key: "topic") } share: ratio(of: count, ofFilter: $filter) each: ratio(of: sumCost, to: $to) } } } }`,
    { filter: { model: ['a'] }, to: 'distinctModel' },
  );
  expect(data.messages.groups.nodes.map(({ by, share, each }: any) => ({ ...by, share, each }))).toEqual(expected);
  expect(expected.length).toBeGreaterThan(3);
});

test('is no sum, and of rows by all rows a share: charts are told so', async () => {
  const query = `query ($f: MessageFilter, $to: MessageGroupNumber! = distinctModel) { messages { groups { nodes {
    a: ratio(of: count, ofFilter: $f) b: ratio(of: count, to: count, toFilter: null) c: ratio(of: count, to: $to)
    d: ratio(of: count, toFilter: $f) previous { a: ratio(of: count) e: ratio(of: sumCost) }
  } } } }`;
  const asked = 'query ($of: OperationInput!) { resultValues(operation: $of) { path kind additive } }';
  const { resultValues } = await gateway.data(grouped.world.owner, asked, { of: { query } });
  expect(resultValues.map(({ path, ...told }: { path: string }) => [path.slice(22), told])).toEqual(
    Object.entries({
      a: 'share',
      b: 'share',
      c: 'ratio',
      d: 'ratio',
      'previous.a': 'share',
      'previous.e': 'ratio',
    }).map(([path, kind]) => [path, { kind, additive: false }]),
  );
});

test.each([
  ['of: sumCost, ofFilter: { byPerson: true }', /^ratio\.ofFilter: can only be given with of: count/],
  ['of: count, to: distinctModel, toFilter: { byPerson: true }', /^ratio\.toFilter: can only be given with to: count/],
  ['of: count, ofFilter: { promptTokens: { gt: null } }', /promptTokens\.gt: null is not a condition/],
  ['of: by', /MessageGroupNumber/],
  ['of: maxCreatedAt', /MessageGroupNumber/],
])('%s is refused', async (args, message) => {
  const query = `{ messages { groups { nodes { ratio(${args}) } } } }`;
  expectFailure(await ask(query), 'invalid_request', message);
});

test('of what the viewer may not read is refused', async () => {
  const query = '{ messages { groups { nodes { ratio(of: count, to: sumCost) } } } }';
  expectFailure(await gateway.graphql(grouped.world.app, query), 'forbidden', /^sum\.cost/);
});
