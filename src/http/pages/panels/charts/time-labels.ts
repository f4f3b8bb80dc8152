const DAY_MS = 86_400_000;

/** Formats moments in the time zone, as fine as the shortest step between them. */
export function timeLabels(texts: string[], timeZone: string): string[] {
  const times = texts.map((text) => Date.parse(text)).filter((time) => !Number.isNaN(time));
  const steps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
  const step = steps.length > 0 ? Math.min(...steps) : DAY_MS;
  const years = new Set(times.map((time) => new Date(time).getUTCFullYear())).size;
  const options: Intl.DateTimeFormatOptions =
    step >= 27 * DAY_MS
      ? { year: 'numeric', month: 'short' }
      : step >= DAY_MS - 3_600_000
        ? { month: 'short', day: 'numeric', ...(years > 1 && { year: 'numeric' }) }
        : { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
  const format = formatIn(timeZone, options);
  return texts.map((text) => (Number.isNaN(Date.parse(text)) ? text : format.format(new Date(text))));
}

/** Moments as dates and, where one of them is not the beginning of a day in the zone, times. */
export function momentTexts(texts: string[], timeZone: string): string[] {
  const given = texts.filter((text) => !Number.isNaN(Date.parse(text)));
  const areDays = given.every((text) => !text.includes('T'));
  const zone = areDays ? 'UTC' : timeZone;
  const clock = formatIn(zone, { timeStyle: 'medium', hourCycle: 'h23' });
  const areDates = given.every((text) => clock.format(new Date(text)) === '00:00:00');
  const format = formatIn(zone, { dateStyle: 'medium', ...(!areDates && { timeStyle: 'short', hourCycle: 'h23' }) });
  return texts.map((text) => (Number.isNaN(Date.parse(text)) ? text : format.format(new Date(text))));
}

function formatIn(timeZone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en', { ...options, timeZone });
  } catch {
    return new Intl.DateTimeFormat('en', { ...options, timeZone: 'UTC' });
  }
}

/** The time zone that an operation sets for a field of its result; UTC by default. */
export function timeZoneIn(query: string, variables: Record<string, unknown>, path: string): string {
  const from = Math.max(0, query.search(new RegExp(`\\b${path.split('.')[0]}\\b`)));
  const found =
    /timeZone:\s*(?:"([^"]+)"|\$(\w+))/.exec(query.slice(from)) ?? /timeZone:\s*(?:"([^"]+)"|\$(\w+))/.exec(query);
  const given = found?.[1] ?? variables[found?.[2] ?? ''];
  return typeof given === 'string' ? given : 'UTC';
}
