import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tablesOf } from '../../../src/http/pages/panels/charts/table.ts';
import { casesOf } from '../../support/random/cases.ts';
import { options } from '../../support/random/seed.ts';

const lists = ['agents', 'leads', 'notes'];
const fields = ['count', ...lists.flatMap((list) => [`${list}.count`, `${list}.agents.count`])];
type Level = { list: string; own: string[] };

test('a nested row may have a field by the name of one of its parents: each number is that of its own path', () => {
  const level = fc.record({ list: fc.constantFrom(...lists), own: fc.uniqueArray(fc.constantFrom(...fields)) });
  let alike = 0;
  const holds = (levels: Level[], count: number) => {
    const below = (at: number): object => {
      const { list, own } = levels[at] ?? { list: '', own: [] };
      const row = () => nested(own.filter((name) => !name.startsWith(`${levels[at + 1]?.list}.`)));
      return at === levels.length
        ? {}
        : { [list]: { nodes: Array.from({ length: count }, () => ({ ...row(), ...below(at + 1) })) } };
    };
    let path = '';
    let inherited = new Map<string, string>();
    const expected = levels.map(({ list, own }, at) => {
      path = path ? `${path}.${list}` : list;
      const ofRow = own.filter((name) => !name.startsWith(`${levels[at + 1]?.list}.`));
      const paths = ofRow.map((name) => [name, `${path}.${name}`] as const);
      alike += paths.filter(([name]) => inherited.has(name)).length;
      const columns = new Map([...inherited, ...paths]);
      inherited = new Map([...inherited, ...paths.map(([name, of]) => [`${list}.${name}`, of] as const)]);
      return [path, Object.fromEntries(columns)];
    });
    const values = expected.flatMap(([, columns]) =>
      Object.values(columns ?? {}).map((of) => ({ path: of, kind: 'sum', additive: true, unit: null })),
    );
    const found = tablesOf(below(0), values).map(({ path, columns }) => [
      path,
      Object.fromEntries(columns.map(({ name, value }) => [name, value?.path])),
    ]);
    expect(found).toEqual(expected);
  };
  const levels = fc.array(level, { minLength: 1, maxLength: 4 });
  fc.assert(fc.property(levels, fc.integer({ min: 1, max: 3 }), holds), options(casesOf(300), 'columns by path'));
  expect(alike).toBeGreaterThan(20);
});

/** An object of fields that are named by their paths, each a number. */
function nested(paths: string[]): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  for (const path of paths) {
    let at = made;
    const names = path.split('.');
    for (const name of names.slice(0, -1)) at = (at[name] ??= {}) as typeof made;
    at[names.at(-1) ?? ''] = 1;
  }
  return made;
}

const tables = (data: object, most: { rows: number; cells: number }) =>
  tablesOf(data, [], most).map(({ path, rows, columns, leftOut }) => {
    return { path, rows: rows.length, width: columns.length, isCut: leftOut.length > 0 };
  });
const list = (length: number, row: (at: number) => object) => Array.from({ length }, (_, at) => row(at));
const wide = (width: number) => Object.fromEntries(Array.from({ length: width }, (_, at) => [`f${at}`, at]));

test('a table has at most as many cells, of which nested rows have those of their parents', () => {
  const agents = list(10, () => ({ ...wide(18), leads: list(10, (at) => ({ at, name: 'x' })) }));
  expect(tables({ agents }, { rows: 1000, cells: 200 })).toEqual([
    { path: 'agents', rows: 10, width: 18, isCut: false },
    { path: 'agents.leads', rows: 10, width: 20, isCut: true },
  ]);
  // Rows of other columns, such as those of a JSON value, widen all rows.
  const odd = list(100, (at) => ({ [`f${at}`]: 1 }));
  expect(tables({ odd }, { rows: 1000, cells: 400 })).toEqual([{ path: 'odd', rows: 20, width: 20, isCut: true }]);
  // Whatever its width, a table has its first row: a number of it may be drawn.
  const one = list(2, () => wide(50));
  expect(tables({ one }, { rows: 1000, cells: 10 })).toEqual([{ path: 'one', rows: 1, width: 50, isCut: true }]);
});

test('what is cut costs no cells: neither those of its rows nor those that they hand down', () => {
  const notes = list(1, () => ({ b: 1 }));
  const spent = (width: number) => {
    const agents = list(50, () => ({ ...wide(width), leads: list(200, () => ({ a: 1, notes })) }));
    const times = [1, 2, 3].map(() => {
      const from = process.cpuUsage();
      expect(tables({ agents }, { rows: 1000, cells: 5_000 })[2]).toMatchObject({ isCut: true });
      return process.cpuUsage(from).user;
    });
    return Math.min(...times);
  };
  spent(1);
  // In processor time. With their cells, rows of 100 columns take more than ten times as long.
  expect(spent(100) / spent(1)).toBeLessThan(5);
});
