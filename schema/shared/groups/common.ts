import { capitalized } from '../../../src/core/capitals.ts';
import { value } from '../../../src/core/value-kinds.ts';
import { timeUnits, weekdays } from '../../../src/lists/group.ts';
import { builder } from '../../builder.ts';

const unitTexts: Record<(typeof timeUnits)[number], string> = {
  hour: 'By hour. An hour that occurs twice when clocks change counts as two.',
  day: 'By day, which has 23 to 25 hours when clocks change.',
  week: 'By week, starting on `weekStart`.',
  month: 'By calendar month.',
  quarter: 'By quarter, starting in January, April, July and October.',
  year: 'By calendar year.',
};

export const TimeUnit = builder.enumType('TimeUnit', {
  description: 'Length of the time spans to group by.',
  values: Object.fromEntries(timeUnits.map((unit) => [unit, { description: unitTexts[unit] }])) as Record<
    (typeof timeUnits)[number],
    { description: string }
  >,
});

export const DayOfWeek = builder.enumType('DayOfWeek', {
  description: 'A day of the week.',
  values: Object.fromEntries(
    weekdays.map((day) => [day, { description: `${capitalized(day)} of any week.` }]),
  ) as Record<(typeof weekdays)[number], { description: string }>,
});

export const TimeBucket = builder.objectRef<{ from: Date; to: Date; partial: boolean }>('TimeBucket').implement({
  description: 'A time span that rows are grouped by, `from` inclusive and `to` exclusive.',
  fields: (t) => ({
    from: t.expose('from', { type: 'DateTime', description: 'Start of the span, inclusive.' }),
    to: t.expose('to', {
      type: 'DateTime',
      description: 'End of the span, exclusive, which is the start of the next span.',
    }),
    partial: t.exposeBoolean('partial', {
      description:
        'Whether rows of the span may be missing: it is not over, or the time range of the filter, at its top level or ' +
        'in `and`, includes only a part of it.',
    }),
  }),
});

export const NumberRange = builder.objectRef<{ from: number | null; to: number | null }>('NumberRange').implement({
  description: 'A range of numbers that rows are grouped by, `from` inclusive and `to` exclusive.',
  fields: (t) => ({
    from: t.expose('from', {
      type: 'Float',
      nullable: true,
      description: 'Its start, inclusive. `null` if it has none.',
    }),
    to: t.expose('to', { type: 'Float', nullable: true, description: 'Its end, exclusive. `null` if it has none.' }),
  }),
});

type Part = { range: [number | null, number | null] | null; count: number; rows: number };
export const GroupsInRange = builder.objectRef<Part>('GroupsInRange').implement({
  description: 'The groups with a number that is in a range.',
  fields: (t) => ({
    range: t.field({
      type: NumberRange,
      nullable: true,
      description: 'The range. `null` for groups without the number, which are last.',
      extensions: value('key'),
      resolve: ({ range }) => range && { from: range[0], to: range[1] },
    }),
    count: t.exposeInt('count', { extensions: value('count'), description: 'The number of groups.' }),
    rows: t.exposeInt('rows', { extensions: value('count'), description: 'The number of rows of these groups.' }),
  }),
});

/** The description of a time zone argument. */
export const timeZoneText = 'An IANA time zone, such as America/Sao_Paulo, used to determine hours and days.';
