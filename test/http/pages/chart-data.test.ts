import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { drawingOf, maxBars, maxPoints, maxSeries } from '../../../src/http/pages/panels/charts/series.ts';
import { bestTable, type ChartSpec, defaultSpec } from '../../../src/http/pages/panels/charts/spec.ts';
import { type Cell, type ResultValue, type Table, tablesOf } from '../../../src/http/pages/panels/charts/table.ts';
import { timeZoneIn } from '../../../src/http/pages/panels/charts/time-labels.ts';
import { vegaLiteOf } from '../../../src/http/pages/panels/charts/vega-lite.ts';
import { csvOf } from '../../../src/http/pages/panels/csv.ts';

const additive = (path: string) => ({ path, kind: 'sum', additive: true, unit: null });
/** What the numbers of these tests are, as a gateway says it: what it does not name is not additive. */
const values: ResultValue[] = [
  additive('leads.groups.nodes.count'),
  additive('leads.groups.nodes.average.cost'),
  { path: 'leads.groups.nodes.p95.replyTime', kind: 'percentile', additive: false, unit: 'ms' },
  { path: 'leads.groups.nodes.by.hour', kind: 'hourOfDay', additive: false, unit: null },
];
const tableAt = (data: unknown, path: string): Table => {
  const table = tablesOf(data, values).find((one) => one.path === path);
  if (!table) throw new Error(`no table ${path}`);
  return table;
};
const cellsOf = (table: Table, column: string): Cell[] =>
  table.rows.map((row) => row[table.columns.findIndex(({ name }) => name === column)] ?? null);
const groups = (nodes: object[], more: object = {}) => ({ leads: { groups: { nodes, ...more } } });
const week = (day: string) => ({ from: `2026-09-${day}T03:00:00.000Z`, to: `2026-09-${day}T03:00:00.001Z` });

describe('the tables of a result', () => {
  test('have every row of every list, with the columns of the rows that it is in', () => {
    const rows = fc.array(fc.record({ id: fc.string(), score: fc.option(fc.integer()) }), { maxLength: 5 });
    const parents = fc.array(fc.record({ name: fc.string(), leads: fc.option(rows) }), { maxLength: 5 });
    fc.assert(
      fc.property(parents, fc.boolean(), (agents, asEdges) => {
        const list = (elements: object[]) =>
          asEdges ? { edges: elements.map((node) => ({ node })) } : { nodes: elements };
        const data = {
          agents: list(agents.map(({ name, leads }) => ({ name, leads: leads && list(leads) }))),
        };
        const expected = agents.flatMap(({ name, leads }) => (leads ?? []).map(({ score }) => [name, score]));
        expect(cellsOf(tableAt(data, 'agents'), 'name')).toEqual(agents.map(({ name }) => name));
        const inner = tablesOf(data).find(({ path }) => path === 'agents.leads');
        const found = inner ? cellsOf(inner, 'agents.name').map((name, at) => [name, cellsOf(inner, 'score')[at]]) : [];
        expect(found).toEqual(expected);
      }),
    );
  });

  test('keep null apart from 0 and from an empty text, and a row that is null', () => {
    const table = tableAt({ leads: { nodes: [{ n: null, t: '' }, { n: 0, t: null }, null] } }, 'leads');
    expect(cellsOf(table, 'n')).toEqual([null, 0, null]);
    expect(cellsOf(table, 't')).toEqual(['', null, null]);
    expect(csvOf(table)).toBe('n,t\r\n,\r\n0,\r\n,\r\n');
  });

  test('have the fields of what is null in some rows, and no column for the null', () => {
    const table = tableAt(
      {
        leads: {
          nodes: [
            { n: 1, agent: null },
            { n: 2, agent: { name: 'Ada' } },
          ],
        },
      },
      'leads',
    );
    expect(table.columns.map(({ name }) => name)).toEqual(['n', 'agent.name']);
    expect(cellsOf(table, 'agent.name')).toEqual([null, 'Ada']);
  });

  test('hold values outside of lists as one row, arrays of values as JSON, and nothing of a failed result', () => {
    const data = { usage: { current: 3, max: null }, waiting: { totalCount: 2 }, viewer: { permissions: ['a', 'b'] } };
    const table = tableAt(data, 'values');
    expect(table.columns.map(({ name }) => name)).toEqual([
      'usage.current',
      'usage.max',
      'waiting.totalCount',
      'viewer.permissions',
    ]);
    expect(table.rows).toEqual([[3, null, 2, '["a","b"]']]);
    expect(tablesOf(null)).toEqual([]);
    expect(tablesOf({ gaps: null, agents: { totalCount: null } })).toEqual([]);
    expect(tablesOf(undefined)).toEqual([]);
  });

  test('say which rows the result does not have', () => {
    const more = { totalCount: 7, nodes: [{ id: 'a' }] };
    expect(tableAt({ leads: more }, 'leads').leftOut).toEqual([expect.stringMatching(/^1 of 7 rows/)]);
    const page = { pageInfo: { hasNextPage: true }, nodes: [{ id: 'a' }] };
    expect(tableAt({ leads: page }, 'leads').leftOut).toEqual([expect.stringMatching(/next page/)]);
    const other = groups([{ by: { a: 'x' }, count: 1 }], { other: { count: 9, sum: { cost: 0 } } });
    expect(tableAt(other, 'leads.groups').leftOut).toEqual(['All other groups (other) are not drawn: count 9.']);
    expect(tableAt({ leads: { totalCount: 1, nodes: [{ id: 'a' }] } }, 'leads').leftOut).toEqual([]);
  });
});

describe('the chart that is drawn first', () => {
  test('of a histogram has one bar for each range, and at its end the rows without a value', () => {
    const range = (from: number) => ({ by: { range: { from, to: from + 500 } }, count: from + 1 });
    const table = tableAt(groups([{ by: { range: null }, count: 9 }, range(500), range(0)]), 'leads.groups');
    const spec = defaultSpec(table);
    expect(spec).toEqual({ type: 'bar', x: 'by.range.from', y: 'count', split: null });
    const drawing = drawingOf(table, spec);
    expect(drawing.labels).toEqual(['0', '500', '(none)']);
    expect(drawing.series.map(({ values }) => values)).toEqual([[1, 501, 9]]);
  });

  const specOf = (data: object) => {
    const table = bestTable(tablesOf(data));
    return table && { path: table.path, ...defaultSpec(table) };
  };
  const by = (groupedBy: object) => groups([{ by: groupedBy, count: 2 }]);

  test.each([
    ['a moment', by({ week: week('07') }), { type: 'line', x: 'by.week.from', split: null }],
    ['a moment and a category', by({ week: week('07'), a: 'x' }), { type: 'line', x: 'by.week.from', split: 'by.a' }],
    ['a category', by({ agent: { id: '1', name: 'Ana' } }), { type: 'bar', x: 'by.agent.name', split: null }],
    ['two categories', by({ a: 'x', b: 'y' }), { type: 'stacked', x: 'by.a', split: 'by.b' }],
    ['three categories', by({ a: 'x', b: 'y', c: true }), { type: 'stacked', x: 'by.a', split: '*' }],
  ])('of groups by %s', (_what, data, expected) => {
    expect(specOf(data)).toMatchObject({ path: 'leads.groups', y: 'count', ...expected });
  });

  test('of single numbers is the numbers, of named rows with a number bars, and of other rows a table', () => {
    expect(specOf({ usage: { current: 3 } })).toMatchObject({ type: 'number', y: 'usage.current' });
    const agents = { agents: { nodes: [{ id: '1', name: 'Ana', leads: { totalCount: 3 } }] } };
    expect(specOf(agents)).toMatchObject({ type: 'bar', x: 'name', y: 'leads.totalCount' });
    expect(specOf({ agents: { nodes: [{ id: '1', name: 'Ana' }] } })).toMatchObject({ type: 'table' });
    expect(specOf({})).toBeNull();
  });
});

describe('the points of a chart', () => {
  const spec: ChartSpec = { type: 'line', x: 'by.week.from', y: 'count', split: 'by.a' };

  test('are in the order of time, with a gap where a series has none or null', () => {
    const data = groups([
      { by: { week: week('14'), a: 'x' }, count: 4 },
      { by: { week: week('07'), a: 'x' }, count: 0 },
      { by: { week: week('07'), a: null }, count: null },
    ]);
    const drawing = drawingOf(tableAt(data, 'leads.groups'), spec, 'America/Sao_Paulo');
    expect(drawing.labels).toEqual(['Sep 7', 'Sep 14']);
    expect(drawing.series.map(({ name, values }) => [name, values])).toEqual([
      ['x', [0, 4]],
      ['(none)', [null, null]],
    ]);
  });

  test('are marked if they are of a period of which rows may be missing', () => {
    const data = groups([
      { by: { week: { ...week('07'), partial: true }, a: 'x' }, count: 4 },
      { by: { week: { ...week('14'), partial: false }, a: 'x' }, count: 2 },
      { by: { week: { ...week('21'), partial: true }, a: 'y' }, count: 1 },
    ]);
    const table = tableAt(data, 'leads.groups');
    expect(defaultSpec(table)).toEqual(spec);
    const drawing = drawingOf(table, spec, 'America/Sao_Paulo');
    expect(drawing.labels).toEqual(['Sep 7 (partial)', 'Sep 14', 'Sep 21 (partial)']);
    expect(drawing.leftOut).toEqual([expect.stringMatching(/“partial” marks periods/)]);
    expect(csvOf(table)).toMatch(/^by.week.from,by.week.to,by.week.partial,by.a,count\r\n/);
    const byName = drawingOf(table, { ...spec, x: 'by.a', split: null });
    expect([byName.labels, byName.leftOut]).toEqual([['x', 'y'], []]);
  });

  test('have labels by the clocks of the time zone that the operation names', () => {
    const query = 'query($z: String) { a: leads { g(timeZone: "Asia/Tokyo") } b: leads { g(timeZone: $z) } }';
    expect(timeZoneIn(query, { z: 'Europe/Lisbon' }, 'a.groups')).toBe('Asia/Tokyo');
    expect(timeZoneIn(query, { z: 'Europe/Lisbon' }, 'b.groups')).toBe('Europe/Lisbon');
    expect(timeZoneIn('{ leads { id } }', {}, 'leads')).toBe('UTC');
    const tokyo = groups([{ by: { day: { from: '2026-09-06T15:00:00.000Z' } }, count: 1 }]);
    const day: ChartSpec = { ...spec, x: 'by.day.from', split: null };
    expect(drawingOf(tableAt(tokyo, 'leads.groups'), day, 'Asia/Tokyo').labels).toEqual(['Sep 7']);
    expect(drawingOf(tableAt(tokyo, 'leads.groups'), day, 'no zone').labels).toEqual(['Sep 6']);
  });

  test('that fall together are added up, and a percentile is not', () => {
    const data = groups([
      { by: { a: 'x', b: '1' }, count: 2, p95: { replyTime: 5 } },
      { by: { a: 'x', b: '2' }, count: 3, p95: { replyTime: 7 } },
    ]);
    const table = tableAt(data, 'leads.groups');
    const bars: ChartSpec = { type: 'bar', x: 'by.a', y: 'count', split: null };
    expect(drawingOf(table, bars).series).toMatchObject([{ values: [5] }]);
    const slow = drawingOf(table, { ...bars, y: 'p95.replyTime' });
    expect(slow.series).toMatchObject([{ values: [5] }]);
    expect(slow.leftOut).toEqual([expect.stringMatching(/^1 rows share a point .* cannot be added up/)]);
  });

  test.each([
    ['stacked', 'p95.replyTime', 'bar'],
    ['pie', 'avg.cost', 'bar'],
    ['pie', 'distinct.lead', 'bar'],
    ['stacked', 'passedShare', 'bar'],
    ['stacked', 'average.cost', 'stacked'],
    ['stacked', 'sum.unknown', 'bar'],
    ['pie', 'count', 'pie'],
    ['line', 'distinct.lead', 'line'],
  ] as const)('of a %s of %s are drawn as a %s: parts of a whole add up', (type, y, expected) => {
    const [measure = '', field = ''] = y.split('.');
    const group = (a: string) => ({ by: { a, b: a }, [measure]: field ? { [field]: 2 } : 2 });
    const table = tableAt(groups([group('x'), group('y')]), 'leads.groups');
    const drawing = drawingOf(table, { type, x: 'by.a', y, split: type === 'stacked' ? 'by.b' : null });
    expect(drawing.type).toBe(expected);
    const notes = type === expected ? [] : [expect.stringMatching(/cannot be added up, so bars stand side by side/)];
    expect(drawing.leftOut).toEqual(notes);
  });

  test('that are negative make no slices of a pie', () => {
    const table = tableAt(
      groups([
        { by: { a: 'x' }, count: 3 },
        { by: { a: 'y' }, count: -1 },
      ]),
      'leads.groups',
    );
    const drawing = drawingOf(table, { type: 'pie', x: 'by.a', y: 'count', split: null });
    expect(drawing).toMatchObject({ type: 'bar', series: [{ values: [3, -1] }] });
    expect(drawing.leftOut).toEqual(['“Count” is negative in places, so bars stand side by side instead of a pie.']);
  });

  test('are at most 1,000, and those left out are counted', () => {
    const days = Array.from({ length: 1_200 }, (_, at) => new Date(Date.UTC(2020, 0, 1 + at)).toISOString());
    const many = tableAt(groups(days.map((from) => ({ by: { day: { from } }, count: 1 }))), 'leads.groups');
    const drawing = drawingOf(many, { ...spec, x: 'by.day.from', split: null });
    expect(drawing.labels).toHaveLength(maxPoints);
    expect(drawing.leftOut).toEqual([expect.stringMatching(/^The first 1000 of 1200 /)]);
    const series = Array.from({ length: 20 }, (_, at) => ({ by: { week: week('07'), a: `${at}` }, count: at }));
    const crowded = drawingOf(tableAt(groups(series), 'leads.groups'), spec);
    expect(crowded.series.map(({ name }) => name)).toEqual(Array.from({ length: maxSeries }, (_, at) => `${at + 8}`));
    expect(crowded.leftOut).toEqual([`The ${maxSeries} largest of 20 series are drawn.`]);
  });

  test('of many names are sorted, and the smallest are one bar that is their sum, unless they do not add up', () => {
    const group = (at: number) => ({
      by: { a: at === 3 ? null : `n${at}` },
      count: at,
      p95: { replyTime: at },
      previous: { count: 1 },
    });
    const table = tableAt(groups(Array.from({ length: 40 }, (_, at) => group(at))), 'leads.groups');
    const bars: ChartSpec = { type: 'bar', x: 'by.a', y: 'count', split: null };
    const drawing = drawingOf(table, bars);
    expect(drawing.labels).toEqual([...Array.from({ length: maxBars - 1 }, (_, at) => `n${39 - at}`), 'other']);
    expect(drawing.series.map(({ values: of }) => [of[0], of.at(-1)])).toEqual([
      [39, (28 * 29) / 2],
      [1, 29],
    ]);
    expect(drawing.leftOut).toEqual(['The 29 smallest of 40 values are added up as “other”.']);
    const slices = drawingOf(table, { ...bars, type: 'pie' });
    expect(slices.labels).toEqual(drawing.labels);
    const slow = drawingOf(table, { ...bars, y: 'p95.replyTime' });
    expect([slow.labels, slow.series[0]?.values.at(-1)]).toEqual([drawing.labels, null]);
    expect(slow.leftOut).toEqual([
      'The 11 largest of 40 values are drawn; “other” has no number, since “95th percentile of reply time” cannot be added up.',
    ]);
    const few = tableAt(groups(Array.from({ length: maxBars }, (_, at) => group(at))), 'leads.groups');
    expect(drawingOf(few, bars).labels).toEqual(['n0', 'n1', 'n2', '(none)', ...few.rows.slice(4).map(([a]) => a)]);
  });

  test('have the period before beside them, unless they are split', () => {
    const table = tableAt(groups([{ by: { a: 'x' }, count: 2, previous: { count: 1 } }]), 'leads.groups');
    const drawing = drawingOf(table, defaultSpec(table));
    expect(drawing.series.map(({ name, isPrevious }) => [name, isPrevious])).toEqual([
      ['Count', false],
      ['Previous', true],
    ]);
    expect(vegaLiteOf(drawing)).toMatchObject({
      mark: 'bar',
      data: {
        values: [
          { x: 'x', series: 'Count', y: 2 },
          { x: 'x', series: 'Previous', y: 1 },
        ],
      },
    });
  });
});
