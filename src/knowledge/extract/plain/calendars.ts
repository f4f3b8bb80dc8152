import type { Section } from '../../../search/types.ts';
import { cleanLine, cleanText } from '../clean.ts';
import { count } from '../ranges.ts';
import type { Extracted } from '../types.ts';
import { type Component, readComponents, textOf } from './content-lines.ts';

/** Reads the events, tasks and notes of an iCalendar file, each a section under its summary. */
export function readCalendars(text: string): Extracted {
  const calendars = readComponents(text).filter(({ name }) => name === 'VCALENDAR');
  const entries = calendars
    .flatMap(({ children }) => children)
    .filter(({ name }) => /^V(EVENT|TODO|JOURNAL)$/.test(name));
  const title = calendars.map((calendar) => textOf(calendar, 'X-WR-CALNAME')).find(Boolean);
  return { ...(title && { title }), sections: entries.map(sectionOf) };
}

function sectionOf(entry: Component): Section {
  const summary = textOf(entry, 'SUMMARY');
  const organizer = entry.properties.find(({ name }) => name === 'ORGANIZER');
  const lines: [string, string][] = [
    ['Starts', timeOf(entry, 'DTSTART')],
    ['Ends', timeOf(entry, 'DTEND')],
    ['Lasts', durationOf(textOf(entry, 'DURATION'))],
    ['Due', timeOf(entry, 'DUE')],
    ['Repeats', repetition(textOf(entry, 'RRULE'))],
    ['Except on', timeOf(entry, 'EXDATE')],
    ['Where', textOf(entry, 'LOCATION')],
    ['Organizer', organizer?.parameters.get('CN') ?? organizer?.value.replace(/^mailto:/i, '') ?? ''],
    ['Status', textOf(entry, 'STATUS').toLowerCase()],
    ['Link', textOf(entry, 'URL')],
  ];
  const facts = lines.flatMap(([label, value]) => (value ? `${label}: ${value}` : []));
  const heading = cleanLine(summary, 200);
  return {
    ...(heading && { heading }),
    text: cleanText([summary, ...facts, textOf(entry, 'DESCRIPTION')].filter(Boolean).join('\n')),
  };
}

/** `PT1H30M` as `1 hour 30 minutes`. */
function durationOf(value: string): string {
  const [, ...amounts] = /^\+?P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(value.trim()) ?? [];
  return ['week', 'day', 'hour', 'minute', 'second']
    .flatMap((unit, index) => (Number(amounts[index] ?? 0) ? count(Number(amounts[index]), unit) : []))
    .join(' ');
}

/** `20260304T143000Z` as `2026-03-04 14:30 (UTC)`; a day that an event ends on is the one after it. */
function timeOf({ properties }: Component, name: string): string {
  const property = properties.find((each) => each.name === name);
  const zone = property?.parameters.get('TZID');
  const times = (property?.value ?? '').split(',').flatMap((value) => {
    const [whole, year, month, day, hour, minute, utc] =
      /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?$/.exec(value.trim()) ?? [];
    if (!whole) return [];
    if (hour) return [`${year}-${month}-${day} ${hour}:${minute}${utc ? ' (UTC)' : zone ? ` (${zone})` : ''}`];
    const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day) - (name === 'DTEND' ? 1 : 0)));
    return [date.toISOString().slice(0, 10)];
  });
  return times.join(', ');
}

const units: Record<string, string> = {
  DAILY: 'day',
  WEEKLY: 'week',
  MONTHLY: 'month',
  YEARLY: 'year',
  HOURLY: 'hour',
};
const days: Record<string, string> = {
  MO: 'Monday',
  TU: 'Tuesday',
  WE: 'Wednesday',
  TH: 'Thursday',
  FR: 'Friday',
  SA: 'Saturday',
  SU: 'Sunday',
};

const nths: Record<string, string> = {
  1: 'first',
  2: 'second',
  3: 'third',
  4: 'fourth',
  5: 'fifth',
  '-1': 'last',
  '-2': 'second last',
};

/** `FREQ=WEEKLY;INTERVAL=2;BYDAY=MO` as `every 2 weeks on Monday`; a rule of another kind as it is. */
function repetition(rule: string): string {
  const parts = new Map(rule.split(';').map((part) => part.split('=') as [string, string]));
  const unit = units[parts.get('FREQ') ?? ''];
  const others = [...parts.keys()].filter((key) => !/^(FREQ|INTERVAL|BYDAY|COUNT|UNTIL|WKST)$/.test(key));
  if (!unit || others.length > 0) return rule;
  const interval = Number(parts.get('INTERVAL') ?? 1);
  const on = parts
    .get('BYDAY')
    ?.split(',')
    .map((day) => {
      const [, nth, name = ''] = /^([+-]?\d+)?([A-Z]{2})$/.exec(day) ?? [];
      const weekday = days[name] ?? day;
      return nth ? `the ${nths[nth.replace('+', '')] ?? `${nth}.`} ${weekday}` : weekday;
    });
  const until = parts.get('UNTIL')?.replace(/^(\d{4})(\d\d)(\d\d).*/, '$1-$2-$3');
  const times = parts.get('COUNT');
  return [
    interval > 1 ? `every ${interval} ${unit}s` : `every ${unit}`,
    on ? `on ${on.join(', ')}` : '',
    times ? `${times} times` : '',
    until ? `until ${until}` : '',
  ]
    .filter(Boolean)
    .join(' ');
}
