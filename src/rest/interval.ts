import { z } from 'zod';

/** A time span in the graph's format: half-open, and either side may be missing. */
type Interval = { from?: string; to?: string };

const day = 24 * 60 * 60 * 1_000;
const oldest = Date.parse('0001-01-01T00:00:00.000Z');
const newest = Date.parse('9999-12-31T23:59:59.999Z');
const date = z.iso.date();
const dateTime = z.iso.datetime({ offset: true });
const sentence =
  'must be a date such as 2026-07-31 (that UTC day), or an interval such as 2026-07-01/2026-08-01: its start is in it, ' +
  'its end is not, each is a date or a date and time with its offset, and one of them may be .. for an open side';

const inside = ({ source }: RegExp) => source.replace(/^\^|\$$/g, '');
const moment = `(?:${inside(z.regexes.date)}|${inside(z.regexes.datetime({ offset: true }))})`;
/** Its pattern in the OpenAPI description, which cannot express that the end must not precede the start. */
export const intervalPattern = `^(?:${inside(z.regexes.date)}|${moment}/${moment}|${moment}/\\.\\.|\\.\\./${moment})$`;

/** Where an address had a plus that was not encoded, there is a space. */
const lostPlus = /T[\d:.]+ \d{2}:?\d{2}(?=$|\/)/;
const plusHint = 'in an address, write the + of an offset as %2B';

/** Accepts an ISO 8601 date, meaning that UTC day, or an interval `start/end` with `..` for an open side. */
export const interval = z.string().transform((text, context): Interval => {
  const read = text.includes('/') ? readSides(text.split('/')) : readDay(text);
  if (read) return read;
  context.addIssue({ code: 'custom', message: lostPlus.test(text) ? `${sentence}; ${plusHint}` : sentence });
  return z.NEVER;
});

function readDay(text: string): Interval | null {
  if (!date.safeParse(text).success) return null;
  const start = Date.parse(text);
  return { from: iso(start), to: iso(start + day) };
}

function readSides(sides: string[]): Interval | null {
  const [start, end] = sides.map(readSide);
  if (sides.length !== 2 || start === null || end === null || (start === undefined && end === undefined)) return null;
  if (start !== undefined && end !== undefined && start > end) return null;
  return { ...(start !== undefined && { from: iso(start) }), ...(end !== undefined && { to: iso(end) }) };
}

/** Returns milliseconds; undefined for an open side, null if invalid. */
function readSide(text: string): number | undefined | null {
  if (text === '..') return undefined;
  return date.safeParse(text).success || dateTime.safeParse(text).success ? Date.parse(text) : null;
}

/** Clamped to the database's range: no row is beyond it. */
const iso = (time: number) => new Date(Math.min(Math.max(time, oldest), newest)).toISOString();
