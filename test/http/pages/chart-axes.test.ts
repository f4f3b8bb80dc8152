import { expect, test } from 'vitest';
import { drawingOf } from '../../../src/http/pages/panels/charts/series.ts';
import { type ChartSpec, defaultSpec, weekdays } from '../../../src/http/pages/panels/charts/spec.ts';
import { type ResultValue, type Table, tablesOf } from '../../../src/http/pages/panels/charts/table.ts';
import { vegaLiteOf } from '../../../src/http/pages/panels/charts/vega-lite.ts';

/** What the numbers of these tests are, as a gateway says it. */
const values: ResultValue[] = [
  { path: 'leads.groups.nodes.count', kind: 'count', additive: true, unit: null },
  { path: 'leads.groups.nodes.p95.replyTime', kind: 'percentile', additive: false, unit: 'ms' },
  { path: 'leads.groups.nodes.by.hour', kind: 'hourOfDay', additive: false, unit: null },
];
const onlyPage = { hasNextPage: false };
const tableOf = (nodes: object[], more: object = {}): Table =>
  tablesOf({ leads: { groups: { nodes, pageInfo: onlyPage, ...more } } }, values).find(
    ({ isGrouped }) => isGrouped,
  ) as Table;
const hours = Array.from({ length: 24 }, (_, hour) => hour);

test('weekdays are in the order of the week', () => {
  const days = ['sunday', 'tuesday', 'monday'].map((day) => ({ by: { day }, count: 1 }));
  const bars: ChartSpec = { type: 'bar', x: 'by.day', y: 'count', split: null };
  expect(drawingOf(tableOf(days), bars).labels).toEqual(['monday', 'tuesday', 'sunday']);
});

test('hours are all of the day: 0 where the value adds up and nothing is left out, otherwise a gap', () => {
  const nodes = [9, 23, 0].map((hour) => ({
    by: { hour },
    count: hour + 1,
    p95: { replyTime: 5 },
    previous: { count: 2 },
  }));
  const of = (y: string, more: object = {}, type: ChartSpec['type'] = 'bar') =>
    drawingOf(tableOf(nodes, more), { type, x: 'by.hour', y, split: null });
  const { labels, series } = of('count');
  expect(labels).toEqual(hours.map(String));
  expect(series.map((one) => one.values)).toEqual([
    hours.map((hour) => ([0, 9, 23].includes(hour) ? hour + 1 : 0)),
    hours.map((hour) => ([0, 9, 23].includes(hour) ? 2 : null)),
  ]);
  const gaps = hours.map((hour) => ([0, 9, 23].includes(hour) ? 5 : null));
  expect(of('p95.replyTime').series[0]?.values).toEqual(gaps);
  for (const missing of [{ pageInfo: null }, { pageInfo: { hasNextPage: true } }, { pageInfo: null, totalCount: 4 }])
    expect(of('count', missing).series[0]?.values[1]).toBeNull();
  expect(of('count', { pageInfo: null, totalCount: 3 }).series[0]?.values[1]).toBe(0);
  expect(of('count', {}, 'pie').labels).toEqual(['0', '9', '23']);
});

/** Weekdays with the hours of each, as groups within groups: one page of groups has not all pairs. */
const nestedValues = ['count', 'by.hour'].map((name) => ({
  path: `leads.groups.nodes.rows.groups.nodes.${name}`,
  kind: name === 'count' ? 'count' : 'hourOfDay',
  additive: name === 'count',
  unit: null,
}));
const nested = (days: [day: string, ...hours: number[]][], more: object = {}, outer: object = onlyPage): Table => {
  const groups = (of: number[]) => ({
    nodes: of.map((hour) => ({ by: { hour }, count: hour + 1 })),
    pageInfo: onlyPage,
    ...more,
  });
  const nodes = days.map(([day, ...of]) => ({ by: { day }, rows: { groups: groups(of) } }));
  const tables = tablesOf({ leads: { groups: { nodes, pageInfo: outer } } }, nestedValues);
  return tables.find(({ path }) => path === 'leads.groups.rows.groups') as Table;
};

test('a heat map of weekdays and hours has all of both in their order, and is what is drawn first', () => {
  const table = nested([
    ['sunday', 23, 0],
    ['tuesday', 9],
  ]);
  const spec = defaultSpec(table);
  expect(spec).toEqual({ type: 'heatmap', x: 'by.hour', y: 'count', split: 'groups.by.day' });
  const drawing = drawingOf(table, spec);
  const { type, labels, series, leftOut } = drawing;
  expect([type, labels, leftOut]).toEqual(['heatmap', hours.map(String), []]);
  expect(series.map(({ name }) => name)).toEqual(weekdays);
  const found = new Map(series.map((one) => [one.name, one.values]));
  expect(found.get('sunday')).toEqual(hours.map((hour) => (hour === 0 || hour === 23 ? hour + 1 : 0)));
  expect(found.get('tuesday')?.[9]).toBe(10);
  expect(found.get('friday')).toEqual(hours.map(() => 0));
  expect(vegaLiteOf(drawing)).toMatchObject({ mark: 'rect' });
});

test('a heat map has gaps where groups may be missing, and as many rows as there are hours', () => {
  const table = nested([['monday', 4]], {}, { hasNextPage: true });
  const turned: ChartSpec = { type: 'heatmap', x: 'groups.by.day', y: 'count', split: 'by.hour' };
  const { labels, series } = drawingOf(table, turned);
  expect([labels, series.map(({ name }) => name)]).toEqual([weekdays, hours.map(String)]);
  expect(series.map(({ values }) => values[0])).toEqual(hours.map((hour) => (hour === 4 ? 5 : null)));
});

test('a range without a lower bound stands first, apart from rows without a value', () => {
  const range = (from: number | null, to: number | null) => ({ by: { range: { from, to } }, count: 1 });
  const table = tableOf([{ by: { range: null }, count: 9 }, range(0.01, null), range(0.001, 0.01), range(null, 0.001)]);
  const { labels, series } = drawingOf(table, defaultSpec(table));
  expect([labels, series[0]?.values]).toEqual([
    ['below 0.001', '0.001', '0.01', '(none)'],
    [1, 1, 1, 9],
  ]);
});
