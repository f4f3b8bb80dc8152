import { expect, test } from 'vitest';
import { shownTable } from '../../../src/http/pages/panels/spec.ts';
import { type ResultValue, type Table, tablesOf } from '../../../src/http/pages/panels/table.ts';
import { cellTexts } from '../../../src/http/pages/panels/texts/cells.ts';

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

test('of more rows than may be, tables have the first of all lists together, and say so', () => {
  const row = (id: number) => ({ id, leads: { totalCount: 2, nodes: [{ count: 1 }, { count: 2 }] } });
  const data = { agents: { totalCount: 9, nodes: [0, 1, 2, 3, 4, 5, 6, 7, 8].map(row) } };
  const sizes = (most?: number) => tablesOf(data, [], most).map(({ path, rows }) => [path, rows.length]);
  expect(sizes()).toEqual([
    ['agents', 9],
    ['agents.leads', 18],
    ['values', 1],
  ]);
  expect(sizes(27)).toEqual(sizes());
  expect(sizes(7)).toEqual([
    ['agents', 3],
    ['agents.leads', 4],
    ['values', 1],
  ]);
  for (const { leftOut, isComplete, path } of tablesOf(data, [], 7).filter(({ path }) => path !== 'values')) {
    expect([path, isComplete]).toEqual([path, false]);
    expect(leftOut.at(-1)).toBe('The first 7 rows are drawn: ask for groups, which count all of them.');
  }
});
