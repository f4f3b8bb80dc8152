/** Calendar intervals in time zones, computed in JavaScript, independently of the database. */
export type Every = 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';
export type Week = 'monday' | 'wednesday' | 'sunday';
export type Clock = { zone: string; every: Every; weekStart: Week };

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const formats = new Map<string, Intl.DateTimeFormat>();

/** The local time in a zone, as the milliseconds of the same time in UTC. */
function shown(at: number, zone: string): number {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  formats.set(zone, format);
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 0, day: date = 0, hour: hours = 0, minute: minutes = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, date, hours, minutes, second) + (at % 1000);
}

/** The first day of an interval, in local time. */
function firstDay(local: number, { every, weekStart }: Clock): number {
  const date = new Date(local);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  if (every === 'year') return Date.UTC(year, 0);
  if (every === 'quarter') return Date.UTC(year, month - (month % 3));
  if (every === 'month') return Date.UTC(year, month);
  const midnight = Math.floor(local / day) * day;
  if (every === 'day') return midnight;
  const first = { sunday: 0, monday: 1, wednesday: 3 }[weekStart];
  return midnight - ((new Date(midnight).getUTCDay() - first + 7) % 7) * day;
}

function dayAfter(first: number, { every }: Clock): number {
  const date = new Date(first);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  if (every === 'year') return Date.UTC(year + 1, 0);
  if (every === 'quarter') return Date.UTC(year, month + 3);
  if (every === 'month') return Date.UTC(year, month + 1);
  return first + (every === 'day' ? day : 7 * day);
}

/** The first moment of a local day, found by searching in steps of a quarter of an hour. */
function momentOf(local: number, zone: string): string {
  for (let at = local - 15 * hour; ; at += 15 * minute) {
    if (shown(at, zone) >= local) return new Date(at).toISOString();
  }
}

/** The interval that contains a moment. */
export function spanAt(at: number, clock: Clock): { from: string; to: string } {
  if (clock.every === 'hour') {
    const past = shown(at, clock.zone) % hour;
    return { from: new Date(at - past).toISOString(), to: new Date(at - past + hour).toISOString() };
  }
  const first = firstDay(shown(at, clock.zone), clock);
  return { from: momentOf(first, clock.zone), to: momentOf(dayAfter(first, clock), clock.zone) };
}

/** All intervals between two moments. */
export function spansOf(from: number, to: number, clock: Clock): { from: string; to: string }[] {
  const spans = [];
  for (let at = from; at < to; ) {
    const span = spanAt(at, clock);
    spans.push(span);
    at = Date.parse(span.to);
  }
  return spans;
}

/**
 * The start of the period before a range. If both ends of the range begin a month in the zone, the period has
 * as many months; otherwise it has the same length.
 */
export function beginBefore(from: number, to: number, zone: string): number {
  const [first, end] = [shown(from, zone), shown(to, zone)];
  const isMonths = [first, end].every((local) => firstDay(local, monthly(zone)) === local) && first < end;
  if (!isMonths) return from - (to - from);
  return Date.parse(momentOf(inMonths(first, monthsOf(first) - monthsOf(end)), zone));
}

/** The interval that an earlier one is compared with: the one at the same position in the range. */
export function comparedWith(at: number, { from, before }: { from: number; before: number }, clock: Clock) {
  const span = spanAt(at, clock);
  if (clock.every === 'hour') {
    const moved = Date.parse(span.from) + Date.parse(spanAt(from, clock).from) - Date.parse(spanAt(before, clock).from);
    return { from: new Date(moved).toISOString(), to: new Date(moved + hour).toISOString() };
  }
  const [now, then, own] = [from, before, at].map((moment) => firstDay(shown(moment, clock.zone), clock)) as [
    number,
    number,
    number,
  ];
  const isDays = clock.every === 'day' || clock.every === 'week';
  const first = isDays ? own + now - then : inMonths(own, monthsOf(now) - monthsOf(then));
  return { from: momentOf(first, clock.zone), to: momentOf(dayAfter(first, clock), clock.zone) };
}

const monthly = (zone: string): Clock => ({ zone, every: 'month', weekStart: 'monday' });
const monthsOf = (local: number) => new Date(local).getUTCFullYear() * 12 + new Date(local).getUTCMonth();

/** The first day of a month, `months` months later. */
function inMonths(local: number, months: number): number {
  const month = monthsOf(local) + months;
  return Date.UTC(Math.floor(month / 12), month % 12);
}
