import { timeUnits, weekdays } from '../../../src/database/query/group.ts';
import { builder } from '../../builder.ts';

const unitTexts: Record<(typeof timeUnits)[number], string> = {
  hour: 'Hours; one that the clocks show twice counts as two.',
  day: 'Days, of 23 to 25 hours where clocks change.',
  week: 'Weeks, from `weekStart` on.',
  month: 'Calendar months.',
  quarter: 'Quarters of a year: from January, April, July and October on.',
  year: 'Calendar years.',
};

export const TimeUnit = builder.enumType('TimeUnit', {
  description: 'How long the spans of time are that moments are grouped by.',
  values: Object.fromEntries(timeUnits.map((unit) => [unit, { description: unitTexts[unit] }])) as Record<
    (typeof timeUnits)[number],
    { description: string }
  >,
});

const capital = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1);

export const DayOfWeek = builder.enumType('DayOfWeek', {
  description: 'A day of the week.',
  values: Object.fromEntries(weekdays.map((day) => [day, { description: `${capital(day)}, in any week.` }])) as Record<
    (typeof weekdays)[number],
    { description: string }
  >,
});

export const TimeBucket = builder.objectRef<{ from: Date; to: Date }>('TimeBucket').implement({
  description: 'A span of time that rows are grouped by, half-open: `from` is in it, `to` is not.',
  fields: (t) => ({
    from: t.expose('from', { type: 'DateTime', description: 'The first moment of the span.' }),
    to: t.expose('to', { type: 'DateTime', description: 'The first moment after it, where the next span begins.' }),
  }),
});

/** The description of a time zone argument. */
export const timeZoneText = 'A time zone of the IANA database, such as America/Sao_Paulo, by whose clocks it goes.';
