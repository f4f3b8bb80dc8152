import { expect, test } from 'vitest';
import { drawingOf } from '../../../src/http/pages/panels/series.ts';
import type { ChartSpec } from '../../../src/http/pages/panels/spec.ts';
import { type ResultValue, type Table, tablesOf } from '../../../src/http/pages/panels/table.ts';

/** What the numbers of these tests are, as a gateway says it. */
const values: ResultValue[] = [
  { path: 'leads.groups.nodes.count', kind: 'count', additive: true, unit: null },
  { path: 'leads.groups.nodes.p95.replyTime', kind: 'percentile', additive: false, unit: 'ms' },
  { path: 'leads.groups.nodes.by.hour', kind: 'hourOfDay', additive: false, unit: null },
];
const tableOf = (nodes: object[], more: object = {}): Table =>
  tablesOf({ leads: { groups: { nodes, ...more } } }, values).find(({ isGrouped }) => isGrouped) as Table;
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
  expect(of('count', { other: { count: 3 } }).series[0]?.values[1]).toBeNull();
  expect(of('count', {}, 'pie').labels).toEqual(['0', '9', '23']);
});
