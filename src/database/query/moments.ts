import { invalid } from '../../core/errors.ts';
import { memoize } from '../../core/lazy.ts';
import type { Viewer } from '../../core/viewer.ts';
import { noCondition } from './conditions.ts';
import { isMoment } from './list.ts';
import { localTime, momentAt, zoneOf } from './zones.ts';

/** The viewer of a list, and the clock. */
export type QueryContext = { viewer: Viewer; now: () => Date };

/** The time of a request, the same throughout the request. */
const timeOf = memoize((context: QueryContext): Date => context.now());

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
  timeZone?: string | null;
};
export type Bounds = { from: Date | null; to: Date | null; timeZone: string };

/** Returns the bounds of a time span. Throws 400 `invalid_request` naming the argument. */
export function boundsOf(range: Range, context: QueryContext, name: string): Bounds {
  const { from, to, last, timeZone } = range;
  for (const end of ['from', 'to', 'last'] as const) if (range[end] === null) throw noCondition(`${name}.${end}`);
  const zone = timeZone == null ? 'UTC' : zoneOf(timeZone, `${name}.timeZone`);
  if (last != null) {
    if (from || to) throw invalid(`${name}.last: cannot be combined with from or to.`);
    return { ...spanUntil(timeOf(context), last, { zone, name: `${name}.last` }), timeZone: zone };
  }
  const momentOf = (end: 'from' | 'to', given: Date | PlainDate | null | undefined) => {
    const moment = given instanceof PlainDate ? given.begin(zone) : (given ?? null);
    if (moment && !isMoment(moment)) throw invalid(`${name}.${end}: must be in the years 1 to 9999`);
    return moment;
  };
  return { from: momentOf('from', from), to: momentOf('to', to), timeZone: zone };
}

/** The maximum number per unit: a hundred years. */
const maxCounts: Record<string, number> = { h: 876_600, d: 36_525, w: 5_218, m: 1_200, y: 100 };

/** Throws 400 `invalid_request` naming the argument, unless the text is a span such as `12w`. */
export const checkSpan = (last: string, name: string): void => {
  spanUntil(new Date(), last, { zone: 'UTC', name });
};

function spanUntil(to: Date, last: string, { zone, name }: { zone: string; name: string }): { from: Date; to: Date } {
  const [, digits, unit = ''] = /^(\d{1,6})([hdwmy])$/.exec(last) ?? [];
  const length = Number(digits);
  if (!digits || length < 1 || length > (maxCounts[unit] ?? 0)) {
    throw invalid(
      `${name}: must be a number and a unit, h(ours), d(ays), w(eeks), m(onths) or y(ears), such as 60d, up to 100 years; ` +
        `got ${last.slice(0, 20)}.`,
    );
  }
  if (unit === 'h') return { from: new Date(to.getTime() - length * 3_600_000), to };
  const local = localTime(to, zone);
  const days = unit === 'd' ? length : unit === 'w' ? 7 * length : 0;
  const months = unit === 'm' ? length : unit === 'y' ? 12 * length : 0;
  return { from: momentAt(months > 0 ? monthsBefore(local, months) : daysBefore(local, days), zone), to };
}

const daysBefore = (local: Date, days: number): Date => new Date(local.getTime() - days * 86_400_000);

/** Keeps the day of the month and the time of day; uses the last day of a shorter month. */
function monthsBefore(local: Date, months: number): Date {
  const [year, month] = [local.getUTCFullYear(), local.getUTCMonth() - months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const moved = new Date(local);
  moved.setUTCFullYear(year, month, Math.min(local.getUTCDate(), lastDay));
  return moved;
}
