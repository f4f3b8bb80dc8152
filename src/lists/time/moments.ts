import { invalid } from '../../core/errors.ts';
import { memoize } from '../../core/lazy.ts';
import type { Viewer } from '../../core/viewer.ts';
import { noCondition } from '../conditions.ts';
import { type Weekday, weekdays } from '../group.ts';
import { isMoment } from '../list.ts';
import { localTime, momentAt, zoneOf } from './zones.ts';

/** The viewer of a list, and the clock. */
export type QueryContext = { viewer: Viewer; now: () => Date };

/** The time of a request, the same throughout the request. */
export const timeOf = memoize((context: QueryContext): Date => context.now());

/** A calendar date without a time zone. */
export class PlainDate {
  /** Formatted as `2026-09-01`. */
  readonly date: string;

  constructor(date: string) {
    this.date = date;
  }

  /** Parses a date; null if it is malformed or does not exist. */
  static read(text: string): PlainDate | null {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
    const midnight = new Date(`${text}T00:00:00Z`);
    const exists = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(text);
    return exists && isMoment(midnight) ? new PlainDate(text) : null;
  }

  /** Returns the start of the day in a time zone. */
  begin(timeZone: string): Date {
    return momentAt(new Date(`${this.date}T00:00:00Z`), timeZone);
  }

  toJSON(): string {
    return this.date;
  }
}

/** A time span as given in a filter. */
export type Range = {
  from?: Date | PlainDate | null;
  to?: Date | PlainDate | null;
  last?: string | null;
  whole?: boolean | null;
  weekStart?: Weekday | null;
  timeZone?: string | null;
};
export type Bounds = { from: Date | null; to: Date | null; timeZone: string };

/** Returns the bounds of a time span. Throws 400 `invalid_request` naming the argument. */
export function boundsOf(range: Range, context: QueryContext, name: string): Bounds {
  const { from, to, last, whole, weekStart, timeZone } = range;
  for (const end of ['from', 'to', 'last', 'whole'] as const)
    if (range[end] === null) throw noCondition(`${name}.${end}`);
  const zone = timeZone == null ? 'UTC' : zoneOf(timeZone, `${name}.timeZone`);
  if (last != null) {
    if (from || to) throw invalid(`${name}.last: cannot be combined with from or to.`);
    const length = lengthOf(last, `${name}.last`);
    const now = timeOf(context);
    const span = whole ? wholeSpan(now, length, zone, weekStart ?? 'monday') : spanUntil(now, length, zone);
    return { ...span, timeZone: zone };
  }
  if (whole) throw invalid(`${name}.whole: needs ${name}.last, which says how many periods, such as 12w.`);
  const momentOf = (end: 'from' | 'to', given: Date | PlainDate | null | undefined) => {
    const moment = given instanceof PlainDate ? given.begin(zone) : (given ?? null);
    if (moment && !isMoment(moment)) throw invalid(`${name}.${end}: must be in the years 1 to 9999`);
    return moment;
  };
  return { from: momentOf('from', from), to: momentOf('to', to), timeZone: zone };
}

type Unit = 'h' | 'd' | 'w' | 'm' | 'y';
type Length = { count: number; unit: Unit };

/** The maximum number per unit: a hundred years. */
const maxCounts: Record<Unit, number> = { h: 876_600, d: 36_525, w: 5_218, m: 1_200, y: 100 };

/** Parses a span such as `12w`. Throws 400 `invalid_request` naming the argument. */
export function lengthOf(last: string, name: string): Length {
  const [, digits, unit] = /^(\d{1,6})([hdwmy])$/.exec(last) ?? [];
  const length = { count: Number(digits), unit: unit as Unit };
  if (!digits || length.count < 1 || length.count > maxCounts[length.unit]) {
    throw invalid(
      `${name}: must be a number and a unit, h(ours), d(ays), w(eeks), m(onths) or y(ears), such as 60d, up to 100 years; ` +
        `got ${last.slice(0, 20)}.`,
    );
  }
  return length;
}

const hourMs = 3_600_000;

function spanUntil(to: Date, length: Length, zone: string): { from: Date; to: Date } {
  if (length.unit === 'h') return { from: new Date(to.getTime() - length.count * hourMs), to };
  return { from: momentAt(before(localTime(to, zone), length), zone), to };
}

/** Returns the span of as many whole periods, the last of which is over. */
function wholeSpan(now: Date, length: Length, zone: string, weekStart: Weekday): { from: Date; to: Date } {
  if (length.unit === 'h') {
    // Not by local time, which repeats an hour when clocks are set back.
    const hourOf = (at: Date) => new Date(at.getTime() - (localTime(at, zone).getTime() % hourMs));
    const to = hourOf(now);
    return { from: hourOf(new Date(to.getTime() - length.count * hourMs)), to };
  }
  const end = beginOf(localTime(now, zone), length.unit, weekStart);
  return { from: momentAt(before(end, length), zone), to: momentAt(end, zone) };
}

/** Returns the local time at which the day, week, month or year of a local time begins. */
function beginOf(local: Date, unit: Unit, weekStart: Weekday): Date {
  const [year, month, day] = [local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate()];
  const begin = new Date(local);
  begin.setUTCHours(0, 0, 0, 0);
  // Sunday is the day 0 of JavaScript, and Monday that of `weekdays`.
  if (unit === 'w') begin.setUTCDate(day - ((local.getUTCDay() + 13 - weekdays.indexOf(weekStart)) % 7));
  if (unit === 'm' || unit === 'y') begin.setUTCFullYear(year, unit === 'm' ? month : 0, 1);
  return begin;
}

function before(local: Date, { count, unit }: Length): Date {
  if (unit === 'm' || unit === 'y') return monthsBefore(local, unit === 'm' ? count : 12 * count);
  return new Date(local.getTime() - (unit === 'w' ? 7 * count : count) * 86_400_000);
}

/** Keeps the day of the month and the time of day; uses the last day of a shorter month. */
function monthsBefore(local: Date, months: number): Date {
  const [year, month] = [local.getUTCFullYear(), local.getUTCMonth() - months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const moved = new Date(local);
  moved.setUTCFullYear(year, month, Math.min(local.getUTCDate(), lastDay));
  return moved;
}
