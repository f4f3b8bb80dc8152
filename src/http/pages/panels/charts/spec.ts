import { type Column, noList, type Table } from './table.ts';

export const chartTypes = ['line', 'bar', 'stacked', 'pie', 'heatmap', 'number', 'table'] as const;
export type ChartType = (typeof chartTypes)[number];

/** What to draw of a table, by column names. */
export type ChartSpec = {
  type: ChartType;
  x: string | null;
  y: string | null;
  /** The column of a second measure beside the first, where the rows are not split. */
  y2?: string | null;
  /** The column whose values are the series; `allOthers` for all dimensions but x. */
  split: string | null;
};
/** A chart as a saved operation and a tile keep it: `data` is the path of its table. */
export type ChosenChart = ChartSpec & { data: string | null };
/** What is kept as the chart of an operation may be anything. */
export function chartIn(given: unknown): ChosenChart | null {
  const { type, ...columns } = (given ?? {}) as Record<string, unknown>;
  const known = chartTypes.find((one) => one === type);
  const textOf = (name: string) => (typeof columns[name] === 'string' ? columns[name] : null);
  if (!known) return null;
  const [data, x, y, y2] = [textOf('data'), textOf('x'), textOf('y'), textOf('y2')];
  return { type: known, data, x, y, y2, split: textOf('split') };
}

export const allOthers = '*';

const names = /(^|\.)(name|title|question|label|nameForHuman|email)$/;
const ids = /(^|\.)(id|\w+Id|cursor)$/;

/** The columns that identify rows. For groups: those of `by`, and of the parent rows. */
export function dimensionsOf({ columns, isGrouped, path }: Table): Column[] {
  if (path === noList) return [];
  const has = new Set(columns.map(({ name }) => name));
  // What else is selected of a period that its start names.
  const isEnd = (name: string) => /\.(to|partial)$/.test(name) && has.has(name.replace(/\w+$/, 'from'));
  const isNamed = (name: string) => name.endsWith('.id') && has.has(name.replace(/id$/, 'name'));
  return columns.filter(
    (column) =>
      !isMeasure(column) &&
      !isEnd(column.name) &&
      !(isGrouped && isNamed(column.name)) &&
      !(isGrouped && /(^|\.)(previous|rows)\./.test(column.name)),
  );
}

/** The numeric columns. */
export const measuresOf = ({ columns }: Table): Column[] => columns.filter(isMeasure);

/** One that is null everywhere is known by what the schema says of it. */
const isMeasure = (column: Column): boolean =>
  (column.kind === 'number' || (column.kind === 'text' && column.value !== undefined)) && !isKey(column);

/** The default chart of a table: a timestamp makes a line, one category bars, two stacked bars, one row a number. */
export function defaultSpec(table: Table): ChartSpec {
  const dimensions = dimensionsOf(table);
  const y = measuresOf(table)[0]?.name ?? null;
  if (y === null || table.rows.length === 0) return { type: 'table', x: dimensions[0]?.name ?? null, y, split: null };
  if (table.path === noList) return { type: 'number', x: null, y, split: null };
  const moment = dimensions.find(({ kind }) => kind === 'moment');
  const others = dimensions.filter((column) => column !== moment && !ids.test(column.name));
  if (!table.isGrouped) {
    const label = others.find(({ name }) => names.test(name));
    if (label) return { type: 'bar', x: label.name, y, split: null };
    return { type: moment ? 'line' : 'table', x: moment?.name ?? dimensions[0]?.name ?? null, y, split: null };
  }
  const split = (rest: Column[]) => (rest.length > 1 ? allOthers : (rest[0]?.name ?? null));
  if (moment) return { type: 'line', x: moment.name, y, split: split(others) };
  const [hour, day] = [dimensions.find(isHour), dimensions.find((column) => isWeekday(table, column))];
  if (hour && day && dimensions.length === 2) return { type: 'heatmap', x: hour.name, y, split: day.name };
  const [first, ...rest] = others.length > 0 ? others : dimensions;
  if (!first) return { type: 'number', x: null, y, split: null };
  return { type: rest.length > 0 ? 'stacked' : 'bar', x: first.name, y, split: split(rest) };
}

/** What a kept chart says, and otherwise what suits the columns of the table. */
export function chosenSpec(table: Table, chart: ChosenChart | null): ChartSpec {
  const usual = defaultSpec(table);
  if (!chart) return usual;
  const has = (name: string | null) => (table.columns.some((column) => column.name === name) ? name : null);
  const x = has(chart.x) ?? usual.x ?? dimensionsOf(table)[0]?.name ?? null;
  const y = has(chart.y) ?? usual.y ?? measuresOf(table)[0]?.name ?? null;
  const y2 = has(chart.y2 ?? null);
  const isSplit = chart.type !== 'pie' && chart.type !== 'number';
  const split = chart.split === allOthers ? allOthers : has(chart.split);
  const series = split ?? (chart.x || y2 ? null : usual.split);
  return { type: chart.type, x, y, ...(y2 && { y2 }), split: isSplit ? series : null };
}

/** Whether a chart of this type can have a second measure. */
export const hasSecond = ({ type }: Pick<ChartSpec, 'type'>): boolean => ['line', 'bar', 'stacked'].includes(type);

/** Chooses the table to draw first: groups, then rows with numbers, then any rows. */
export function bestTable(tables: Table[]): Table | null {
  const score = (table: Table) => {
    if (table.rows.length === 0) return 0;
    if (table.path === noList) return measuresOf(table).length > 0 ? 2 : 0;
    return table.isGrouped && measuresOf(table).length > 0 ? 4 : defaultSpec(table).type === 'table' ? 1 : 3;
  };
  return tables.toSorted((a, b) => score(b) - score(a))[0] ?? null;
}

/** The table whose numbers a kept chart is about. */
export const chosenTable = (tables: Table[], chart: Pick<ChosenChart, 'data'> | null): Table | null =>
  tables.find(({ path }) => path === chart?.data) ?? bestTable(tables);

/** The table that a page shows: as a table, a list rather than the number of its rows. */
export function shownTable(tables: Table[], chart: ChosenChart | null): Table | null {
  const lists = chart?.type === 'table' && !chart.data ? tables.filter(({ path }) => path !== noList) : [];
  return lists.length > 0 ? bestTable(lists) : chosenTable(tables, chart);
}

/** Whether the values of a column can be added up across rows, as far as is known. */
export const isAdditive = (column: Column | undefined): boolean => column?.value?.additive === true;

export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

/** Whether a column has days of the week, and no other values. */
export function isWeekday({ columns, rows }: Table, column: Column): boolean {
  const at = columns.indexOf(column);
  return rows.length > 0 && rows.every((row) => weekdays.includes(String(row[at])));
}

/** Whether a column has hours of the day. */
export const isHour = ({ value }: Column): boolean => value?.kind === 'hourOfDay';

const isKey = (column: Column): boolean =>
  column.value?.kind === 'key' || isHour(column) || column.name.startsWith('by.');
