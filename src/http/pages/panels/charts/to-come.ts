import { dimensionsOf, isHour } from './spec.ts';
import type { Table } from './table.ts';

type Asked = { x: number; splits: readonly number[]; timeZone: string; now: number };

/** Returns when a point begins, by the texts of its series and of its label, in milliseconds; NaN if it has no time. */
export function beginningsOf(
  table: Table,
  { x, splits, timeZone, now }: Asked,
): (name: string, text: string) => number {
  const { columns, rows } = table;
  const [axis, split] = [columns[x], splits.length === 1 ? columns[splits[0] ?? -1] : undefined];
  const moments = dimensionsOf(table).filter(({ kind }) => kind === 'moment');
  const timeOf = (text: string) => Date.parse(text) - (text.length === dayLength ? offsetOf(timeZone, now) : 0);
  const first = (at: number) => Math.min(...rows.map((row) => timeOf(String(row[at]))));
  if (axis?.kind === 'moment') {
    const hours = (name: string) => (split && isHour(split) ? Number(name) : 0);
    return (name, text) => timeOf(text) + hours(name) * hourMs;
  }
  if (!axis || !isHour(axis) || !moments[0]) return () => Number.NaN;
  // An hour of several days has begun when it has on the first of them.
  const earliest = first(columns.indexOf(moments[0]));
  return (name, text) => (split?.kind === 'moment' ? timeOf(name) : earliest) + Number(text) * hourMs;
}

/**
 * Empties the values at the end that are to come and say nothing yet: a 0 would say that nothing happened. `begins` are
 * the times of the values, in their order. A running total says nothing where it stays as it was.
 */
export function withoutFuture(
  values: (number | null)[],
  begins: readonly number[],
  { isRunning, now }: { isRunning: boolean; now: number },
): (number | null)[] {
  const saysNothing = (at: number) => (values[at] ?? 0) === (isRunning ? (values[at - 1] ?? 0) : 0);
  let end = values.length;
  while (end > 0 && (begins[end - 1] ?? 0) > now && saysNothing(end - 1)) end -= 1;
  return values.map((value, at) => (at < end ? value : null));
}

/**
 * Whether a table of groups, all of which are here, seems to miss a period between the first and the last. Months, and
 * days of a changed clock, differ a little.
 */
export function missesPeriods({ isGrouped, leftOut }: Table, names: string[]): boolean {
  if (!isGrouped || leftOut.length > 0) return false;
  const times = names.map((name) => Date.parse(name)).filter((time) => time > 0);
  const sorted = times.toSorted((a, b) => a - b);
  const steps = sorted.slice(1).map((time, at) => time - (sorted[at] ?? 0));
  const least = steps.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  return steps.some((step) => step > 1.5 * least);
}

const hourMs = 3_600_000;
/** The length of a day without a time, such as 2026-09-01: one of the time zone. */
const dayLength = 10;

/** How far the clocks of a time zone are ahead of UTC, in milliseconds; 0 for one that is not known. */
function offsetOf(timeZone: string, now: number): number {
  const second = Math.floor(now / 1_000) * 1_000;
  try {
    const format = new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeStyle: 'medium', timeZone });
    return Date.parse(`${format.format(second).replace(' ', 'T')}Z`) - second;
  } catch {
    return 0;
  }
}
