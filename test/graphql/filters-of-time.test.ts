import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import { BothWays } from '../support/compiled/both-ways.ts';
import { expectFailure, useGateway } from '../support/gateway/app.ts';
import { spanAt, spansOf } from '../support/graphql/zones.ts';
import { casesOf } from '../support/random/cases.ts';
import { options } from '../support/random/seed.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const now = new Date('2026-03-09T15:30:00.000Z');
let clock = () => now;
const gateway = useGateway();
let world: World;
let bothWays: BothWays;
const day = 86_400_000;
const moments = Array.from({ length: 80 }, (_, index) => new Date(now.getTime() - 400 * day + index * 5.03 * day));

beforeAll(async () => {
  world = await makeWorld(gateway);
  gateway.services.now = () => clock();
  bothWays = new BothWays(gateway);
  const workspaceId = world.id;
  await gateway.database.conversation.updateMany({ where: { workspaceId }, data: { leadId: null } });
  await gateway.database.lead.deleteMany({ where: { workspaceId } });
  const data = moments.map((createdAt) => ({ id: newId('lead'), workspaceId, name: 'Ana', createdAt }));
  await gateway.database.lead.createMany({ data });
});

const ask = (query: string, variables: object = {}) => bothWays.agree(world.viewer, query, variables);

const listed = `query ($filter: LeadFilter) {
  leads(first: 100, filter: $filter, orderBy: { field: createdAt, direction: asc }) { totalCount nodes { createdAt } }
}`;
const between = (from: string, to: string) =>
  moments.filter((at) => at >= new Date(from) && at < new Date(to)).map((at) => at.toISOString());
async function found(createdAt: object): Promise<string[]> {
  const { data, errors } = await ask(listed, { filter: { createdAt } });
  expect(errors).toBeUndefined();
  return data.leads.nodes.map((node: { createdAt: string }) => node.createdAt);
}

const zones = ['UTC', 'America/Sao_Paulo', 'America/New_York', 'America/Havana', 'Asia/Kolkata', 'Australia/Lord_Howe'];
const dates = fc.integer({ min: 0, max: 420 }).map((days) => new Date(now.getTime() - days * day));
const plain = (date: Date) => date.toISOString().slice(0, 10);
/** The start of a date in a zone, by the tests' own clock. */
const begin = (date: Date, zone: string) => {
  const clock = { zone, every: 'day' as const, weekStart: 'monday' as const };
  const spans = spansOf(date.getTime() - 2 * day, date.getTime() + 2 * day, clock);
  const name = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' });
  return spans.find(({ from }) => name.format(new Date(from)) === plain(date))?.from as string;
};

describe('a plain date', () => {
  test('is the first moment of its day in the zone, as in groups by days', { timeout: 120_000 }, async () => {
    const query = `query ($filter: LeadFilter, $zone: String!) {
      leads(first: 0, filter: $filter) {
        groups(first: 100, orderBy: { field: by, direction: asc }) {
          nodes { by { createdAt(every: day, timeZone: $zone, fill: true) { from to } } count previous { count } }
        }
      }
    }`;
    await fc.assert(
      fc.asyncProperty(dates, fc.integer({ min: 1, max: 40 }), fc.constantFrom(...zones), async (first, days, zone) => {
        const end = new Date(first.getTime() + days * day);
        const createdAt = { from: plain(first), to: plain(end), timeZone: zone };
        const [from, to] = [begin(first, zone), begin(end, zone)];
        expect(await found(createdAt)).toEqual(between(from, to));
        const { data } = await ask(query, { filter: { createdAt }, zone });
        const same = await ask(query, { filter: { createdAt: { from, to } }, zone });
        expect(data).toEqual(same.data);
        const { nodes } = data.leads.groups;
        expect(nodes).toHaveLength(days);
        expect([nodes[0].by.createdAt.from, nodes.at(-1).by.createdAt.to]).toEqual([from, to]);
      }),
      options(casesOf(30), 'plain dates'),
    );
  });

  test('stands beside moments, in a variable of its own too', async () => {
    const whole = between('2025-06-01T00:00:00Z', '2026-01-01T12:00:00Z');
    expect(await found({ from: '2025-06-01', to: '2026-01-01T12:00:00Z' })).toEqual(whole);
    const query = `query ($from: DateTime!) {
      leads(filter: { createdAt: { from: $from, to: "2025-06-01" } }) { totalCount }
    }`;
    const { data } = await ask(query, { from: '2025-03-01' });
    expect(data.leads.totalCount).toBe(between('2025-03-01T00:00:00Z', '2025-06-01T00:00:00Z').length);
  });

  test('says in the filter of a count, and of a related row, what it says in that of a list', async () => {
    const query = `query ($filter: LeadFilter) {
      leads { groups { nodes { count(filter: $filter) } } }
      conversations(filter: { lead: $filter }) { totalCount }
    }`;
    const { data } = await ask(query, { filter: { createdAt: { last: '90d' } } });
    const [from, to] = [new Date(now.getTime() - 90 * day), now].map((at) => at.toISOString()) as [string, string];
    expect(data.leads.groups.nodes).toEqual([{ count: between(from, to).length }]);
  });

  test.each(['2026-02-30', '2026-13-01', '0000-01-01'])('%s is in no calendar', async (from) => {
    const { errors } = await ask(listed, { filter: { createdAt: { from } } });
    expect(errors?.[0]?.message).toMatch(/createdAt/);
  });

  test('is refused where a moment is wanted', async () => {
    const id = world.ids.agentId;
    const text =
      'mutation ($id: ID!) { deleteAgent(input: { id: $id, expectedUpdatedAt: "2026-01-01" }) { clientMutationId } }';
    expectFailure(
      await gateway.graphql(world.owner, text, { id }),
      'invalid_request',
      /^expectedUpdatedAt: .* not a date/,
    );
    const key = 'mutation { createKey(input: { name: "a", expiresAt: "2036-01-01" }) { secret } }';
    expectFailure(await gateway.graphql(world.owner, key), 'invalid_request', /expiresAt/);
  });
});

describe('last', () => {
  // New York's clocks went forward on 8 March 2026 at 2:00.
  test.each([
    ['36h', 'America/New_York', '2026-03-08T03:30:00Z'],
    ['1d', 'UTC', '2026-03-08T15:30:00Z'],
    ['2d', 'America/New_York', '2026-03-07T16:30:00Z'],
    ['1w', 'America/New_York', '2026-03-02T16:30:00Z'],
    ['1m', 'America/New_York', '2026-02-09T16:30:00Z'],
    ['3m', undefined, '2025-12-09T15:30:00Z'],
    ['1y', 'America/New_York', '2025-03-09T15:30:00Z'],
  ])('%s in %s begins at %s', async (last, timeZone, from) => {
    const createdAt = { last, timeZone };
    expect(await found(createdAt)).toEqual(between(from, now.toISOString()));
    const query = `query ($filter: LeadFilter, $zone: String!) {
      leads(first: 0, filter: $filter) {
        groups(first: 100, orderBy: { field: by, direction: asc }) {
          totalCount
          nodes { by { createdAt(every: day, timeZone: $zone, fill: true) { from } } count previous { count } }
        }
      }
    }`;
    const zone = timeZone ?? 'UTC';
    const { data } = await ask(query, { filter: { createdAt }, zone });
    const same = await ask(query, { filter: { createdAt: { from, to: now.toISOString() } }, zone });
    expect(data).toEqual(same.data);
    const clock = { zone, every: 'day' as const, weekStart: 'monday' as const };
    expect(data.leads.groups.nodes[0].by.createdAt.from).toBe(spanAt(Date.parse(from), clock).from);
  });

  test('of months ends on the last day of a shorter one', async () => {
    clock = () => new Date('2026-03-31T10:00:00Z');
    try {
      expect(await found({ last: '1m' })).toEqual(between('2026-02-28T10:00:00Z', '2026-03-31T10:00:00Z'));
    } finally {
      clock = () => now;
    }
  });

  test('is reckoned from one moment in all of an operation', async () => {
    let asked = 0;
    clock = () => new Date(now.getTime() - 60 * day * asked++);
    try {
      const leads =
        'leads(filter: { createdAt: { last: "100d" } }) { totalCount nodes { createdAt } groups { nodes { count } } }';
      const { data } = await gateway.graphql(world.viewer, `{ a: ${leads} b: ${leads} }`);
      expect(data.a).toEqual(data.b);
      expect(data.a.groups.nodes).toEqual([{ count: data.a.totalCount }]);
    } finally {
      clock = () => now;
    }
  });

  test('keeps its cursors while time goes on', async () => {
    const query = `query ($after: String) {
      leads(first: 5, after: $after, filter: { createdAt: { last: "100d" } }) { nodes { createdAt } pageInfo { endCursor } }
    }`;
    const { data: page } = await ask(query, {});
    clock = () => new Date(now.getTime() + 60_000);
    const { data } = await ask(query, { after: page.leads.pageInfo.endCursor });
    clock = () => now;
    expect(data.leads.nodes[0].createdAt < page.leads.nodes.at(-1).createdAt).toBe(true);
  });

  test.each<[object, RegExp]>([
    [{ last: '60' }, /^filter\.createdAt\.last: must be a number and a unit/],
    [{ last: '0d' }, /^filter\.createdAt\.last/],
    [{ last: '1000000d' }, /^filter\.createdAt\.last/],
    [{ last: '101y' }, /^filter\.createdAt\.last/],
    [{ last: '-1d' }, /^filter\.createdAt\.last/],
    [{ last: '1d', from: '2026-01-01' }, /^filter\.createdAt\.last: cannot be combined with from or to/],
    [{ last: '1d', timeZone: '+03:00' }, /^filter\.createdAt\.timeZone: must be the name of an IANA time zone/],
    [{ from: '2026-01-01', timeZone: 'Mars/Olympus' }, /^filter\.createdAt\.timeZone/],
  ])('%j is refused', async (createdAt, message) => {
    expectFailure(await ask(listed, { filter: { createdAt } }), 'invalid_request', message);
    expectFailure(
      await ask(listed, { filter: { not: { createdAt } } }),
      'invalid_request',
      /createdAt\.(last|timeZone)/,
    );
  });
});

test.each(['1757214000000', 1_757_214_000_000, 'yesterday', '2026-13-01'])(
  '%j is no time: the error says what is',
  async (from) => {
    const hint = 'must be a timestamp such as 2026-09-01T10:15:30Z or, in a time range, a date such as 2026-09-01';
    const query = 'query ($from: DateTime!) { leads(filter: {createdAt: {from: $from}}) { totalCount } }';
    expectFailure(await gateway.graphql(world.owner, query, { from }), 'invalid_request', `from: ${hint}`);
    const literal = `{ leads(filter: {createdAt: {from: ${JSON.stringify(from)}}}) { totalCount } }`;
    expectFailure(await gateway.graphql(world.owner, literal), 'invalid_request', `DateTime ${hint}`);
  },
);
