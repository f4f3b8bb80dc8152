import { labelOf } from './labels.ts';
import {
  allOthers,
  type ChartSpec,
  type ChartType,
  dimensionsOf,
  hasSecond,
  isAdditive,
  isHour,
  isWeekday,
  weekdays,
} from './spec.ts';
import type { Cell, Column, ResultValue, Table } from './table.ts';
import { timeLabels } from './time-labels.ts';
import { beginningsOf, missesPeriods, withoutFuture } from './to-come.ts';

const keyOf = (cell: Cell): string => (cell === null ? 'null' : `${typeof cell} ${cell}`);
/** The text of a key. */
const nameOf = (key: string): string => (key === 'null' ? none : key.slice(key.indexOf(' ') + 1) || none);
const allHours = Array.from({ length: 24 }, (_, hour) => keyOf(hour));

/** `rows`: the index of the one row that each value is from; null for none or several. */
export type Series = {
  name: string;
  values: (number | null)[];
  rows: (number | null)[];
  isPrevious: boolean;
  /** That of a second measure: on an axis of its own if its values are of another unit than those of the first. */
  second?: { isApart: boolean; value: ResultValue | undefined };
};
/** The data of a chart: a value for each label in each series, or null. `type`: what it can be drawn as. */
export type Drawing = {
  type: ChartType;
  labels: string[];
  series: Series[];
  leftOut: string[];
  /** What people read at the axes. */
  titles: { x: string; y: string };
  /** What the values are, if that is known. */
  value?: ResultValue | undefined;
};

export const maxSeries = 12;
/** Rows of a heat map, such as the days of a month. */
const maxRows = 31;
export const maxPoints = 1_000;
/** Bars and slices of a chart; the smallest beyond are one. */
export const maxBars = 12;
const none = '(none)';

/**
 * Turns rows into the series of a chart, and lists what it leaves out. `timeZone` applies to time labels. What begins
 * after `now`, in milliseconds, is empty if nothing is known of it.
 */
export function drawingOf(table: Table, spec: ChartSpec, timeZone = 'UTC', now = Date.now()): Drawing {
  const at = (name: string | null) => table.columns.findIndex((column) => column.name === name);
  const [x, y] = [at(spec.x), at(spec.y)];
  const measure = table.columns[y];
  const splits = splitColumns(table, spec).map(at);
  const second = splits.length === 0 && hasSecond(spec) && spec.y2 !== spec.y ? at(spec.y2 ?? null) : -1;
  const measureOf = (name: string) => (second >= 0 && name === spec.y2 ? table.columns[second] : measure);
  const previous = splits.length === 0 ? at(`previous.${spec.y}`) : -1;
  const isMap = spec.type === 'heatmap';
  const cycle = spec.type === 'pie' ? [] : cycleOf(table, x, isMap);
  const keys = [...new Set([...cycle, ...xKeys(table, x)])];
  const points = new Map<string, Map<string, number | null>>();
  const labelled = (name: string | null) =>
    table.columns.find((column) => column.name === name)?.label ?? labelOf(name ?? '');
  const unaddable = new Map<string, number>();
  const [row = -1] = splits.length === 1 && isMap ? splits : [];
  // The rows of a heat map have an order, too.
  if (row >= 0)
    for (const key of [...cycleOf(table, row, isMap), ...xKeys(table, row)]) points.set(nameOf(key), new Map());
  const add = (name: string, key: string, value: Cell) => {
    const values = points.get(name) ?? new Map<string, number | null>();
    points.set(name, values);
    const known = values.get(key);
    if (typeof value !== 'number') values.set(key, known ?? null);
    else if (known === undefined || known === null) values.set(key, value);
    else if (isAdditive(measureOf(name))) values.set(key, known + value);
    else {
      const { label = '' } = measureOf(name) ?? {};
      unaddable.set(label, (unaddable.get(label) ?? 0) + 1);
    }
  };
  const origins = new Map<string, Map<string, number | null>>();
  const cellOf = cellsAt(table, x);
  for (const [index, row] of table.rows.entries()) {
    const key = keyOf(cellOf(row));
    const name = splits.length > 0 ? splits.map((column) => textOf(row[column] ?? null)).join(' · ') : (spec.y ?? '');
    for (const [series, column] of [[name, y] as const, ...(second >= 0 ? [[spec.y2 ?? '', second] as const] : [])]) {
      add(series, key, row[column] ?? null);
      const known = origins.get(series) ?? new Map<string, number | null>();
      origins.set(series, known.set(key, known.has(key) ? null : index));
    }
    if (previous >= 0) add(previousName, key, row[previous] ?? null);
  }
  const isNegative = spec.type === 'pie' && table.rows.some((row) => Number(row[y] ?? 0) < 0);
  const partial = partialKeys(table, spec.x, now);
  const type = addsUp(spec) && (isNegative || !isAdditive(measure)) ? 'bar' : spec.type;
  const isNamed = table.columns[x]?.kind === 'text' && type !== 'line';
  const largest = isNamed
    ? sortedBars(points, keys, { spec, label: measure?.label ?? '', adds: (name) => isAdditive(measureOf(name)) })
    : { keys, leftOut: [] };
  const shown = limited([...points], largest.keys, spec);
  const leftOut = [...table.leftOut, ...largest.leftOut, ...shown.leftOut];
  if (type !== spec.type) {
    const why = isNegative ? 'is negative in places' : 'cannot be added up';
    leftOut.push(`“${labelled(spec.y)}” ${why}, so bars stand side by side instead of a ${wholes[spec.type]}.`);
  }
  for (const [column, count] of unaddable) {
    leftOut.push(
      `${count} rows share a point with another, and “${column}” cannot be added up: split by another column.`,
    );
  }
  if (spec.y2 && splits.length > 0 && hasSecond(spec)) {
    leftOut.push(`“${labelled(spec.y2)}” is not drawn: the chart has a series for each “${labelled(spec.split)}”.`);
  }
  if (shown.keys.some((key) => partial.has(key)))
    leftOut.push(`“${partialName}” marks periods that the time range covers only in part, or that are not over.`);
  const isTime = table.columns[x]?.kind === 'moment';
  if (isTime && type !== 'pie' && missesPeriods(table, shown.keys.map(nameOf)))
    leftOut.push('Periods without rows may be missing: fill: true adds them.');
  // Where no rows are, there is no group, if no group is missing. The time before may have had rows.
  const isNone = (cycle.length > 0 || isMap) && table.isGrouped && table.isComplete;
  const empty = (name: string) => (isNone && name !== previousName && isAdditive(measureOf(name)) ? 0 : null);
  const begin = beginningsOf(table, { x, splits, timeZone, now });
  const valuesOf = (name: string, values: Map<string, number | null>) => {
    const all = shown.keys.map((key) => (values.has(key) ? (values.get(key) ?? null) : empty(name)));
    const begins = shown.keys.map((key) => begin(name, nameOf(key)));
    const isRunning = measureOf(name)?.value?.kind === 'cumulative';
    return name === previousName ? all : withoutFuture(all, begins, { isRunning, now });
  };
  const texts = shown.keys.map(nameOf);
  const labels = isTime ? timeLabels(texts, timeZone) : texts;
  return {
    type,
    labels: labels.map((label, at) => (partial.has(shown.keys[at] ?? '') ? `${label} (${partialName})` : label)),
    series: shown.series.map(([name, values]) => ({
      name: splits.length > 0 ? name : labelled(name),
      values: valuesOf(name, values),
      rows: shown.keys.map((key) => origins.get(name)?.get(key) ?? null),
      isPrevious: name === previousName,
      ...(measureOf(name) !== measure && { second: secondOf(measure, measureOf(name)) }),
    })),
    leftOut,
    titles: { x: labelled(spec.x), y: labelled(spec.y) },
    value: measure?.value,
  };
}

const counted = ['count', 'sum', 'amount', 'distinct', 'cumulative'];
/** What numbers are of that share an axis: a unit, things that are counted, or else a kind of its own. */
const scaleOf = (column: Column | undefined) => {
  const { kind = '', unit = null } = column?.value ?? {};
  return unit ?? (counted.includes(kind) ? 'number' : kind);
};
const secondOf = (first: Column | undefined, second: Column | undefined) => ({
  isApart: scaleOf(first) !== scaleOf(second),
  value: second?.value,
});

const previousName = 'previous';
const partialName = 'partial';
/** The charts whose parts are seen as one whole. */
const wholes: Partial<Record<ChartType, string>> = { stacked: 'stack', pie: 'pie' };
const addsUp = ({ type }: ChartSpec): boolean => type in wholes;

/** The columns whose values are the names of the series. */
function splitColumns(table: Table, { x, split }: ChartSpec): string[] {
  if (split === null) return [];
  const others = dimensionsOf(table).filter(({ name }) => name !== x);
  return split === allOthers ? others.map(({ name }) => name) : [split];
}

/**
 * The values of x that are begun periods of which rows may be missing, if the result says so: `partial` beside `from`.
 */
function partialKeys({ columns, rows }: Table, x: string | null, now: number): Set<string> {
  const at = (name: string | undefined) => columns.findIndex((column) => column.name === name);
  const [from, partial] = [at(x ?? undefined), at(x?.replace(/\.from$/, `.${partialName}`))];
  const isMarked = (row: Cell[]) => from !== partial && row[partial] === true && !(Date.parse(String(row[from])) > now);
  return new Set(rows.filter(isMarked).map((row) => keyOf(row[from] ?? null)));
}

/** The distinct values of x: timestamps and numbers sorted, with none at the end; others in the order of the rows. */
function xKeys(table: Table, x: number): string[] {
  const cellOf = cellsAt(table, x);
  const cells = new Map(table.rows.map(cellOf).map((cell) => [keyOf(cell), cell]));
  const kind = table.columns[x]?.kind;
  const entries = [...cells];
  const sortKey = (cell: Cell) => {
    if (cell === null) return Infinity;
    if (kind === 'moment') return Date.parse(String(cell));
    return typeof cell === 'number' ? cell : -Infinity;
  };
  // Infinity less itself is not a number; either key occurs once.
  if (kind === 'moment' || kind === 'number') entries.sort(([, a], [, b]) => (a === b ? 0 : sortKey(a) - sortKey(b)));
  if (entries.every(([, cell]) => weekdays.includes(String(cell))))
    entries.sort(([, a], [, b]) => weekdays.indexOf(String(a)) - weekdays.indexOf(String(b)));
  return entries.map(([key]) => key);
}

/** Returns the value of x in a row. A range without a lower bound is not a row without a value. */
function cellsAt({ columns }: Table, x: number): (row: Cell[]) => Cell {
  const to = columns.findIndex(({ name }) => name === columns[x]?.name.replace(/\.from$/, '.to'));
  return (row) => {
    const cell = row[x] ?? null;
    return cell === null && to >= 0 && to !== x && typeof row[to] === 'number' ? `below ${row[to]}` : cell;
  };
}

/** All values of a column of hours and, in a heat map, of weekdays; none of another column. */
function cycleOf(table: Table, at: number, isMap: boolean): string[] {
  const column = table.columns[at];
  if (column && isHour(column)) return allHours;
  return column && isMap && isWeekday(table, column) ? weekdays.map(keyOf) : [];
}

type Points = Map<string, Map<string, number | null>>;
const others = 'other';

/** Where names are too many to draw, sorts them by value, and makes one of the smallest: their sum, if they add up. */
function sortedBars(
  points: Points,
  keys: string[],
  { spec, label, adds }: { spec: ChartSpec; label: string; adds: (name: string) => boolean },
): { keys: string[]; leftOut: string[] } {
  const most = spec.type === 'heatmap' ? maxRows : maxBars;
  if (keys.length <= most) return { keys, leftOut: [] };
  const beside = spec.split === null ? [previousName, spec.y2] : [];
  const present = [...points].filter(([name]) => !beside.includes(name)).map(([, values]) => values);
  const total = (key: string) => present.reduce((sum, values) => sum + Math.abs(values.get(key) ?? 0), 0);
  const sorted = keys.toSorted((a, b) => total(b) - total(a));
  const shown = [...sorted.slice(0, most - 1), others];
  const rest = sorted.slice(most - 1);
  for (const [name, values] of points) {
    const known = rest.map((key) => values.get(key) ?? null).filter((value) => value !== null);
    values.set(others, adds(name) && known.length > 0 ? known.reduce((sum, value) => sum + value, 0) : null);
  }
  // The time before is of the first measure.
  if (!adds(previousName)) {
    const why = `“${others}” has no number, since “${label}” cannot be added up.`;
    return { keys: shown, leftOut: [`The ${most - 1} largest of ${keys.length} values are drawn; ${why}`] };
  }
  const note = `The ${rest.length} smallest of ${keys.length} values are added up as “${others}”.`;
  return { keys: shown, leftOut: [note] };
}

type Named = [name: string, values: Map<string, number | null>];

/** Keeps the largest series, and as many labels as fit. */
function limited(
  all: Named[],
  keys: string[],
  { type }: ChartSpec,
): { series: Named[]; keys: string[]; leftOut: string[] } {
  const leftOut: string[] = [];
  const total = ([, values]: Named) =>
    [...values.values()].reduce<number>((sum, value) => sum + Math.abs(value ?? 0), 0);
  let series = all;
  const most = type === 'pie' ? 1 : type === 'heatmap' ? maxRows : maxSeries;
  if (all.length > most && type !== 'number') {
    const kept = new Set(all.toSorted((a, b) => total(b) - total(a)).slice(0, most));
    series = all.filter((one) => kept.has(one));
    leftOut.push(
      `The ${most === 1 ? 'largest' : `${most} largest`} of ${all.length} series ${most === 1 ? 'is' : 'are'} drawn.`,
    );
  }
  const room = Math.max(1, Math.floor(maxPoints / Math.max(1, series.length)));
  if (keys.length > room) {
    leftOut.push(
      `The first ${room} of ${keys.length} values of the axis are drawn: a chart has at most ${maxPoints} points.`,
    );
  }
  return { series, keys: keys.slice(0, room), leftOut };
}

export const textOf = (cell: Cell): string => (cell === null || cell === '' ? none : String(cell));
