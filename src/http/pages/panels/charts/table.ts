import { labelsOf } from './labels.ts';

/** The value of a cell. Null is an empty cell, never 0. */
export type Cell = string | number | boolean | null;
type Kind = 'number' | 'moment' | 'boolean' | 'text';
/** What a number of a result is, as `resultValues` says it. */
export type ResultValue = { path: string; kind: string; additive: boolean; unit: string | null };
/** A column by its path; `label` is what people read instead. */
export type Column = { name: string; label: string; kind: Kind; value?: ResultValue | undefined };

/** The rows of one list of a result, or of the same list in each row of another. */
export type Table = {
  /** The field names from the data to the list, joined by dots, without `nodes`, `edges` and `node`. */
  path: string;
  /** Whether the rows are groups. */
  isGrouped: boolean;
  columns: Column[];
  rows: Cell[][];
  /** Notes on rows that are not in the result: further pages, and `other`. */
  leftOut: string[];
  /** Whether the result shows that no page has more rows, of this list or those it is in. */
  isComplete: boolean;
  /** Whether it has only the first rows of the result, which is too large. */
  isCut: boolean;
};

type Row = Record<string, Cell>;
/** The path of each column in the result, by its name. */
type Paths = Map<string, string>;
/** `own`: the paths of the fields of its list; one may have the name of a column of a parent row. */
type Draft = Pick<Table, 'leftOut' | 'isComplete'> & { rows: Row[]; columns: Paths; own: Paths; isCut?: boolean };
/** Made only when asked for: a nested list that is cut needs none. */
type Parents = { cells: () => Row; columns: () => Paths; isComplete: boolean };
/** How large a table may be; its cells are its rows by its columns. */
type Room = { rows: number; cells: number };
type Json = unknown;

const moment = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d))?$/;
const anyRoom: Room = { rows: Number.POSITIVE_INFINITY, cells: Number.POSITIVE_INFINITY };
/** The name of the table for values outside of lists. */
export const noList = 'values';

/**
 * Returns the lists of a result as tables: one row for each element, one column for each field, named by its path. Rows
 * of a nested list repeat the columns of their parent row. `values` are what its numbers are. A table of more than
 * `most` has the first rows, and says so.
 */
export function tablesOf(data: Json, values: readonly ResultValue[] = [], most: Room = anyRoom): Table[] {
  if (!isObject(data)) return [];
  const byPath = new Map(values.map((value) => [withoutConnections(value.path), value]));
  const drafts = new Map<string, Draft>();
  const { cells, lists } = partsOf(data, [], '');
  for (const list of lists)
    addRows(list, { cells: () => ({}), columns: () => new Map(), isComplete: true }, drafts, most);
  // Null alone is what was refused.
  if (Object.values(cells).some((cell) => cell !== null)) {
    const columns = new Map(Object.keys(cells).map((name) => [name, withoutConnections(name)]));
    drafts.set(noList, { rows: [cells], columns, own: columns, leftOut: [], isComplete: true });
  }
  return [...drafts].map(([path, draft]) => finished(path, draft, byPath));
}

const withoutConnections = (path: string): string =>
  path
    .split('.')
    .filter((name) => name !== 'nodes' && name !== 'edges' && name !== 'node')
    .join('.');

/** The elements of a list, and its connection. */
type List = { path: string[]; elements: Json[]; connection: Record<string, Json> };

/** Splits an object into the cells of its fields and its lists. */
function partsOf(object: Record<string, Json>, path: string[], prefix: string): { cells: Row; lists: List[] } {
  const cells: Row = {};
  const lists: List[] = [];
  for (const [name, value] of Object.entries(object)) {
    if (isList(name, value)) {
      const isConnection = name === 'nodes' || name === 'edges';
      lists.push({
        path: isConnection && path.length > 0 ? path : [...path, name],
        elements: value,
        connection: object,
      });
    } else if (isObject(value)) {
      const below =
        name === 'node' ? partsOf(value, path, prefix) : partsOf(value, [...path, name], `${prefix}${name}.`);
      Object.assign(cells, below.cells);
      lists.push(...below.lists);
    } else cells[`${prefix}${name}`] = cellOf(value);
  }
  return { cells, lists };
}

function addRows(list: List, parents: Parents, drafts: Map<string, Draft>, most: Room): void {
  const { path, elements, connection } = list;
  const key = path.join('.');
  const draft: Draft = drafts.get(key) ?? {
    rows: [],
    columns: parents.columns(),
    own: new Map(),
    leftOut: [],
    isComplete: true,
  };
  // A parent's table comes before those of its nested lists.
  drafts.set(key, draft);
  draft.leftOut.push(...remarks(connection, elements.length));
  const isComplete = parents.isComplete && hasAll(connection, elements.length);
  draft.isComplete &&= isComplete;
  const pathOf = (name: string): string => {
    const path = draft.own.get(name) ?? withoutConnections(`${key}.${name}`);
    draft.own.set(name, path);
    return path;
  };
  for (const element of elements) {
    const { cells, lists } = partsOf(isObject(element) ? element : {}, path, '');
    // The lists of a row that is left out have rows of their own.
    if (!draft.isCut) {
      const added = Object.keys(cells).filter((name) => !draft.own.has(name));
      draft.isCut = !hasRoom(draft, added, most);
      if (!draft.isCut) {
        for (const name of added) draft.columns.set(name, pathOf(name));
        draft.rows.push({ ...parents.cells(), ...cells });
      }
    }
    if (lists.length === 0) continue;
    const inherited = (name: string) => `${path.at(-1)}.${name}`;
    const below: Parents = {
      cells: once(() => {
        const all = { ...parents.cells() };
        for (const [name, cell] of Object.entries(cells)) all[inherited(name)] = cell;
        return all;
      }),
      columns: () => {
        const all = parents.columns();
        for (const name of Object.keys(cells)) all.set(inherited(name), pathOf(name));
        return all;
      },
      isComplete,
    };
    for (const list of lists) addRows(list, below, drafts, most);
  }
}

/** Whether a table has room for one more row, with the columns that it adds; for the first in any case. */
function hasRoom({ rows, columns }: Draft, added: string[], most: Room): boolean {
  const width = columns.size + added.filter((name) => !columns.has(name)).length;
  return rows.length === 0 || (rows.length < most.rows && (rows.length + 1) * width <= most.cells);
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Whether a page is shown to be the only one. */
function hasAll({ pageInfo, totalCount }: Record<string, Json>, count: number): boolean {
  if (totalCount === count) return true;
  return isObject(pageInfo) && pageInfo.hasNextPage === false && pageInfo.hasPreviousPage !== true;
}

function remarks(connection: Record<string, Json>, count: number): string[] {
  const { pageInfo, totalCount, other } = connection;
  const found: string[] = [];
  if (typeof totalCount === 'number' && totalCount > count) {
    found.push(`${count} of ${totalCount} rows are in the result: ask for more with “first”, or with “after”.`);
  } else if (isObject(pageInfo) && pageInfo.hasNextPage === true) {
    found.push('There is a next page: ask for more with “first”, or with “after”.');
  }
  if (isObject(other)) {
    const numbers = Object.entries(partsOf(other, [], '').cells)
      .filter(([, cell]) => typeof cell === 'number' && cell !== 0)
      .map(([name, cell]) => `${name} ${cell}`);
    if (numbers.length > 0) found.push(`All other groups (other) are not drawn: ${numbers.join(', ')}.`);
  }
  return found;
}

function finished(
  path: string,
  { rows, columns, leftOut, isComplete, isCut = false }: Draft,
  values: Map<string, ResultValue>,
): Table {
  const all = [...columns.keys()];
  // What is null in some rows has its fields in others.
  const above = new Set(all.flatMap(objectsAbove));
  const names = all.filter((name) => !above.has(name));
  const cells = rows.map((row) => names.map((name) => row[name] ?? null));
  const labels = labelsOf(names);
  return {
    path,
    isGrouped: path.split('.').at(-1) === 'groups' || names.some((name) => name.startsWith('by.')),
    columns: names.map((name, at) => ({
      name,
      label: labels[at] ?? name,
      kind: kindOf(cells, at),
      value: values.get(columns.get(name) ?? ''),
    })),
    rows: cells,
    leftOut: [...new Set(isCut ? [...leftOut, firstOf(rows.length)] : leftOut)],
    isComplete: isComplete && !isCut,
    isCut,
  };
}

/** `a` and `a.b` for `a.b.c`. */
const objectsAbove = (name: string): string[] => Array.from(name.matchAll(/\./g), ({ index }) => name.slice(0, index));

const firstOf = (count: number): string =>
  `The first ${count.toLocaleString('en')} rows are drawn: ask for groups, which count all of them.`;

/** The common kind of all cells of a column that are not empty. */
function kindOf(rows: Cell[][], at: number): Kind {
  let found: Kind | null = null;
  for (const row of rows) {
    const cell = row[at] ?? null;
    if (cell === null) continue;
    const kind = kindOfCell(cell);
    if (kind === 'text' || (found ?? kind) !== kind) return 'text';
    found = kind;
  }
  return found ?? 'text';
}

function kindOfCell(cell: string | number | boolean): Kind {
  if (typeof cell === 'number' || typeof cell === 'boolean') return typeof cell as 'number' | 'boolean';
  return moment.test(cell) ? 'moment' : 'text';
}

const isObject = (value: Json): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Lists of objects, and the lists of a connection even if they are empty. Other arrays are values. */
function isList(name: string, value: Json): value is Json[] {
  if (!Array.isArray(value)) return false;
  const holdsRows = value.every((element) => element === null || isObject(element));
  return holdsRows && (name === 'nodes' || name === 'edges' || value.some(isObject));
}

function cellOf(value: Json): Cell {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return value === null || value === undefined ? null : JSON.stringify(value);
}
