import { expect, test } from 'vitest';
import { drawingOf } from '../../../src/http/pages/panels/charts/series.ts';
import type { ChartSpec } from '../../../src/http/pages/panels/charts/spec.ts';
import { type ResultValue, type Table, tablesOf } from '../../../src/http/pages/panels/charts/table.ts';

const values: ResultValue[] = [
  { path: 'leads.groups.nodes.count', kind: 'count', additive: true, unit: null },
  { path: 'leads.groups.nodes.distinct.email', kind: 'distinct', additive: false, unit: null },
  { path: 'leads.groups.nodes.cumulative.count', kind: 'cumulative', additive: false, unit: null },
  { path: 'leads.groups.nodes.by.hour', kind: 'hourOfDay', additive: false, unit: null },
];
const tableOf = (nodes: object[]): Table =>
  tablesOf({ leads: { groups: { nodes, pageInfo: { hasNextPage: false } } } }, values).find(
    ({ isGrouped }) => isGrouped,
  ) as Table;
const at = (hour: number) => new Date(Date.UTC(2026, 8, 1, hour)).toISOString();
/** A day by the hour, filled: 4 leads in the first hour, and one in an hour of `also`. */
const day = (also?: number) => {
  const counts = Array.from({ length: 24 }, (_, hour): number => (hour === 0 ? 4 : hour === also ? 1 : 0));
  const nodes = counts.map((count, hour) => ({
    by: { at: { from: at(hour), partial: hour >= 9 } },
    count,
    distinct: { email: count },
    cumulative: { count: counts.slice(0, hour + 1).reduce((sum, one) => sum + one, 0) },
    previous: { count: 2 },
  }));
  return tableOf(nodes);
};
const line = (y: string): ChartSpec => ({ type: 'line', x: 'by.at.from', y, split: null });
const now = Date.parse(at(9)) + 1;

test.each(['count', 'distinct.email', 'cumulative.count'])('hours to come have no point of %s, 0 or otherwise', (y) => {
  const { labels, series } = drawingOf(day(), line(y), 'UTC', now);
  const so = y === 'cumulative.count' ? 4 : 0;
  expect(series[0]?.values).toEqual([
    4,
    ...Array.from({ length: 9 }, () => so),
    ...Array.from({ length: 14 }, () => null),
  ]);
  expect(labels.filter((label) => label.includes('partial'))).toEqual(['Sep 1, 09:00 (partial)']);
});

test.each([
  [
    'days in a row, over a change of the clocks',
    ['2026-10-24T22:00Z', '2026-10-25T23:00Z', '2026-10-26T23:00Z'],
    false,
  ],
  ['months in a row', ['2026-01-01T00:00Z', '2026-02-01T00:00Z', '2026-03-01T00:00Z'], false],
  ['a day that is missing', ['2026-09-01T00:00Z', '2026-09-02T00:00Z', '2026-09-04T00:00Z'], true],
])('a chart says that periods are missing: %s', (_, days, isMissing) => {
  const nodes = days.map((from) => ({ by: { day: { from } }, count: 1 }));
  const [table] = tablesOf({ leads: { groups: { nodes } } }) as [Table];
  const { leftOut } = drawingOf(table, { type: 'line', x: 'by.day.from', y: 'count', split: null });
  const [paged] = tablesOf({ leads: { groups: { nodes, pageInfo: { hasNextPage: true } } } }) as [Table];
  const ofPage = drawingOf(paged, { type: 'line', x: 'by.day.from', y: 'count', split: null });
  expect(ofPage.leftOut.join()).not.toContain('Periods');
  expect(leftOut).toEqual(isMissing ? ['Periods without rows may be missing: fill: true adds them.'] : []);
});

test('the time before is known, and so is what is planned for a time to come', () => {
  const before = drawingOf(day(), line('count'), 'UTC', now).series[1];
  expect([before?.isPrevious, before?.values]).toEqual([true, Array.from({ length: 24 }, () => 2)]);
  const planned = (y: string) => drawingOf(day(20), line(y), 'UTC', now).series[0]?.values.slice(9);
  const empty = [null, null, null];
  expect(planned('count')).toEqual([...Array.from({ length: 11 }, () => 0), 1, ...empty]);
  expect(planned('cumulative.count')).toEqual([...Array.from({ length: 11 }, () => 4), 5, ...empty]);
});

test('nothing is empty of a time that is over', () => {
  const { series } = drawingOf(day(), line('count'), 'UTC', Date.parse(at(24)));
  expect(series[0]?.values).toEqual([4, ...Array.from({ length: 23 }, () => 0)]);
});

/** The hours of two days, of which the second is today. */
const hours = (days: number[]) =>
  tableOf(days.flatMap((of) => [0, 8].map((hour) => ({ by: { day: { from: at(of * 24) }, hour }, count: 3 }))));
const whole = Array.from({ length: 24 }, (_, hour) => (hour === 0 || hour === 8 ? 3 : 0));

test('the hours of today to come are empty in a chart and a map by the hour of the day, those of yesterday 0', () => {
  const spec: ChartSpec = { type: 'heatmap', x: 'by.hour', y: 'count', split: 'by.day.from' };
  expect(drawingOf(hours([-1, 0]), spec, 'UTC', now).series.map((one) => one.values)).toEqual([
    whole,
    whole.map((value, hour) => (hour <= 9 ? value : null)),
  ]);
  const turned = drawingOf(hours([-1, 0]), { ...spec, x: 'by.day.from', split: 'by.hour' }, 'UTC', now).series;
  expect(turned.map((one) => one.values)).toEqual(whole.map((value, hour) => [value, hour <= 9 ? value : null]));
  const bars: ChartSpec = { ...spec, type: 'bar', split: null };
  expect(drawingOf(hours([0]), bars, 'UTC', now).series[0]?.values.slice(9)).toEqual([
    0,
    ...whole.slice(10).map(() => null),
  ]);
  expect(drawingOf(hours([-1, 0]), bars, 'UTC', now).series[0]?.values).toEqual(whole.map((value) => value * 2));
});

test('a day without a time is one of the time zone', () => {
  const table = tableOf(['2026-09-01', '2026-09-02', '2026-09-03'].map((date) => ({ by: { day: date }, count: 0 })));
  const spec: ChartSpec = { type: 'line', x: 'by.day', y: 'count', split: null };
  const of = (zone: string) => drawingOf(table, spec, zone, Date.parse('2026-09-01T23:00:00Z')).series[0]?.values;
  expect([of('UTC'), of('Asia/Tokyo'), of('no zone')]).toEqual([
    [0, null, null],
    [0, 0, null],
    [0, null, null],
  ]);
});
