import type { GroupKey, TimeUnit, Weekday } from '../group.ts';
import { weekdays } from '../group.ts';
import type { Binding, TextBinding } from '../sql/binding.ts';

type Span = Extract<GroupKey, { kind: 'span' }>;

/** The offset of the first day of the week from Monday. */
const shiftOf = (weekStart: Weekday): string => `interval '${weekdays.indexOf(weekStart)} days'`;

/**
 * SQL for the span that contains a moment, as a `timestamp`: its start in local time, so that a day is a day whatever
 * its number of hours. Hours are in UTC, since local time repeats an hour when clocks are set back.
 */
export function spanOf(binding: TextBinding, { every, timeZone, weekStart }: Span, moment: string): string {
  const zone = zoneOf(binding, timeZone);
  if (every === 'hour' && timeZone !== 'UTC') return `(date_trunc('hour', ${moment}, ${zone}) AT TIME ZONE 'UTC')`;
  const local = `(${moment} AT TIME ZONE ${zone})`;
  if (every !== 'week') return `date_trunc('${every}', ${local})`;
  const shift = shiftOf(weekStart);
  return `(date_trunc('week', ${local} - ${shift}) + ${shift})`;
}

/** A zone for `AT TIME ZONE`: UTC as an interval, since a name would be looked up for every row. */
const zoneOf = (binding: TextBinding, timeZone: string): string =>
  timeZone === 'UTC' ? "INTERVAL '0'" : binding.value(timeZone, 'text');

const lengths: Record<TimeUnit, string> = {
  hour: "interval '1 hour'",
  day: "interval '1 day'",
  week: "interval '7 days'",
  month: "interval '1 month'",
  quarter: "interval '3 months'",
  year: "interval '1 year'",
};

/** SQL for the start and end of a span, in milliseconds since 1970. */
export const boundsOf = (binding: TextBinding, span: Span, subject: string): [from: string, to: string] =>
  beginsOf(span, subject).map((begin) => milliseconds(`(${momentAt(binding, span, begin)})`)) as [string, string];

/** The time that the rows of a list are within: from the filter, and until now. */
export type Limits = { from: Date | null; to: Date };

/** SQL for whether a span is within limits only in part. */
export function isPartial(binding: TextBinding, span: Span, subject: string, limits: (run: Binding) => Limits): string {
  const [from, to] = beginsOf(span, subject).map((begin) => momentAt(binding, span, begin));
  const limit = (end: 'from' | 'to') =>
    binding.later((run) => run.value(limits(run)[end] ?? '-infinity', 'timestamptz'));
  return `(${from} < ${limit('from')} OR ${to} > ${limit('to')})`;
}

/**
 * SQL for the start and end of a span in ISO 8601, UTC, with milliseconds. Null if the year does not have four digits.
 */
export const isoBoundsOf = (binding: TextBinding, span: Span, subject: string): [from: string, to: string] =>
  beginsOf(span, subject).map((begin) => {
    const utc = isInUtc(span) ? `(${begin})` : `(${momentAt(binding, span, begin)} AT TIME ZONE INTERVAL '0')`;
    const written = `to_char(${utc}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
    return `CASE WHEN ${subject} >= '0002-01-01'::timestamp AND ${subject} < '9998-01-01'::timestamp THEN ${written} END`;
  }) as [string, string];

/** The starts of a span and of the next one. */
const beginsOf = ({ every }: Span, subject: string): [string, string] => [subject, `${subject} + ${lengths[every]}`];
const isInUtc = ({ every, timeZone }: Span): boolean => every === 'hour' || timeZone === 'UTC';

/** SQL for the instant at which a span starts. */
const momentAt = (binding: TextBinding, span: Span, begin: string): string =>
  isInUtc(span) ? `((${begin}) AT TIME ZONE INTERVAL '0')` : firstAt(begin, binding.value(span.timeZone, 'text'));

export const milliseconds = (moment: string): string => `round(extract(epoch FROM ${moment}) * 1000)::bigint`;

/** SQL for the first instant at which a zone shows a local time; of a repeated time PostgreSQL takes the second one. */
const firstAt = (local: string, zone: string): string =>
  `(SELECT CASE WHEN (b.at - interval '1 hour') AT TIME ZONE ${zone} = b.local THEN b.at - interval '1 hour' ELSE b.at END ` +
  `FROM (SELECT a.local, a.local AT TIME ZONE ${zone} AS at FROM (SELECT ${local} AS local) a) b)`;

/** SQL for all spans between two moments, as a query of one column. */
export function spansBetween(binding: TextBinding, span: Span, { from, to }: { from: Date; to: Date }): string {
  const [first, end] = [from, to].map((moment) => binding.value(moment, 'timestamptz')) as [string, string];
  const last = `(${end} - interval '1 millisecond')`;
  if (span.every === 'hour') {
    // Some zones are offset by 30 or 45 minutes, and some change by that.
    const begin = `date_trunc('hour', ${first}, ${binding.value(span.timeZone, 'text')})`;
    const steps = `generate_series(${begin}, ${last}, interval '15 minutes')`;
    return `SELECT DISTINCT ${spanOf(binding, span, 's.at')} AS k FROM ${steps} AS s(at) WHERE ${first} < ${end}`;
  }
  const range = `${spanOf(binding, span, first)}, ${spanOf(binding, span, last)}`;
  return `SELECT s.k FROM generate_series(${range}, ${lengths[span.every]}) AS s(k) WHERE ${first} < ${end}`;
}

/** SQL for the interval by which spans of the previous time are shifted to compare them with the current ones. */
export function distance(binding: TextBinding, span: Span, from: string, before: string): string {
  const [now, then] = [spanOf(binding, span, from), spanOf(binding, span, before)];
  if (span.every === 'hour' || span.every === 'day' || span.every === 'week') return `(${now} - ${then})`;
  const months = (at: string) => `(extract(year FROM ${at}) * 12 + extract(month FROM ${at}))::int`;
  return `make_interval(months => ${months(now)} - ${months(then)})`;
}

/**
 * SQL for the start of the previous span, which ends where the current one starts: as many months earlier if both of
 * its ends start a month in the zone, otherwise as long before.
 */
export function before(binding: TextBinding, timeZone: string, { from, to }: { from: Date; to: Date }): string {
  const [first, end] = [from, to].map((moment) => binding.value(moment, 'timestamptz')) as [string, string];
  const zone = binding.value(timeZone, 'text');
  const query = `SELECT ${first} AT TIME ZONE ${zone} AS a, ${end} AT TIME ZONE ${zone} AS b` as const;
  const isMonths = "date_trunc('month', l.a) = l.a AND date_trunc('month', l.b) = l.b AND l.a < l.b";
  const months =
    '(extract(year FROM l.b) * 12 + extract(month FROM l.b) - extract(year FROM l.a) * 12 - extract(month FROM l.a))::int';
  const start = firstAt(`l.a - make_interval(months => ${months})`, zone);
  return `(SELECT CASE WHEN ${isMonths} THEN ${start} ELSE ${first} - (${end} - ${first}) END FROM (${query}) l)`;
}
