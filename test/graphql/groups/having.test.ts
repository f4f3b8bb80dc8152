import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectFailure } from '../../support/gateway/app.ts';
import { useMessages } from '../../support/graphql/grouped-messages.ts';
import { casesOf } from '../../support/random/cases.ts';
import { options } from '../../support/random/seed.ts';

const day = 86_400_000;
const begin = Date.parse('2026-09-01T12:00:00Z');

const row = fc.record({
  topic: fc.integer({ min: 0, max: 11 }),
  cost: fc.option(fc.integer({ min: 0, max: 40 }).map((tenths) => tenths / 10)),
  promptTokens: fc.option(fc.integer({ min: 0, max: 9 })),
  model: fc.constantFrom(null, 'a', 'b', 'c'),
  at: fc.integer({ min: 0, max: 9 }).map((days) => days * 86_400_000),
});

const grouped = useMessages(row, { about: 'rows of having', count: 60, begin, now: new Date(begin + 10 * day) });
const { gateway, ask, read } = grouped;

const measured = `count distinct { model } sum { cost promptTokens } avg { promptTokens cost } max { cost createdAt }
  min { promptTokens } p50 { promptTokens cost }`;
type Group = { by: object } & Record<string, any>;
const nameOf = (field: string, column: string) => `${field}${column.slice(0, 1).toUpperCase()}${column.slice(1)}`;

/** The measures of a group, by their names in `having`. */
function measuresOf(group: Group): Record<string, number | string | null> {
  const { by: _, previous: _previous, rows: _rows, count, ...others } = group;
  const named = Object.entries(others).flatMap(([field, values]) =>
    Object.entries(values as object).map(([column, value]) => [nameOf(field, column), value]),
  );
  return { count, ...Object.fromEntries(named) };
}

const compare: Record<string, (value: number, operand: any) => boolean> = {
  equals: (value, operand) => value === operand,
  in: (value, operand) => operand.includes(value),
  gt: (value, operand) => value > operand,
  gte: (value, operand) => value >= operand,
  lt: (value, operand) => value < operand,
  lte: (value, operand) => value <= operand,
};

/** Whether a group meets a filter of groups. */
function meets(measures: ReturnType<typeof measuresOf>, having: object): boolean {
  return Object.entries(having).every(([name, value]) => {
    if (name === 'and') return value.every((part: object) => meets(measures, part));
    if (name === 'or') return value.some((part: object) => meets(measures, part));
    if (name === 'not') return !meets(measures, value);
    const measure = measures[name] ?? null;
    return Object.entries(value).every(([operator, operand]: [string, any]) => {
      if (operator === 'isNull') return (measure === null) === operand;
      if (measure === null) return false;
      if (operator === 'from') return Date.parse(measure as string) >= Date.parse(operand);
      if (operator === 'to') return Date.parse(measure as string) < Date.parse(operand);
      return compare[operator]?.(measure as number, operand);
    });
  });
}

const number = fc.integer({ min: 0, max: 8 });
const fraction = fc.integer({ min: 0, max: 160 }).map((tenths) => tenths / 10);
const operators = (of: fc.Arbitrary<number>, isNullable: boolean) =>
  fc.oneof(
    fc.tuple(fc.constantFrom('equals', 'gt', 'gte', 'lt', 'lte'), of).map(([name, value]) => ({ [name]: value })),
    fc.record({ gte: of, lte: of }),
    fc.array(of, { maxLength: 4 }).map((values) => ({ in: values })),
    fc.constantFrom({ isNull: true }, { isNull: false }, {}).map((one) => (isNullable ? one : {})),
  );
const moment = fc.integer({ min: 0, max: 10 }).map((days) => new Date(begin + days * day).toISOString());
const condition = fc.oneof(
  fc
    .tuple(fc.constantFrom('count', 'distinctModel'), operators(number, false))
    .map(([name, value]) => ({ [name]: value })),
  fc
    .tuple(fc.constantFrom('sumPromptTokens', 'minPromptTokens', 'p50PromptTokens'), operators(number, true))
    .map(([name, value]) => ({ [name]: value })),
  fc
    .tuple(fc.constantFrom('sumCost', 'avgPromptTokens', 'maxCost', 'p50Cost'), operators(fraction, true))
    .map(([name, value]) => ({ [name]: value })),
  fc.record({ maxCreatedAt: fc.record({ from: moment, to: moment }, { requiredKeys: [] }) }),
);
const { having: anyHaving } = fc.letrec<{ having: object; part: object }>((tie) => ({
  part: fc.oneof({ depthSize: 'small' }, condition, tie('having')),
  having: fc.oneof(
    { depthSize: 'small' },
    condition,
    fc.tuple(condition, condition).map(([one, other]) => ({ ...one, ...other })),
    fc.array(tie('part'), { maxLength: 3 }).map((parts) => ({ and: parts })),
    fc.array(tie('part'), { maxLength: 3 }).map((parts) => ({ or: parts })),
    tie('part').map((part) => ({ not: part })),
  ),
}));

const asked = fc.record({
  having: anyHaving,
  keys: fc.constantFrom(
    'topic: metadata(key: "topic")',
    'topic: metadata(key: "topic") model',
    'createdAt(every: day, fill: true) { from }',
    'topic: metadata(key: "topic") createdAt(every: week, fill: true) { from partial }',
    '',
  ),
  order: fc.constantFrom('by', 'count', 'sumCost', 'avgPromptTokens'),
  direction: fc.constantFrom('asc', 'desc'),
  size: fc.integer({ min: 0, max: 9 }),
  isLiteral: fc.boolean(),
});

/** Writes a value as a literal of GraphQL. */
const literal = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, one]) => `${key}: ${literal(one)}`)
    .join(', ')}}`;
};

const span = 'createdAt: { from: "2026-09-03", to: "2026-09-11" }';

test('only groups that meet the conditions are in pages, totalCount and other', { timeout: 120_000 }, async () => {
  const seen = { all: 0, some: 0, none: 0 };
  await fc.assert(
    fc.asyncProperty(asked, async ({ having, keys, order, direction, size, isLiteral }) => {
      const by = keys && `by { ${keys} }`;
      const sorted = `orderBy: { field: ${order}, direction: ${direction} }`;
      const list = `messages(first: 0, filter: { ${span} })`;
      const whole = await read(
        `{ ${list} { groups(first: 100, ${sorted}) { nodes { ${by} ${measured} previous { count } } } } }`,
      );
      const all: Group[] = whole.messages.groups.nodes;
      expect(all.length).toBeLessThan(100);
      const wanted = all.filter((group) => meets(measuresOf(group), having));
      seen[wanted.length === 0 ? 'none' : wanted.length < all.length ? 'some' : 'all'] += 1;

      const text = isLiteral ? literal(having) : '$having';
      const query = `query ($after: String${isLiteral ? '' : ', $having: MessageGroupFilter'}) { ${list} {
        groups(first: ${size}, after: $after, having: ${text}, ${sorted}) {
          totalCount nodes { ${by} ${measured} previous { count } } other { count sum { cost } max { cost } }
          pageInfo { hasNextPage endCursor }
        } } }`;
      const { messages } = await read(query, isLiteral ? {} : { having });
      const { totalCount, nodes, other, pageInfo } = messages.groups;
      expect(nodes).toEqual(wanted.slice(0, size));
      expect([totalCount, pageInfo.hasNextPage]).toEqual([wanted.length, wanted.length > size]);
      const rest = wanted.slice(size);
      const costs = rest.flatMap(({ sum }) => (sum.cost === null ? [] : [sum.cost * 10]));
      const highest = rest.flatMap(({ max }) => (max.cost === null ? [] : [max.cost]));
      expect(other).toEqual({
        count: rest.reduce((sum, { count }) => sum + count, 0),
        sum: { cost: costs.length > 0 ? Math.round(costs.reduce((sum, one) => sum + one, 0)) / 10 : null },
        max: { cost: highest.length > 0 ? Math.max(...highest) : null },
      });
      if (!pageInfo.hasNextPage || size === 0) return;
      const next = await read(query, { after: pageInfo.endCursor, ...(isLiteral ? {} : { having }) });
      expect(next.messages.groups.nodes).toEqual(wanted.slice(size, 2 * size));
    }),
    options(casesOf(200), 'having'),
  );
  expect(Math.min(seen.none, seen.some, seen.all)).toBeGreaterThan(1);
});

test('is HAVING of SQL', async () => {
  const expected = await gateway.database.$queryRawUnsafe<{ topic: string; n: number; cost: number }[]>(
    `SELECT metadata ->> 'topic' AS topic, count(*)::int AS n, sum(cost::numeric)::float AS cost FROM "Message"
     WHERE "workspaceId" = $1 GROUP BY 1 HAVING count(*) >= 4 AND sum(cost) < 12 ORDER BY count(*) DESC, (metadata ->> 'topic') COLLATE "C"`,
    grouped.world.id,
  );
  expect(expected.length).toBeGreaterThan(1);
  const { messages } = await read(`{ messages(first: 0) {
    groups(first: 100, having: { count: { gte: 4 }, sumCost: { lt: 12 } }) {
      nodes { by { topic: metadata(key: "topic") } count sum { cost } } } } }`);
  const found = messages.groups.nodes.map(({ by, count, sum }: Group) => ({ ...by, n: count, cost: sum.cost }));
  expect(found).toEqual(expected);
});

test('holds in the groups of a group and of a parent, for a time that ends now, and with rows', async () => {
  const inner = 'groups(having: { count: { gt: 1 } }) { totalCount nodes { by { model } count } }';
  const query = `{ conversation(id: "${grouped.world.ids.conversationId}") { messages(first: 0) {
    groups(first: 3, having: { maxCreatedAt: { last: "3d" }, count: { gte: 2 } }) {
      nodes { by { topic: metadata(key: "topic") } count max { createdAt } rows(first: 1) { totalCount nodes { id } ${inner} } }
    } } } }`;
  const { conversation } = await read(query);
  const { nodes } = conversation.messages.groups;
  expect(nodes).toHaveLength(3);
  for (const { count, max, rows } of nodes) {
    expect(count).toBeGreaterThan(1);
    expect(Date.parse(max.createdAt)).toBeGreaterThanOrEqual(begin + 7 * day);
    expect([rows.totalCount, rows.nodes.length]).toEqual([count, 1]);
    expect(rows.groups.nodes.every((group: Group) => group.count > 1)).toBe(true);
  }
  const shorter = await read(query.replace('"3d"', '"1h"'));
  expect(shorter.conversation.messages.groups.nodes).toEqual([]);
});

test('a cursor belongs to its conditions', async () => {
  const page = (having: string, after: string) =>
    `{ messages(first: 0) { groups(first: 1, after: ${after}, having: ${having}) {
      nodes { by { model } } pageInfo { endCursor } } } }`;
  const { messages } = await read(page('{ count: { gt: 1 } }', 'null'));
  const after = JSON.stringify(messages.groups.pageInfo.endCursor);
  await read(page('{ count: { gt: 1 } }', after));
  for (const other of ['{ count: { gt: 2 } }', 'null', '{}']) {
    expectFailure(await ask(page(other, after)), 'invalid_request', /^after: this cursor is from other groups/);
  }
});

describe('is refused', () => {
  const groups = (having: object, viewer = grouped.world.owner) =>
    grouped.bothWays
      .ask(viewer, {
        query: 'query ($having: MessageGroupFilter) { messages { groups(having: $having) { totalCount } } }',
        variables: { having },
      })
      .then(({ compiled, resolvers }) => {
        expect(compiled.body).toBe(resolvers.body);
        return JSON.parse(resolvers.body);
      });

  test.each<[object, RegExp]>([
    [{ count: null }, /^having\.count: null is not a condition/],
    [{ sumCost: { gt: null } }, /^having\.sumCost\.gt: null is not a condition. .*isNull: true/],
    [{ maxCreatedAt: { last: '3' } }, /^having\.maxCreatedAt\.last: must be a number and a unit/],
    [{ not: { or: [{ minCreatedAt: { timeZone: 'Mars', last: '1d' } }] } }, /^having\.not\.or\.minCreatedAt\.timeZone/],
    [{ count: { in: Array.from({ length: 1001 }, () => 1) } }, /^having\.count: must have at most 1,000 values/],
    [{ and: Array.from({ length: 101 }, () => ({ count: { gt: 1 } })) }, /^having: must have at most 100 conditions/],
    [{ by: { gt: 1 } }, /having/],
  ])('%j', async (having, message) => {
    expectFailure(await groups(having), 'invalid_request', message);
  });

  test('for a measure that the viewer may not read', async () => {
    const app = await gateway.graphql(
      grouped.world.app,
      '{ messages { groups(having: { sumCost: { gt: 1 } }) { totalCount } } }',
    );
    expectFailure(app, 'forbidden', /^sum\.cost/);
  });
});
