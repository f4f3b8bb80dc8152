import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../src/database/ids.ts';
import { BothWays } from '../../support/compiled/both-ways.ts';
import { expectFailure, useGateway } from '../../support/gateway/app.ts';
import { spanFilter, spanForms } from '../../support/graphql/span-forms.ts';
import { type Every, spanAt, spansOf, type Week } from '../../support/graphql/zones.ts';
import { casesOf } from '../../support/random/cases.ts';
import { options } from '../../support/random/seed.ts';
import { makeWorld, type World } from '../../support/world/world.ts';

const hour = 3_600_000;
const day = 24 * hour;
/** Clocks change near the first moments, in one of the zones; the last is the start of a year. */
const turns = ['2018-11-04T03:00Z', '2026-03-08T07:30Z', '2026-03-29T00:59Z', '2026-10-25T01:30Z', '2026-01-01T00:00Z'];
const zones = ['UTC', 'America/New_York', 'America/Sao_Paulo', 'America/Havana', 'Asia/Kolkata', 'Pacific/Chatham'];
const weeks: Week[] = ['monday', 'wednesday', 'sunday'];
const units = { h: 'hour', d: 'day', w: 'week', m: 'month', y: 'year' } as const;

let now = Date.parse('2026-03-11T15:30:00Z');
const gateway = useGateway();
let world: World;
let bothWays: BothWays;
/** Rows at the minutes around the turns, and at days of the years before. */
const moments = turns.flatMap((turn) =>
  [
    ...Array.from({ length: 60 }, (_, at) => (at - 50) * 2.7 * hour),
    ...Array.from({ length: 30 }, (_, at) => at * -31.3 * day),
  ].map((away) => Date.parse(turn) + away),
);

beforeAll(async () => {
  world = await makeWorld(gateway);
  gateway.services.now = () => new Date(now);
  bothWays = new BothWays(gateway);
  const workspaceId = world.id;
  await gateway.database.conversation.updateMany({ where: { workspaceId }, data: { leadId: null } });
  await gateway.database.lead.deleteMany({ where: { workspaceId } });
  const data = moments.map((at) => ({ id: newId('lead'), workspaceId, createdAt: new Date(at) }));
  await gateway.database.lead.createMany({ data });
});

const ask = (query: string, variables: object = {}) => bothWays.agree(world.viewer, query, variables);
async function read(query: string, variables: object = {}) {
  const { data, errors } = await ask(query, variables);
  expect(errors).toBeUndefined();
  return data;
}

const within = (from: number, to: number) => moments.filter((at) => at >= from && at < to).length;
const periods = `query ($created: DateTimeRange!, $zone: String!, $every: TimeUnit!, $weekStart: DayOfWeek!) {
  leads(first: 0, filter: { createdAt: $created }) {
    totalCount
    groups(first: 100, orderBy: { field: by, direction: asc }) {
      nodes {
        by { period: createdAt(every: $every, timeZone: $zone, weekStart: $weekStart, fill: true) { from to partial } }
        count
        previous { count }
      }
    }
  }
}`;

describe('whole', () => {
  const asked = fc.record({
    turn: fc.constantFrom(...turns),
    minutes: fc.integer({ min: -72 * 60, max: 72 * 60 }),
    unit: fc.constantFrom('h', 'd', 'w', 'm', 'y'),
    count: fc.integer({ min: 1, max: 14 }),
    zone: fc.constantFrom(...zones),
    weekStart: fc.constantFrom(...weeks),
  });

  test('periods are as many as asked, the last is over, and none is partial, whatever the clocks do', {
    timeout: 120_000,
  }, async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(asked, async ({ turn, minutes, unit, count, zone, weekStart }) => {
        now = Date.parse(turn) + minutes * 60_000;
        const every: Every = units[unit];
        const clock = { zone, every, weekStart };
        const to = Date.parse(spanAt(now, clock).from);
        let from = to;
        for (let at = 0; at < count; at += 1) from = Date.parse(spanAt(from - 1, clock).from);
        const created = { last: `${count}${unit}`, whole: true, weekStart, timeZone: zone };
        const { leads } = await read(periods, { created, zone, every, weekStart });
        const expected = spansOf(from, to, clock);
        expect(expected).toHaveLength(count);
        expect(leads.groups.nodes).toEqual(
          expected.map((span) => ({
            by: { period: { ...span, partial: false } },
            count: within(Date.parse(span.from), Date.parse(span.to)),
            previous: expect.anything(),
          })),
        );
        expect(leads.totalCount).toBe(within(from, to));
        found += leads.totalCount;
        const [begin, end] = [from, to].map((at) => new Date(at).toISOString());
        const same = await read(periods, { created: { from: begin, to: end, timeZone: zone }, zone, every, weekStart });
        expect(same).toEqual({ leads });
      }),
      options(casesOf(100), 'whole periods'),
    );
    expect(found).toBeGreaterThan(100);
  });

  test.each([
    ['1m', undefined, '2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
    ['1w', undefined, '2026-03-02T00:00:00.000Z', '2026-03-09T00:00:00.000Z'],
    ['1w', 'sunday', '2026-03-01T00:00:00.000Z', '2026-03-08T00:00:00.000Z'],
    ['2y', undefined, '2024-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
  ])(
    '%s, of weeks from %s, is from %s to %s, in a list and in the filter of a count too',
    async (last, weekStart, from, to) => {
      now = Date.parse('2026-03-11T15:30:00Z');
      const query = `query ($created: DateTimeRange!) {
      leads(filter: { createdAt: $created }) { totalCount }
      all: leads(first: 0) { groups { nodes { count(filter: { createdAt: $created }) } } }
    }`;
      const { leads, all } = await read(query, { created: { last, whole: true, weekStart } });
      const count = within(Date.parse(from), Date.parse(to));
      expect([leads.totalCount, all.groups.nodes]).toEqual([count, [{ count }]]);
    },
  );

  test('the period that ends now is over', async () => {
    now = Date.parse('2026-02-01T03:00:00Z');
    const created = { last: '1m', whole: true, timeZone: 'America/Sao_Paulo' };
    const { leads } = await read(periods, { created, zone: 'America/Sao_Paulo', every: 'month', weekStart: 'monday' });
    expect(leads.groups.nodes.map((node: any) => node.by.period)).toEqual([
      { from: '2026-01-01T03:00:00.000Z', to: '2026-02-01T03:00:00.000Z', partial: false },
    ]);
  });

  test('false is the same as without', async () => {
    now = Date.parse('2026-03-11T15:30:00Z');
    const count = 'query ($created: DateTimeRange!) { leads(filter: { createdAt: $created }) { totalCount } }';
    const both = [{ last: '9w', whole: false, weekStart: 'sunday' }, { last: '9w' }];
    const [one, other] = await Promise.all(both.map((created) => read(count, { created })));
    expect(one).toEqual(other);
    expect((await read(count, { created: { from: '2025-01-01', whole: false } })).leads.totalCount).toBeGreaterThan(0);
  });

  test.each<[object, RegExp]>([
    [{ whole: true }, /^filter\.createdAt\.whole: needs filter\.createdAt\.last/],
    [{ whole: true, from: '2026-01-01' }, /^filter\.createdAt\.whole: needs filter\.createdAt\.last/],
    [{ whole: true, last: '1w', from: '2026-01-01' }, /^filter\.createdAt\.last: cannot be combined with from or to/],
    [{ whole: true, last: '0w' }, /^filter\.createdAt\.last: must be a number and a unit/],
    [{ whole: true, last: '101y' }, /^filter\.createdAt\.last: must be a number and a unit/],
    [{ whole: null, last: '1w' }, /^filter\.createdAt\.whole: null is not a condition/],
    [{ whole: true, last: '1w', timeZone: 'Mars' }, /^filter\.createdAt\.timeZone/],
  ])('%j is refused', async (created, message) => {
    const query = 'query ($created: DateTimeRange!) { leads(filter: { createdAt: $created }) { totalCount } }';
    expectFailure(await ask(query, { created }), 'invalid_request', message);
  });
});

describe('partial', () => {
  const asked = fc.record({
    zone: fc.constantFrom(...zones),
    every: fc.constantFrom<Every>('hour', 'day', 'week', 'month', 'quarter', 'year'),
    weekStart: fc.constantFrom(...weeks),
    turn: fc.constantFrom(...turns),
    // Whole days as well, which begin and end with the periods of some zones.
    hours: fc.tuple(fc.integer({ min: -60, max: 0 }), fc.integer({ min: 1, max: 60 })),
    until: fc.integer({ min: -80, max: 80 }),
    form: fc.constantFrom(...spanForms, 'none'),
    fill: fc.boolean(),
  });

  test('is what the filter or the present cuts off, whatever the clocks do', { timeout: 120_000 }, async () => {
    const seen = { true: 0, false: 0 };
    await fc.assert(
      fc.asyncProperty(asked, async ({ zone, every, weekStart, turn, hours, until, form, fill }) => {
        const at = Date.parse(turn) - (Date.parse(turn) % hour);
        const [from, to] = [at + hours[0] * hour, at + hours[1] * hour];
        // The present is within the time that is asked for, before or after it.
        now = at + until * hour;
        const filter = form === 'none' ? '{}' : spanFilter(form, from, to);
        const filled = fill && form !== 'none';
        const period = `createdAt(every: ${every}, timeZone: "${zone}", weekStart: ${weekStart}, fill: ${filled})`;
        const query = `{ leads(first: 0, filter: ${filter}) { groups(first: 100) {
          nodes { by { period: ${period} { partial from to } } } } } }`;
        const { leads } = await read(query);
        const [begin, end] = form === 'none' ? [-Infinity, now] : [from, Math.min(to, now)];
        for (const { by } of leads.groups.nodes) {
          const span = spanAt(Date.parse(by.period.from), { zone, every, weekStart });
          const partial = Date.parse(span.from) < begin || Date.parse(span.to) > end;
          expect(by.period).toEqual({ ...span, partial });
          seen[`${partial}`] += 1;
        }
      }),
      options(casesOf(150), 'partial periods'),
    );
    expect(Math.min(seen.true, seen.false)).toBeGreaterThan(10);
  });

  test('is by the time of each request, also of the same text', async () => {
    const created = '{ from: "2026-03-01", to: "2026-05-01" }';
    const query = `{ leads(first: 0, filter: { createdAt: ${created} }) { groups(orderBy: { field: by, direction: asc }) {
      nodes { by { createdAt(every: month, fill: true) { partial } } } } } }`;
    for (const [at, expected] of [
      ['2026-03-31T23:59:59.999Z', [true, true]],
      ['2026-04-01T00:00:00Z', [false, true]],
      ['2026-05-01T00:00:00Z', [false, false]],
    ] as const) {
      now = Date.parse(at);
      const { leads } = await read(query);
      expect(leads.groups.nodes.map(({ by }: any) => by.createdAt.partial)).toEqual(expected);
    }
  });

  test('is said in the groups of a group, and of edges, and of another time of the rows', async () => {
    now = Date.parse('2026-03-11T15:30:00Z');
    const query = `{ leads(first: 0, filter: { createdAt: { last: "3w" } }) { groups { edges { node {
      by { hasEmail }
      rows(first: 0) { groups(first: 100, orderBy: { field: by, direction: asc }) { nodes {
        by { createdAt(every: week, fill: true) { from partial } } count } } } } } } } }`;
    const { leads } = await read(query);
    const [{ node }] = leads.groups.edges;
    const nodes = node.rows.groups.nodes.map((group: any) => [
      group.by.createdAt.from.slice(0, 10),
      group.by.createdAt.partial,
    ]);
    expect(nodes).toEqual([
      ['2026-02-16', true],
      ['2026-02-23', false],
      ['2026-03-02', false],
      ['2026-03-09', true],
    ]);
  });
});
