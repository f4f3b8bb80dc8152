/** A date as far as it is given; `swapped`: as `3/5`, where day and month may be exchanged. */
export type CalendarDate = { year?: number; month?: number; day?: number; swapped?: boolean };

const monthNames = [
  'january jan janeiro enero ene',
  'february feb fevereiro fev febrero',
  'march mar marco marzo',
  'april apr abril abr',
  'may maio mayo',
  'june jun junho junio',
  'july jul julho julio',
  'august aug agosto ago',
  'september sep sept setembro set septiembre setiembre',
  'october oct outubro out octubre',
  'november nov novembro noviembre',
  'december dec dezembro dez diciembre dic',
];
const months = new Map(
  monthNames.flatMap((names, index) => names.split(' ').map((name) => [name, index + 1] as const)),
);
/** Names of months that are ordinary words too, and so need a day or a year beside them. */
const needsMore = new Set([
  'may',
  'march',
  'mar',
  'set',
  'out',
  'dez',
  'jan',
  'ago',
  'ene',
  'fev',
  'dic',
  'sep',
  'sept',
  'dec',
  'apr',
  'abr',
]);

const weekdayNames = [
  'monday mondays mon segunda segundas lunes',
  'tuesday tuesdays tue terca tercas martes',
  'wednesday wednesdays wed quarta quartas miercoles',
  'thursday thursdays thu quinta quintas jueves',
  'friday fridays fri sexta sextas viernes',
  'saturday saturdays sabado sabados',
  'sunday sundays domingo domingos',
];
const weekdays = new Map(
  weekdayNames.flatMap((names, index) => names.split(' ').map((name) => [name, index] as const)),
);

export const monthOf = (word: string | undefined): number | undefined => months.get(word ?? '');
export const weekdayOf = (word: string): number | undefined => weekdays.get(word);
/** Whether a word is a month even where no day or year stands beside it; `raw`: as written. */
export const isMonthAlone = (word: string, raw: string): boolean =>
  months.has(word) && (!needsMore.has(word) || (/^(?:May|March)$/.test(raw) && word.length > 2));

/** Reads a date in digits: `2026-03-05`, `5/3/2026`, `5.3.26`, `5/3`; null if there is no such day. */
export function dateInDigits(written: string): CalendarDate | null {
  const [a = 0, b = 0, c] = written.split(/[-/.]/).map(Number);
  if (a > 31) return b <= 12 && (c ?? 0) <= 31 ? { year: a, month: b, ...(c !== undefined && { day: c }) } : null;
  const year = c === undefined ? {} : { year: c < 100 ? 2000 + c : c };
  if (a > 12 && b > 12) return null;
  if (a > 12) return { day: a, month: b, ...year };
  if (b > 12) return { day: b, month: a, ...year };
  return { day: a, month: b, swapped: true, ...year };
}

/** Whether a date says nothing beyond a known one. */
export function isSameDate(said: CalendarDate, known: CalendarDate): boolean {
  if (said.year !== undefined && said.year !== known.year) return false;
  const fits = ({ day, month }: CalendarDate) =>
    (month === undefined || month === known.month) && (day === undefined || day === known.day);
  const isTurned = (said.swapped ?? false) || (known.swapped ?? false);
  return fits(said) || (isTurned && fits({ day: said.month ?? 0, month: said.day ?? 0 }));
}
