import { expect, test, vi } from 'vitest';
import { cellTexts } from '../../../src/http/pages/panels/charts/cells.ts';
import { shownTable } from '../../../src/http/pages/panels/charts/spec.ts';
import { type ResultValue, type Table, tablesOf } from '../../../src/http/pages/panels/charts/table.ts';

const values: ResultValue[] = [
  { path: 'rows.cost', kind: 'sum', additive: true, unit: 'USD' },
  { path: 'rows.replyTime', kind: 'percentile', additive: false, unit: 'ms' },
  { path: 'rows.hour', kind: 'hourOfDay', additive: false, unit: null },
];
const textsOf = (rows: object[], timeZone = 'UTC', most = 10) => {
  const [table] = tablesOf({ rows }, values);
  return cellTexts(table as Table, timeZone, most);
};

test('numbers have their unit, unless they are keys or nothing is known of them; null is empty', () => {
  const row = { cost: 0.037799, replyTime: 2582, hour: 13, year: 2026, name: '', none: null };
  expect(textsOf([row])).toEqual([['$0.0378', '2,582 ms', '13', '2026', '(none)', '']]);
});

test.each([
  ['times are those of the zone', 'Asia/Tokyo', ['2026-11-28T23:10:00.000Z', null], ['Nov 29, 2026, 08:10', '']],
  ['beginnings of days are dates', 'America/Sao_Paulo', ['2026-11-23T03:00:00.000Z'], ['Nov 23, 2026']],
  ['dates are of no zone', 'America/Sao_Paulo', ['2026-11-23'], ['Nov 23, 2026']],
  ['an unknown zone is UTC', 'Mars/Base', ['2026-11-23T03:04:00Z'], ['Nov 23, 2026, 03:04']],
  ['what is no time stays', 'UTC', ['2026-99-99T03:04:00Z'], ['2026-99-99T03:04:00Z']],
])('%s', (_what, zone, times, texts) => {
  expect(
    textsOf(
      times.map((at) => ({ at })),
      zone,
    ),
  ).toEqual(texts.map((text) => [text]));
});

test('only the first rows are written', () => {
  expect(textsOf([{ a: 'x' }, { a: 'y' }], 'UTC', 1)).toEqual([['x']]);
});

test('as a table, a list is shown rather than its total, which numbers are about', () => {
  const tables = tablesOf({ agents: { totalCount: 2, nodes: [{ title: 'x' }] } });
  const chart = { data: null, x: null, y: null, split: null };
  expect(shownTable(tables, { ...chart, type: 'table' })?.path).toBe('agents');
  expect(shownTable(tables, { ...chart, type: 'number' })?.path).toBe('values');
  expect(shownTable(tables, { ...chart, type: 'table', data: 'values' })?.path).toBe('values');
  const [total] = tablesOf({ agents: { totalCount: 2 } });
  expect(shownTable([total as Table], { ...chart, type: 'table' })).toBe(total);
});

test('a list of more rows than may be has the first and says so; others have all of theirs', () => {
  const [many, all] = [
    [false, ['The first 4 rows are drawn: ask for groups, which count all of them.']],
    [true, []],
  ];
  const list = (count: number, row = (id: number): object => ({ id })) => {
    const nodes = Array.from({ length: count }, (_, id) => row(id));
    return { nodes, pageInfo: { hasNextPage: false } };
  };
  const tables = (data: object) =>
    tablesOf(data, [], { rows: 4, cells: 1000 }).flatMap(({ path, rows, isComplete, leftOut }) =>
      path === 'values' ? [] : [[path, rows.length, isComplete, leftOut]],
    );
  expect(tables({ big: list(5), small: list(2) })).toEqual([
    ['big', 4, ...many],
    ['small', 2, ...all],
  ]);
  expect(tables({ one: list(4), other: list(4) })).toEqual([
    ['one', 4, ...all],
    ['other', 4, ...all],
  ]);
  expect(tables({ agents: list(4, () => ({ leads: list(2) })) })).toEqual([
    ['agents', 4, ...all],
    ['agents.leads', 4, ...many],
  ]);
  // The rows of a list may be in rows that are left out.
  expect(tables({ agents: list(9, (id) => ({ leads: list(id === 8 ? 3 : 0) })) })).toEqual([
    ['agents', 4, ...many],
    ['agents.leads', 3, ...all],
  ]);
});

test('the path of a column is made once, and not for each of its rows', () => {
  const splits = (count: number) => {
    const leads = { nodes: Array.from({ length: 3 }, (_, at) => ({ at, name: 'x' })) };
    const agents = { nodes: Array.from({ length: count }, (_, id) => ({ id, leads })) };
    const spy = vi.spyOn(String.prototype, 'split');
    const rows = tablesOf({ agents }).map((table) => table.rows.length);
    const calls = spy.mock.calls.length;
    spy.mockRestore();
    return { rows, calls };
  };
  const [few, many] = [splits(2), splits(50)];
  expect([few.rows, many.rows]).toEqual([
    [2, 6],
    [50, 150],
  ]);
  expect(many.calls).toBe(few.calls);
});

test.each([
  ['number', [1, null, 2.5]],
  ['boolean', [true, null]],
  ['moment', ['2026-11-23', '2026-11-23T03:00:00.000Z']],
  ['text', ['2026-11-23', 'x']],
  ['text', [1, '2026-11-23']],
  ['text', [null, null]],
])('a column is of the kind %s by %j', (kind, cells) => {
  const [table] = tablesOf({ rows: cells.map((cell) => ({ cell })) });
  expect(table?.columns.map((column) => column.kind)).toEqual([kind]);
});
