import fc from 'fast-check';
import {
  type GraphQLInputObjectType,
  type GraphQLNamedType,
  getNamedType,
  isEnumType,
  isInputObjectType,
} from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { useGateway } from '../support/gateway/app.ts';
import {
  askPage,
  keysInOrder,
  type List,
  lists,
  type Order,
  type Page,
  readPage,
  walk,
} from '../support/graphql/lists.ts';
import { casesOf, oneOfEach, shareOf, someOf } from '../support/random/cases.ts';
import { options, seed } from '../support/random/seed.ts';
import { insert, keyOf, type Plan, planRow, remove, sortValues } from '../support/world/many-rows.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();
let world: World;
beforeAll(async () => {
  world = await makeWorld(gateway);
  const other = await makeWorld(gateway);
  const types = [...new Set(lists.map(({ row }) => row.name))];
  const values = fc.sample(sortValues, { seed, numRuns: 20 });
  for (const type of types) {
    await insert(
      gateway,
      values.map((value) => planRow(world, type, value)),
    );
    await insert(
      gateway,
      values.slice(0, 3).map((value) => planRow(other, type, value)),
    );
  }
  await addEqualPositions();
});

/** Positions are unique within a conversation or a source, and repeat across them. */
async function addEqualPositions(): Promise<void> {
  const { database } = gateway;
  const { make, ids } = world;
  const [conversation, source] = [make.conversation(), make.source()];
  await database.conversation.create({ data: conversation });
  await database.source.create({ data: source });
  const messages = await database.message.findMany({ where: { conversationId: ids.conversationId } });
  const passages = await database.passage.findMany({ where: { sourceId: ids.sourceId }, select: { position: true } });
  await database.message.createMany({
    data: messages.map(({ position, createdAt }) => ({
      ...make.message(),
      conversationId: conversation.id,
      position,
      createdAt,
    })),
  });
  await database.passage.createMany({
    data: passages.map(({ position }) => ({ ...make.passage(), sourceId: source.id, position })),
  });
  const { id } = await database.channel.create({ data: make.channel() });
  await database.channel.updateMany({ where: { id }, data: { removedAt: new Date() } });
}

const every = oneOfEach(
  lists.map((list) => [list.name, list] as const),
  ([, { row }]) => row.name,
);
const ordersOf = (list: List): Order[] =>
  list.orders.flatMap((field) => [{ field, direction: 'asc' } as const, { field, direction: 'desc' } as const]);
const read = (list: List) => (args: object) => readPage(gateway, world, list, args);

describe('a list read to its end has every row once and in the order of the database:', () => {
  test.each(every)('%s', async (_, list) => {
    for (const orderBy of [undefined, ...someOf(ordersOf(list), 1)]) {
      const expected = await keysInOrder(gateway, world, list, orderBy);
      const args = { ...(orderBy && { orderBy }) };
      for (const way of orderBy ? (['forward', 'backward'] as const) : (['forward', 'backward', 'offset'] as const)) {
        await fc.assert(
          fc.asyncProperty(fc.integer({ min: 3, max: 12 }), async (size) => {
            expect(await walk(read(list), way, { size, args, key: list.key })).toEqual(expected);
          }),
          options(1, `${list.name} ${JSON.stringify(orderBy)} ${way}`),
        );
      }
      const whole = await read(list)({ ...args, first: 100 });
      expect(whole.totalCount).toBe(expected.length);
    }
  });
});

describe('a row that stays is met once while others come and go:', () => {
  // A user has one membership here.
  const changing = someOf(
    every.filter(([name]) => name !== 'User.memberships'),
    8,
  );
  const change = fc.oneof(
    sortValues,
    fc.constant('remove the row of the cursor' as const),
    fc.constant('remove one' as const),
  );

  test.each(changing)('%s', async (_, list) => {
    const cases = fc.record({
      orderBy: fc.constantFrom(...ordersOf(list)),
      way: fc.constantFrom('forward' as const, 'backward' as const),
      size: fc.integer({ min: 2, max: 8 }),
      passing: fc.array(sortValues, { minLength: 3, maxLength: 6 }),
      changes: fc.array(change, { minLength: 4, maxLength: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ orderBy, way, size, passing, changes }) => {
        const stable = await keysInOrder(gateway, world, list, orderBy);
        const plans = passing.map((values) => planRow(world, list.row.name, values));
        await insert(gateway, plans);
        const next = changes.values();
        const between = async (page: Page) => {
          await applyChange(list, next.next().value, page, plans);
          await applyChange(list, next.next().value, page, plans);
        };
        const met = await walk(read(list), way, { size, args: { orderBy }, key: list.key, between });
        await remove(gateway, plans);
        expect(met).toEqual([...new Set(met)]);
        const stays = new Set(stable);
        expect(met.filter((key) => stays.has(key))).toEqual(stable);
      }),
      options(casesOf(2), list.name),
    );
  });

  type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

  async function applyChange(list: List, change: Change | undefined, page: Page, plans: Plan[]): Promise<void> {
    if (change === undefined) return;
    if (typeof change === 'object') {
      const plan = planRow(world, list.row.name, change);
      plans.push(plan);
      return insert(gateway, [plan]);
    }
    const ends = [page.edges[0], page.edges.at(-1)].map((edge) => edge?.node[list.key]);
    const chosen = change === 'remove one' ? plans[0] : plans.find((plan) => ends.includes(keyOf(plan, list)));
    if (!chosen) return;
    plans.splice(plans.indexOf(chosen), 1);
    await remove(gateway, [chosen]);
  }
});

describe('a page that makes no sense is refused by', () => {
  test.each(every)('%s: its size and place', async (_, list) => {
    const max = list.maxPageSize;
    const { pageInfo } = await read(list)({ first: 1 });
    const cursor = pageInfo.endCursor;
    const wrong = [
      ...[-1, max + 1].flatMap((size) => [{ first: size }, { last: size }]),
      { first: 1, last: 1 },
      { last: 1, after: cursor },
      { first: 1, before: cursor },
      { before: cursor },
      { offset: -1 },
      { first: 1, offset: 1, after: cursor },
      { last: 1, offset: 1 },
    ];
    for (const args of wrong) await expectRefused(list, args);
    await read(list)({ first: max });
    await read(list)({ last: max });
  });

  test.each(someOf(every, 10))('%s: a cursor that is not its own', async (_, list) => {
    const [field] = list.orders;
    const orderBy = { field, direction: 'asc' };
    const { pageInfo } = await read(list)({ first: 1, orderBy });
    const cursor = pageInfo.endCursor as string;
    const stranger = lists.find(({ row }) => row !== list.row) as List;
    const strange = await read(stranger)({ first: 1 });
    const place = every.findIndex(([, one]) => one === list);
    const forged = forgeries(cursor).flatMap((text) => [{ after: text }, { last: 1, before: text }]);
    const wrong = [
      { after: strange.pageInfo.endCursor, orderBy },
      { after: cursor, orderBy: { field, direction: 'desc' } },
      ...list.orders.slice(1).map((other) => ({ after: cursor, orderBy: { field: other, direction: 'asc' } })),
      ...(list.hasArgument('search') ? [{ after: cursor, orderBy, search: 'a' }] : []),
      ...otherFilters(list).map((filter) => ({ after: cursor, orderBy, filter })),
      ...shareOf(forged, place, 5).map((args) => ({ ...args, orderBy })),
    ];
    for (const args of wrong) await expectRefused(list, args);
  });
});

test.each(every)(
  '%s: an empty cursor is none, as for the first page of a client that has none yet',
  async (_, list) => {
    const [start, end] = [await read(list)({ first: 1 }), await read(list)({ last: 1 })];
    expect(await read(list)({ first: 1, after: '' })).toEqual(start);
    expect(await read(list)({ first: 1, after: '', before: '' })).toEqual(start);
    expect(await read(list)({ last: 1, before: '', after: '' })).toEqual(end);
  },
);

test('a cursor of another order is told apart from what is no cursor', async () => {
  const list = lists.find(({ name }) => name === 'Query.agents') as List;
  const { pageInfo } = await read(list)({ first: 1 });
  const orderBy = { field: 'name', direction: 'asc' };
  const { errors } = await askPage(gateway, world, list, { after: pageInfo.endCursor, orderBy });
  expect(errors?.[0]?.message).toMatch(/^after: this cursor is from another list, order/);
});

test.each(every.filter(([, list]) => list.hasArgument('search')))(
  '%s: search has at most 500 characters',
  async (_, list) => {
    for (const letter of ['a', '🎉']) await read(list)({ first: 1, search: letter.repeat(500) });
    const { errors } = await askPage(gateway, world, list, { first: 1, search: 'a'.repeat(501) });
    expect(errors?.[0]).toMatchObject({
      message: 'search: must have at most 500 characters',
      extensions: { code: 'invalid_request' },
    });
  },
);

/** Expects 400 with one issue, which names an argument. */
async function expectRefused(list: List, args: object): Promise<void> {
  const { errors } = await askPage(gateway, world, list, args);
  const { code, issues } = errors?.[0]?.extensions ?? {};
  expect({ args, code, issues }).toEqual({
    args,
    code: 'invalid_request',
    issues: [{ message: expect.stringMatching(argument) }],
  });
}
const argument = /^(first|last|after|before|offset)(, \w+)?: /;

/** A value for each argument of the list's filter, one at a time. */
function otherFilters({ field }: List): object[] {
  const filter = field.args.find(({ name }) => name === 'filter');
  if (!filter) return [];
  const fields = Object.values((getNamedType(filter.type) as GraphQLInputObjectType).getFields());
  return fields.map(({ name, type }) => ({ [name]: someValue(getNamedType(type)) }));
}

/** GraphQL coerces a single value to a list. */
function someValue(type: GraphQLNamedType): unknown {
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (type.name === 'Boolean') return true;
  if (type.name === 'TextFilter') return { equals: 'some' };
  if (type.name === 'JsonKeyFilter') return { key: 'some', exists: true };
  if (type.name === 'IntFilter' || type.name === 'FloatFilter') return { gt: 1 };
  // An empty filter is no different filter, so match nothing, or add a condition on a related row.
  if (isInputObjectType(type) && type.getFields().not) return { not: {} };
  return type.name === 'DateTimeRange' ? { from: '2020-01-01T00:00:00Z' } : 'some';
}

/** Texts that are not cursors, and a real cursor with each part changed. */
function forgeries(cursor: string): string[] {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const [seal, value, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  const otherType = typeof value === 'number' ? 'text' : 1;
  return [
    'x',
    '💥',
    'bnVsbA',
    cursor.slice(0, -4),
    `${cursor}AAAA`,
    ...[null, 1, 'text', {}, [], [seal], [seal, value], [seal, value, id, id], [[seal], value, id]].map(encode),
    ...[otherType, true, {}, [], [value], { toString: 1 }].map((forged) => encode([seal, forged, id])),
    ...[null, 1, {}, [id], true, `${id}\0`].map((forged) => encode([seal, value, forged])),
    ...(typeof value === 'number' ? outOfRange.map((forged) => encode([seal, forged, id])) : []),
  ];
}

/** Numbers outside the range of integers and timestamps (the years 1 to 9999). */
const outOfRange = [
  1.5,
  1e300,
  -1e300,
  8.64e15 + 1,
  8.64e15,
  -8.64e15,
  ...['0000-12-31T23:59:59.999Z', '+010000-01-01T00:00:00Z'].map((text) => Date.parse(text)),
];
