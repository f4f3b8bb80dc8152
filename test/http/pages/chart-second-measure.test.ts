import { expect, test } from 'vitest';
import { chartConfig } from '../../../src/http/pages/panels/charts/chart-config.ts';
import { labelOf } from '../../../src/http/pages/panels/charts/labels.ts';
import { drawingOf, maxBars } from '../../../src/http/pages/panels/charts/series.ts';
import { type ChartSpec, chosenSpec } from '../../../src/http/pages/panels/charts/spec.ts';
import { summaryOf } from '../../../src/http/pages/panels/charts/summary.ts';
import { type ResultValue, type Table, tablesOf } from '../../../src/http/pages/panels/charts/table.ts';
import { vegaLiteOf } from '../../../src/http/pages/panels/charts/vega-lite.ts';
import { pictureOf } from '../../../src/saved/picture.ts';

const named = (name: string, kind: string, unit: string | null, additive = false): ResultValue => ({
  path: `leads.groups.nodes.${name}`,
  kind,
  additive,
  unit,
});
const values = [
  named('count', 'count', null, true),
  named('distinct.email', 'distinct', null),
  named('sum.cost', 'sum', 'USD', true),
  named('avg.cost', 'average', 'USD'),
  named('rate', 'share', null),
  named('avg.satisfaction', 'average', null),
];
const tableOf = (nodes: object[]): Table =>
  tablesOf({ leads: { groups: { nodes, pageInfo: { hasNextPage: false } } } }, values)[0] as Table;
const group = (a: string, at: number) => ({
  by: { a },
  count: at + 10,
  distinct: { email: at },
  sum: { cost: at / 2 },
  avg: { cost: at / 4, satisfaction: 4.5 },
  rate: 0.25,
});
const table = tableOf(['x', 'y', 'z'].map(group));
const bars: ChartSpec = { type: 'bar', x: 'by.a', y: 'count', split: null };
const configOf = (spec: ChartSpec, of = table) => {
  const { data, options } = chartConfig(drawingOf(of, spec), { isDark: false }) as any;
  return { datasets: data.datasets, scales: options.scales, label: options.plugins.tooltip.callbacks.label };
};

test.each([
  ['count', 'sum.cost', true],
  ['count', 'rate', true],
  ['count', 'avg.satisfaction', true],
  ['rate', 'avg.cost', true],
  ['count', 'distinct.email', false],
  ['sum.cost', 'avg.cost', false],
])('%s and %s have an axis each if their units differ, and share one otherwise', (y, y2, isApart) => {
  const [name, name2] = [labelOf(y), labelOf(y2)];
  for (const type of ['line', 'bar'] as const) {
    const { datasets, scales } = configOf({ ...bars, type, y, y2 });
    expect(datasets.map(({ label, yAxisID = 'y' }: any) => [label, yAxisID])).toEqual([
      [name, 'y'],
      [name2, isApart ? 'y2' : 'y'],
    ]);
    expect(Object.keys(scales)).toEqual(isApart ? ['x', 'y', 'y2'] : ['x', 'y']);
    expect([scales.y.title.text, scales.y2?.title.text]).toEqual(
      isApart ? [name, name2] : [`${name}, ${name2}`, undefined],
    );
    expect(datasets[1].type).toBe(isApart && type === 'bar' ? 'line' : undefined);
  }
});

test.each([
  [
    'sum.cost',
    'A bar chart of count and of sum of cost, on an axis of its own, by a, 3 points in 2 series: Count, Sum of cost.',
  ],
  ['distinct.email', 'A bar chart of count and of distinct email by a, 3 points in 2 series: Count, Distinct email.'],
])('who cannot see %s is told what it is, and of its axis', (y2, text) => {
  const spec = { ...bars, y2 };
  expect(summaryOf(drawingOf(table, spec))).toBe(text);
});

test('what is marked as partial is so on a line of its own, below the label', () => {
  const weeks = ['2026-09-07', '2026-09-14'].map((day, at) => ({
    by: { w: { from: `${day}T00:00:00Z`, partial: at === 1 } },
    count: 1,
  }));
  const { scales } = configOf({ ...bars, x: 'by.w.from' }, tableOf(weeks));
  expect([0, 1].map((at) => scales.x.ticks.callback(at))).toEqual([['Sep 7'], ['Sep 14', '(partial)']]);
});

test('ticks and tooltips have the unit of their measure', () => {
  const { scales, label } = configOf({ ...bars, y: 'sum.cost', y2: 'rate' });
  expect([scales.y.ticks.callback(0.5), scales.y2.ticks.callback(0.5)]).toEqual(['$0.5', '50%']);
  const texts = [0, 1].map((datasetIndex) => label({ dataset: { label: 'n' }, datasetIndex, label: '', raw: 0.5 }));
  expect(texts).toEqual(['n: $0.5', 'n: 50%']);
  expect([configOf({ ...bars, y2: 'rate' }).scales.y.ticks.precision, scales.y2.ticks.precision]).toEqual([
    0,
    undefined,
  ]);
});

test('a second measure is a line across stacked bars, never upon them', () => {
  const { datasets } = configOf({ ...bars, type: 'stacked', y2: 'distinct.email' });
  expect(datasets.map(({ type, stack }: any) => [type, stack])).toEqual([
    [undefined, 'present'],
    ['line', undefined],
  ]);
});

test('each measure is added up, or not, by what it is itself', () => {
  const twice = tableOf([...['x', 'y'].map(group), group('x', 4)]);
  const of = (y2: string) => drawingOf(twice, { ...bars, y2 });
  expect(of('sum.cost').series.map((one) => one.values)).toEqual([
    [24, 11],
    [2, 0.5],
  ]);
  expect(of('rate').series.map((one) => one.values)).toEqual([
    [24, 11],
    [0.25, 0.25],
  ]);
  expect(of('rate').leftOut.join()).toMatch(/^1 rows share a point with another, and “Rate” cannot be added up/);
  const many = tableOf(Array.from({ length: maxBars + 2 }, (_, at) => group(`n${at}`, at)));
  const other = (y: string, y2: string) => drawingOf(many, { ...bars, y, y2 }).series.map((one) => one.values.at(-1));
  expect(other('count', 'rate')).toEqual([10 + 11 + 12, null]);
  expect(other('rate', 'count')).toEqual([null, expect.any(Number)]);
});

test('beside series of a column no second measure is drawn, and the chart says so', () => {
  const spec = { ...bars, split: 'by.b', y2: 'rate' };
  const split = tableOf([{ ...group('x', 1), by: { a: 'x', b: 'z' } }]);
  const { series, leftOut } = drawingOf(split, spec);
  expect([series.map(({ name }) => name), leftOut]).toEqual([
    ['z'],
    ['“Rate” is not drawn: the chart has a series for each “B”.'],
  ]);
});

test('a kept chart has it, a pie or a chart of what the result has not does not', () => {
  const kept = { ...bars, data: null, x: null, y2: 'rate' };
  expect(chosenSpec(table, kept)).toEqual({ ...bars, y2: 'rate' });
  expect(chosenSpec(table, { ...kept, y2: 'nothing' })).toEqual(bars);
  expect(drawingOf(table, { ...bars, type: 'pie', y2: 'rate' }).series.map(({ name }) => name)).toEqual(['Count']);
});

test('the picture has both axes, and the specification for other tools two scales', async () => {
  const spec = { ...bars, y2: 'rate' };
  const texts = [...(await pictureOf('Leads', table, spec)).matchAll(/<text[^>]*>([^<]*)</g)].map(([, it]) => it);
  expect(texts).toEqual(expect.arrayContaining(['Count', 'Rate', '25%', '12', 'x', 'y', 'z']));
  expect(vegaLiteOf(drawingOf(table, spec))).toMatchObject({
    layer: [
      { mark: 'bar', encoding: { y: { title: 'Count' } }, transform: [{ filter: { oneOf: ['Count'] } }] },
      { mark: 'line', encoding: { y: { title: 'Rate' } }, transform: [{ filter: { equal: 'Rate' } }] },
    ],
    resolve: { scale: { y: 'independent' } },
  });
});
