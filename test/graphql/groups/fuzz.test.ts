import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../../src/app.ts';
import { BothWays } from '../../support/compiled/both-ways.ts';
import { useGateway } from '../../support/gateway/app.ts';
import { spanFilter, spanForms } from '../../support/graphql/span-forms.ts';
import { casesOf } from '../../support/random/cases.ts';
import { anyCharacter } from '../../support/random/characters.ts';
import { options } from '../../support/random/seed.ts';
import { makeWorld, type World } from '../../support/world/world.ts';

const gateway = useGateway();
let world: World;
let bothWays: BothWays;
beforeAll(async () => {
  world = await makeWorld(gateway);
  bothWays = new BothWays(gateway);
});

const text = fc.oneof(
  fc.constantFrom('source', '', "'; --", '"', '\\', '~', 'v', '%', '$1', '{}', 'é💥', '__proto__'),
  fc.string({ unit: anyCharacter, maxLength: 5 }).filter((key) => !key.includes('\0')),
);
const moment = fc
  .oneof(
    fc.constantFrom('0001-01-01', '1900-01-01', '2026-03-29', '2026-10-25', '9999-12-31').map((day) => new Date(day)),
    fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
    fc.date({ min: new Date('2026-01-01'), max: new Date('2027-01-01'), noInvalidDate: true }),
  )
  .map((date) => date.toISOString());
const zone = fc.oneof(fc.constantFrom(...Intl.supportedValuesOf('timeZone')), text);
const literal = (value: string) => JSON.stringify(value);

const key = fc.oneof(
  fc
    .record({
      column: fc.constantFrom('createdAt', 'updatedAt'),
      every: fc.constantFrom('hour', 'day', 'week', 'month', 'quarter', 'year'),
      zone,
      weekStart: fc.constantFrom('monday', 'saturday'),
      fill: fc.boolean(),
    })
    .map(
      ({ column, every, zone: name, weekStart, fill }) =>
        `${column}(every: ${every}, timeZone: ${literal(name)}, weekStart: ${weekStart}, fill: ${fill}) { from to partial }`,
    ),
  fc
    .tuple(fc.constantFrom('hourOfDay', 'dayOfWeek'), zone)
    .map(([name, of]) => `${name}(of: updatedAt, timeZone: ${literal(of)})`),
  text.map((name) => `utm(key: ${literal(name)})`),
  text.map((name) => `custom(key: ${literal(name)})`),
  fc.constantFrom('capture', 'hasEmail', 'agent { id leads(first: 0) { groups { nodes { count } } } }', '__typename'),
);
const measure = fc.oneof(
  fc.constantFrom('count', 'distinct { email company }', 'max { createdAt }', 'p95 { updatedAt }', 'avgOf: count'),
  fc
    .tuple(moment, moment)
    .map(([from, to]) => `count(filter: {createdAt: {from: "${from}", to: "${to}"}, hasEmail: true})`),
  fc.constantFrom(
    'previous { count p50 { createdAt } }',
    'rows(first: 2, orderBy: {field: name, direction: asc}) { totalCount nodes { id } }',
  ),
);
const asked = fc.record({
  // Few enough, as a rule, to be answered.
  keys: fc.oneof(fc.array(key, { maxLength: 2 }), fc.array(key, { maxLength: 9 })),
  measures: fc.array(measure, { minLength: 1, maxLength: 4 }),
  filter: fc.oneof(
    fc.constant(''),
    fc
      .tuple(fc.constantFrom(...spanForms), moment, moment)
      .map(([form, from, to]) => spanFilter(form, Date.parse(from), Date.parse(to))),
    fc.tuple(moment, moment).map(([from, to]) => `{or: ${spanFilter('plain', Date.parse(from), Date.parse(to))}}`),
    fc.constantFrom('{not: {createdAt: {last: "1y"}}}', '{and: [{createdAt: {last: "1y"}}], updatedAt: {last: "9m"}}'),
  ),
  order: fc.constantFrom(
    'by',
    'count',
    'maxCreatedAt',
    'distinctCompany',
    'ratio, ratio: {of: distinctEmail}',
    'ratio, ratio: {of: count, ofFilter: {hasEmail: true}, to: distinctCompany}',
  ),
  direction: fc.constantFrom('asc', 'desc'),
  first: fc.integer({ min: -1, max: 101 }),
  after: fc.oneof(fc.constant(''), text),
  having: fc.constantFrom(
    'null',
    '{}',
    '{count: {gte: 2}}',
    '{or: [{distinctCompany: {in: [0, 3]}}, {not: {maxCreatedAt: {last: "1y", whole: true}}}]}',
    '{count: null}',
    '{not: {ratio: {of: distinctEmail, to: distinctCompany, gte: 1, in: [1, 2]}}}',
    '{ratio: [{of: count, ofFilter: {hasEmail: true}, lt: 0.5}, {of: count, to: distinctEmail, isNull: false}]}',
  ),
});

test('whatever is asked of groups is answered or refused, both ways alike', { timeout: 120_000 }, async () => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(asked, async ({ keys, measures, filter, order, direction, first, after, having }) => {
      const by = keys.length > 0 ? `by { ${keys.map((one, at) => `k${at}: ${one}`).join(' ')} }` : '';
      const told = measures.map((one, at) => `m${at}: ${one.replace(/^avgOf: /, '')}`).join(' ');
      const args = `first: ${first}, after: ${literal(after)}, orderBy: {field: ${order}, direction: ${direction}}, having: ${having}`;
      const query = `{ leads(first: 0, filter: ${filter || '{}'}) { totalCount groups(${args}) {
        totalCount nodes { ${by} ${told} } other { count } pageInfo { hasNextPage endCursor } } } }`;
      const { compiled, resolvers } = await bothWays.ask(world.owner, { query });
      expect(compiled.body).toBe(resolvers.body);
      const { data, errors = [] } = JSON.parse(resolvers.body);
      for (const { extensions, message } of errors) {
        expect({ query, message, code: extensions.code }).toMatchObject({ code: 'invalid_request' });
      }
      if (data?.leads?.groups) answered += 1;
    }),
    options(casesOf(150), 'groups'),
  );
  // A few of thirty are valid; were nearly all refused, little would be compared.
  expect(answered).toBeGreaterThanOrEqual(casesOf(150) / 30);
});

test('every time zone that JavaScript names is known', { timeout: 60_000 }, async () => {
  const zones = Intl.supportedValuesOf('timeZone');
  for (let at = 0; at < zones.length; at += 8) {
    const keys = zones.slice(at, at + 8).map((name, index) => `z${index}: hourOfDay(timeZone: "${name}")`);
    await gateway.data(world.owner, `{ leads(first: 0) { groups { nodes { by { ${keys.join(' ')} } count } } } }`);
  }
});

test('the example of the documentation, and groups within groups, are compiled, byte for byte the same', async () => {
  const [, example = ''] = /## Groups[^]*?```graphql\n([^`]*)```/.exec(readFileSync('docs/graphql.md', 'utf8')) ?? [];
  const within = `{ agents { nodes { leads(first: 0) { groups(first: 3) { pageInfo { endCursor } edges { cursor node {
    by { agent { id name } createdAt(every: month) { from to } } count
    rows(last: 2) { totalCount countUpTo { count precision } pageInfo { hasPreviousPage endCursor } edges { cursor node { id } }
      groups(first: 2) { pageInfo { startCursor } nodes { by { dayOfWeek hasEmail } rows(first: 1) { edges { cursor } } } } }
  } } } } } } }`;
  for (const query of [example, within]) {
    const { compiled, resolvers } = await bothWays.ask(world.owner, { query });
    expect([compiled.served, compiled.body]).toEqual([true, resolvers.body]);
    expect(JSON.parse(compiled.body).errors).toBeUndefined();
  }
});

test('groups of a list that many rows share are read once: by the resolvers, where there may be many', async () => {
  const shared = (first: number) =>
    `{ messages(first: ${first}) { nodes { conversation { agent { leads(first: 0) { groups { nodes { count } } } } } } } }`;
  for (const [first, served] of [
    [20, true],
    [21, false],
  ] as const) {
    const { compiled, resolvers } = await bothWays.ask(world.owner, { query: shared(first) });
    expect([compiled.served, compiled.body]).toEqual([served, resolvers.body]);
    expect(JSON.parse(compiled.body).errors).toBeUndefined();
  }
});

describe.each(['compiled', 'resolvers'] as const)('by the %s', (by) => {
  test('what takes too long is refused, and the error says what to narrow', async () => {
    const { services } = gateway;
    const isOut = (text: string) => text.includes('page AS');
    const failure = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
    const refusing = <Target extends object>(target: Target, others: object): Target =>
      new Proxy(target, {
        get(_, name) {
          const value = Reflect.get({ ...others, query: undefined }, name) ?? Reflect.get(target, name);
          if (name === 'query') {
            return (given: string | { text: string }, ...rest: unknown[]) => {
              if (!isOut(typeof given === 'string' ? given : given.text)) return value.call(target, given, ...rest);
              const [done] = rest;
              return typeof done === 'function' ? done(failure) : Promise.reject(failure);
            };
          }
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    const { pool } = services;
    const lease = async (use: Parameters<typeof pool.lease>[0]) => {
      const leased = await pool.lease(use);
      return { ...leased, client: refusing(leased.client, {}) };
    };
    const config = { ...services.config, compiledQueries: by === 'compiled' };
    const slow: typeof pool = refusing(pool, { lease, read: (work: (of: object) => unknown) => work(slow) });
    const app = createApp({ ...services, config, pool: slow }, async () => null);
    const response = await app.request('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${await gateway.bearer(world.owner)}` },
      body: JSON.stringify({ query: '{ leads { totalCount groups { nodes { count } } } }' }),
    });
    const { errors } = (await response.json()) as { errors: { message: string; extensions: object }[] };
    expect(errors[0]).toMatchObject({
      message: expect.stringMatching(/took too long. Narrow the span of filter.createdAt/),
      extensions: { code: 'unavailable' },
    });
  });
});
