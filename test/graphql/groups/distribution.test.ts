import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeKey } from '../../support/auth/keys.ts';
import { expectFailure } from '../../support/gateway/app.ts';
import { useMessages } from '../../support/graphql/grouped-messages.ts';
import { casesOf } from '../../support/random/cases.ts';
import { options } from '../../support/random/seed.ts';

const row = fc.record({
  topic: fc.integer({ min: 0, max: 14 }),
  cost: fc.option(fc.constantFrom(0, 0.1, 0.2, 0.7, 1e-9, 123_456.789)),
  promptTokens: fc.option(fc.integer({ min: 0, max: 9 })),
  model: fc.constantFrom(null, 'a', 'b'),
  at: fc.integer({ min: 0, max: 9 }).map((days) => days * 86_400_000),
});
const grouped = useMessages(row, {
  about: 'rows of distribution',
  count: 60,
  begin: Date.parse('2026-09-01T12:00:00Z'),
});
const { gateway, ask, read } = grouped;

type Part = { range: { from: number | null; to: number | null } | null; count: number; rows: number };

/** The groups with their numbers, as SQL makes them. */
const groupsOfSql = async (number: string, key: string, having: string) =>
  gateway.database.$queryRawUnsafe<{ n: number; value: number | null }[]>(
    `SELECT count(*)::int AS n, (${number})::float8 AS value FROM "Message" WHERE "workspaceId" = $1 GROUP BY ${key} HAVING ${having}`,
    grouped.world.id,
  );

const numbers = {
  count: 'count(*)',
  distinctModel: 'count(DISTINCT "model")',
  sumPromptTokens: 'sum("promptTokens")',
  avgPromptTokens: 'avg("promptTokens")',
  maxCost: 'max("cost")',
  p50PromptTokens: 'percentile_disc(0.5) WITHIN GROUP (ORDER BY "promptTokens")',
};
const asked = fc.record({
  of: fc.constantFrom(...(Object.keys(numbers) as (keyof typeof numbers)[])),
  by: fc.constantFrom(
    { selected: 'topic: metadata(key: "topic")', key: `"metadata" ->> 'topic'` },
    { selected: 'topic: metadata(key: "topic") model', key: `"metadata" ->> 'topic', "model"` },
    { selected: 'createdAt(every: day) { from }', key: `date_trunc('day', "createdAt" AT TIME ZONE 'UTC')` },
  ),
  bounds: fc
    .uniqueArray(fc.constantFrom(-1, 0, 0.1, 0.2, 1, 2, 2.5, 3, 4, 5, 6, 9, 20, 100_000), {
      minLength: 1,
      maxLength: 8,
    })
    .map((some) => some.toSorted((a, b) => a - b)),
  isFiltered: fc.boolean(),
  size: fc.integer({ min: 0, max: 5 }),
});

test('groups are counted by how much of a number they have, as SQL counts them, both ways', async () => {
  const property = fc.asyncProperty(asked, async ({ of, by, bounds, isFiltered, size }) => {
    const expected = await groupsOfSql(numbers[of], by.key, isFiltered ? 'count(*) >= 3' : 'true');
    const { messages } = await read(
      `query ($bounds: [Float!]!) { messages(first: 0) { groups(first: ${size}${isFiltered ? ', having: { count: { gte: 3 } }' : ''}) {
        totalCount nodes { by { ${by.selected} } } some: distribution(of: ${of}, bounds: $bounds) { range { from to } count rows }
        fixed: distribution(bounds: [${bounds.join()}]) { rows range { from } } } } }`,
      { bounds },
    );
    const within = ({ from, to }: { from: number | null; to: number | null }) =>
      expected.filter(({ value }) => value !== null && value >= (from ?? -Infinity) && value < (to ?? Infinity));
    const ranges = [null, ...bounds].map((from, at) => ({ from, to: bounds[at] ?? null }));
    const parts: Part[] = ranges.map((range) => {
      const groups = within(range);
      return { range, count: groups.length, rows: groups.reduce((sum, { n }) => sum + n, 0) };
    });
    const missing = expected.filter(({ value }) => value === null);
    if (missing.length > 0)
      parts.push({ range: null, count: missing.length, rows: missing.reduce((sum, { n }) => sum + n, 0) });
    const { some, fixed, totalCount } = messages.groups;
    expect(some).toEqual(parts.filter(({ range, count }) => range === null || range.from !== null || count > 0));
    expect(some.reduce((sum: number, { count }: Part) => sum + count, 0)).toBe(totalCount);
    const rows = fixed.reduce((sum: number, part: Part) => sum + part.rows, 0);
    expect(rows).toBe(expected.reduce((sum, { n }) => sum + n, 0));
  });
  await fc.assert(property, options(casesOf(25), 'distribution'));
});

test('it is of the groups of each parent and of each group, those that fill adds included', async () => {
  const part = 'distribution(bounds: [1, 2]) { range { from to } count rows }';
  const { conversation } = await read(`{ conversation(id: "${grouped.world.ids.conversationId}") { messages(first: 0,
    filter: { createdAt: { from: "2026-09-01", to: "2026-09-21" } }) { groups(first: 3) { nodes { by { topic: metadata(key: "topic") } count rows(first: 0) {
    groups(first: 0) { totalCount nodes { by { createdAt(every: day, fill: true) { from } } } ${part} } } } } } } }`);
  for (const { count, rows } of conversation.messages.groups.nodes) {
    expect(rows.groups.totalCount).toBe(20);
    const [none, ...some] = rows.groups.distribution;
    expect(none).toMatchObject({ range: { from: null, to: 1 }, rows: 0 });
    expect(some.map(({ range }: Part) => range?.from)).toEqual([1, 2]);
    expect(some.reduce((sum: number, { rows: of }: Part) => sum + of, 0)).toBe(count);
  }
});

test('its numbers add up, its ranges are keys, and it costs what its ranges do', async () => {
  const query = (bounds: string) =>
    `{ messages { groups(first: 0) { nodes { by { model } } distribution(bounds: [${bounds}]) { range { from to } count } } } }`;
  const asking = `query ($of: OperationInput!) { resultValues(operation: $of) { path kind additive }
    operationCost(operation: $of) { cost } }`;
  const short = await gateway.data(grouped.world.owner, asking, { of: { query: query('1') } });
  const long = await gateway.data(grouped.world.owner, asking, {
    of: { query: query(Array.from({ length: 100 }, (_, at) => at).join()) },
  });
  const path = 'messages.groups.distribution';
  expect(short.resultValues).toEqual(
    expect.arrayContaining([
      { path: `${path}.count`, kind: 'count', additive: true },
      expect.objectContaining({ path: `${path}.range.from`, kind: 'key' }),
    ]),
  );
  expect(long.operationCost.cost - short.operationCost.cost).toBeGreaterThanOrEqual(99);
});

describe('it is refused', () => {
  test.each([
    ['bounds: []', /^distribution\.bounds: must have 1 to 100 numbers, got 0\.$/],
    ['bounds: [1, 1]', /^distribution\.bounds: must ascend, but 1 follows 1\.$/],
    [`bounds: [${Array.from({ length: 101 }, (_, at) => at).join()}]`, /^distribution\.bounds: must have 1 to 100/],
  ])('with %#: the argument is named', async (args, message) => {
    const query = `{ messages { groups { distribution(${args}) { count } } } }`;
    expectFailure(await ask(query), 'invalid_request', message);
  });

  test('of what the viewer may not read', async () => {
    const key = await makeKey(gateway, grouped.world.owner, { scopes: ['conversations.read'] });
    const query = '{ messages { groups { distribution(of: sumCost, bounds: [1]) { count } } } }';
    expectFailure(await gateway.graphql(key, query), 'forbidden', /^sum\.cost: needs the scope analytics\.read/);
  });
});
