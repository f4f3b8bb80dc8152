import { invalid } from '../../core/errors.ts';
import { currentZone } from './old-zones.ts';

/** Excludes offsets: JavaScript accepts them too, but PostgreSQL inverts their sign. */
const looksLikeZone = /^[A-Za-z][\w+\-/]*$/;

/** Validates an IANA time zone, and returns its name of today. Throws 400 `invalid_request` naming the argument. */
export function zoneOf(timeZone: string, argument = 'timeZone'): string {
  const wrong = () =>
    invalid(
      `${argument}: must be the name of an IANA time zone, such as America/Sao_Paulo, got ${timeZone.slice(0, 60)}.`,
    );
  if (!looksLikeZone.test(timeZone)) throw wrong();
  try {
    clockOf(timeZone);
    const current = currentZone(timeZone);
    // JavaScript also takes IST and BST as zones of places, PostgreSQL for other offsets.
    if (current === 'UTC' || /^(?!SystemV).+\//i.test(current)) return current;
    throw wrong();
  } catch {
    throw wrong();
  }
}

const clocks = new Map<string, Intl.DateTimeFormat>();
/** Bounds the cache, since callers may spell zones in any case. */
const maxClocks = 1_000;

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const cached = clocks.get(timeZone);
  if (cached) return cached;
  const formatter = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  if (clocks.size < maxClocks) clocks.set(timeZone, formatter);
  return formatter;
}

/** Returns the local time of a zone, as the instant at which UTC shows the same time. */
export function localTime(moment: Date, timeZone: string): Date {
  if (timeZone === 'UTC') return moment;
  const parts = Object.fromEntries(
    clockOf(timeZone)
      .formatToParts(moment)
      .map(({ type, value }) => [type, value]),
  );
  const [year, ...rest] = ['year', 'month', 'day', 'hour', 'minute', 'second'].map((part) => Number(parts[part]));
  const [month = 1, day = 1, hour = 0, minute = 0, second = 0] = rest;
  const beforeChrist = parts.era === 'B' || parts.era === 'BC';
  const local = new Date(0);
  local.setUTCFullYear(beforeChrist ? 1 - Number(year) : Number(year), month - 1, day);
  local.setUTCHours(hour, minute, second, moment.getUTCMilliseconds());
  return local;
}

const dayMs = 86_400_000;

/**
 * Returns the first instant at which a zone shows a local time. A time skipped by a clock change is shifted by the
 * length of the gap, as in PostgreSQL.
 */
export function momentAt(local: Date, timeZone: string): Date {
  if (timeZone === 'UTC') return local;
  // Clocks change at most once within these two days.
  const offsets = [-dayMs, dayMs].map((by) => {
    const near = new Date(local.getTime() + by);
    return localTime(near, timeZone).getTime() - near.getTime();
  });
  const [before, after] = offsets.map((offset) => new Date(local.getTime() - offset)) as [Date, Date];
  const matchesLocal = (moment: Date) => localTime(moment, timeZone).getTime() === local.getTime();
  const found = [before, after].filter(matchesLocal).sort((one, other) => one.getTime() - other.getTime());
  return found[0] ?? before;
}
