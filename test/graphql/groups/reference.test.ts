import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { newId } from '../../../src/database/ids.ts';
import { useWorkspaces } from '../../support/gateway/workspaces.ts';
import { spanFilter, spanForms } from '../../support/graphql/span-forms.ts';
import { beginBefore, comparedWith, type Every, spanAt, spansOf, type Week } from '../../support/graphql/zones.ts';
import { casesOf } from '../../support/random/cases.ts';
import { options, sampleOf } from '../../support/random/seed.ts';

const { gateway, home } = useWorkspaces();

/** Clock changes in one of the zones: at midnight in some, by half an hour in others. */
const turns = [
  '2018-11-04T03:00:00Z',
  '2019-02-17T02:00:00Z',
  '2026-03-08T05:00:00Z',
  '2026-03-08T10:00:00Z',
  '2026-11-01T05:00:00Z',
  '2026-11-01T06:00:00Z',
  '2026-12-31T23:00:00Z',
];
const zones = ['UTC', 'America/New_York', 'America/Sao_Paulo', 'America/Havana', 'Asia/Kolkata', 'Pacific/Chatham'];
const units: Every[] = ['hour', 'day', 'week', 'month', 'quarter', 'year'];
const weeks: Week[] = ['monday', 'wednesday', 'sunday'];
const hour = 3_600_000;

type Row = { at: number; capture: 'completed' | 'partial'; campaign: string | null; email: string | null };
let rows: Row[];

beforeAll(async () => {
  const row = fc.record({
    at: fc
      .tuple(fc.constantFrom(...turns), fc.integer({ min: -72 * 60, max: 72 * 60 }))
      .map(([turn, minutes]) => Date.parse(turn) + minutes * 60_000),
    capture: fc.constantFrom('completed' as const, 'partial' as const),
    campaign: fc.constantFrom(null, '', 'spring', 'Summer', 'été'),
    email: fc.constantFrom(null, 'a@x.co', 'b@x.co', 'c@x.co'),
  });
  rows = sampleOf(row, 400, 'rows of spans');
  await gateway.database.lead.createMany({
    data: rows.map(({ at, capture, campaign, email }) => ({
      id: newId('lead'),
      workspaceId: home.id,
      capture,
      email,
      utm: campaign === null ? {} : { campaign },
      createdAt: new Date(at),
    })),
  });
});

type Key = { capture?: string; campaign?: string | null; span?: { from: string; to: string } };
type Told = { by: Key; count: number; completed: number; emails: number; first: string | null; median: string | null };

/** The discrete median: the value of a row. */
const medianOf = (sorted: number[]) => sorted[Math.ceil(sorted.length / 2) - 1];
const written = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString());

function told(by: Key, of: Row[]): Told {
  const moments = of.map(({ at }) => at).sort((a, b) => a - b);
  return {
    by,
    count: of.length,
    completed: of.filter(({ capture }) => capture === 'completed').length,
    emails: new Set(of.flatMap(({ email }) => email ?? [])).size,
    first: written(moments[0]),
    median: written(medianOf(moments)),
  };
}

const asked = fc.record({
  zone: fc.constantFrom(...zones),
  every: fc.constantFrom(...units),
  weekStart: fc.constantFrom(...weeks),
  turn: fc.constantFrom(...turns),
  hours: fc.tuple(fc.integer({ min: 0, max: 80 }), fc.integer({ min: 1, max: 80 })),
  keys: fc.subarray(['capture', 'campaign'] as const),
  fill: fc.boolean(),
  form: fc.constantFrom(...spanForms),
  // Small pages, so that cursors are of any span.
  first: fc.constantFrom(23, 100),
});

test('groups are those that all rows make one by one, whatever the clocks do', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(asked, async ({ zone, every, weekStart, turn, hours, keys, fill, form, first }) => {
      const from = Date.parse(turn) - hours[0] * hour;
      const to = Date.parse(turn) + hours[1] * hour;
      const clock = { zone, every, weekStart };
      const listed = rows.filter(({ at }) => at >= from && at < to);
      const expected = new Map<string, { by: Key; rows: Row[] }>();
      const add = (by: Key, row?: Row) => {
        const key = JSON.stringify([by.capture, by.campaign, by.span?.from]);
        const group = expected.get(key) ?? { by, rows: [] };
        expected.set(key, group);
        if (row) group.rows.push(row);
      };
      const plain = ({ capture, campaign }: Row): Key => ({
        ...(keys.includes('capture') && { capture }),
        ...(keys.includes('campaign') && { campaign }),
      });
      for (const row of listed) add({ ...plain(row), span: spanAt(row.at, clock) }, row);
      if (fill) {
        const others = keys.length > 0 ? listed.map(plain) : [{}];
        for (const span of spansOf(from, to, clock)) for (const other of others) add({ ...other, span });
      }

      const arguments_ = `every: ${every}, timeZone: "${zone}", weekStart: ${weekStart}, fill: ${fill}`;
      const by = ['capture', 'campaign: utm(key: "campaign")'].filter((key) =>
        keys.some((name) => key.startsWith(name)),
      );
      const groups = await readAll(
        `filter: ${spanFilter(form, from, to)}`,
        `by { ${by.join(' ')} span: createdAt(${arguments_}) { from to } } count
         completed: count(filter: {capture: [completed]}) distinct { email } min { createdAt } p50 { createdAt }
         rows(first: 0) { totalCount }`,
        first,
      );
      const wanted = [...expected.values()].map((group) => told(group.by, group.rows));
      expect(sorted(groups)).toEqual(sorted(wanted));
    }),
    options(casesOf(40), 'spans'),
  );
});

/** Ranges of whole months in a zone, which compare with as many months, and other ranges. */
const comparedSpan = fc.oneof(
  fc.record({
    months: fc.constantFrom(1, 2, 3, 4),
    year: fc.constantFrom(2018, 2019, 2026),
    first: fc.nat({ max: 11 }),
  }),
  fc.record({
    turn: fc.constantFrom(...turns),
    hours: fc.tuple(fc.integer({ min: -60, max: 60 }), fc.integer({ min: 1, max: 100 })),
  }),
);
const compared = fc.record({
  zone: fc.constantFrom(...zones),
  every: fc.constantFrom(...units),
  weekStart: fc.constantFrom(...weeks),
  span: comparedSpan,
  // `or` and `not` would limit the rows before, too.
  form: fc.constantFrom(...spanForms.filter((form) => form !== 'beside')),
  keys: fc.subarray(['capture', 'campaign'] as const),
});

type ComparedSpan = { months: number; year: number; first: number } | { turn: string; hours: [number, number] };

function boundsOf(span: ComparedSpan, zone: string): [from: number, to: number] {
  if ('turn' in span) {
    const from = Date.parse(span.turn) + span.hours[0] * hour;
    return [from, from + span.hours[1] * hour];
  }
  const beginOf = (month: number) =>
    Date.parse(spanAt(Date.UTC(span.year, month, 15), { zone, every: 'month', weekStart: 'monday' }).from);
  return [beginOf(span.first), beginOf(span.first + span.months)];
}

test('the time before is counted span by span, whatever the clocks do', { timeout: 120_000 }, async () => {
  let found = 0;
  await fc.assert(
    fc.asyncProperty(compared, async ({ zone, every, weekStart, span, form, keys }) => {
      const clock = { zone, every, weekStart };
      const [from, to] = boundsOf(span, zone);
      const before = beginBefore(from, to, zone);
      const keyOfRow = ({ capture, campaign }: Row, at: string) =>
        JSON.stringify([
          at,
          ...(keys.includes('capture') ? [capture] : []),
          ...(keys.includes('campaign') ? [campaign] : []),
        ]);
      const expected = new Map<string, { count: number; before: number; emails: Set<string>; first: number }>();
      for (const row of rows.filter(({ at }) => at >= from && at < to)) {
        const key = keyOfRow(row, spanAt(row.at, clock).from);
        const group = expected.get(key) ?? { count: 0, before: 0, emails: new Set(), first: Infinity };
        expected.set(key, { ...group, count: group.count + 1 });
      }
      for (const row of rows.filter(({ at }) => at >= before && at < from)) {
        const group = expected.get(keyOfRow(row, comparedWith(row.at, { from, before }, clock).from));
        if (!group) continue;
        found += 1;
        group.before += 1;
        group.first = Math.min(group.first, row.at);
        if (row.email) group.emails.add(row.email);
      }
      const by = [
        `span: createdAt(every: ${every}, timeZone: "${zone}", weekStart: ${weekStart}) { from }`,
        ...(keys.includes('capture') ? ['capture'] : []),
        ...(keys.includes('campaign') ? ['campaign: utm(key: "campaign")'] : []),
      ];
      const { leads } = await gateway.data(
        home.viewer,
        `{ leads(first: 0, filter: ${spanFilter(form, from, to)}) { groups(first: 100) { totalCount nodes {
          by { ${by.join(' ')} } count previous { count distinct { email } min { createdAt } } } } } }`,
      );
      for (const { by: key, count, previous } of leads.groups.nodes) {
        const group = expected.get(keyOfRow(key, key.span.from));
        expect({ key, count, previous }).toEqual({
          key,
          count: group?.count,
          previous: {
            count: group?.before,
            distinct: { email: group?.emails.size },
            min: { createdAt: group?.before ? written(group.first) : null },
          },
        });
      }
    }),
    options(casesOf(60), 'spans before'),
  );
  expect(found).toBeGreaterThan(casesOf(60));
});

const keyOf = ({ by }: Told) => JSON.stringify([by.span?.from, by.capture, by.campaign]);
const sorted = (all: Told[]) => [...all].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));

/** All groups, page by page. */
async function readAll(filter: string, selection: string, first: number): Promise<Told[]> {
  const all: Told[] = [];
  for (let after = ''; ; ) {
    const groups = `groups(first: ${first}, after: "${after}") { nodes { ${selection} } other { count } pageInfo { hasNextPage endCursor } totalCount }`;
    const { leads } = await gateway.data(home.viewer, `{ leads(first: 0, ${filter}) { totalCount ${groups} } }`);
    for (const { by, count, completed, distinct, min, p50, rows: of } of leads.groups.nodes) {
      expect(of.totalCount).toBe(count);
      all.push({ by, count, completed, emails: distinct.email, first: min.createdAt, median: p50.createdAt });
    }
    const counted = all.reduce((sum, { count }) => sum + count, 0);
    expect(counted + leads.groups.other.count).toBe(leads.totalCount);
    if (!leads.groups.pageInfo.hasNextPage) {
      expect(leads.groups.totalCount).toBe(all.length);
      return all;
    }
    after = leads.groups.pageInfo.endCursor;
  }
}
