import { builder } from '../builder.ts';
import { DayOfWeek } from './groups/common.ts';
import type { InputBuilder } from './mutations.ts';

export const DateTimeRange = builder.inputType('DateTimeRange', {
  description:
    'A time range between two timestamps or plain dates, `from` inclusive and `to` exclusive (omit one for ' +
    'an open end), or `last`.',
  fields: (t) => ({
    from: t.field({
      type: 'DateTime',
      description: 'Start of the range, inclusive. A plain date means the start of that day in `timeZone`.',
    }),
    to: t.field({
      type: 'DateTime',
      description: 'End of the range, exclusive. A plain date means the start of that day in `timeZone`.',
    }),
    last: t.string({
      description:
        'A range that ends now, instead of `from` and `to`: a number and a unit, such as `60d`. Units are h ' +
        '(hours), d (days), w (weeks), m (months) and y (years), up to 100 years. All units except hours follow ' +
        'the calendar and clock of `timeZone`: `1m` starts at the current time of day on the same day of the ' +
        'previous month, or on the last day of a shorter month. Now is the same moment throughout an operation.',
    }),
    whole: t.boolean({
      description:
        'With `last`, counts whole periods of the calendar in `timeZone`: `12w` are the 12 weeks before this one, from ' +
        'their first day, and `1m` is the previous calendar month. The period that is not over is left out.',
    }),
    weekStart: t.field({
      type: DayOfWeek,
      description: 'First day of the weeks of `whole`. Defaults to monday. Has no effect otherwise.',
    }),
    timeZone: t.string({
      description:
        'An IANA time zone, such as America/Sao_Paulo, that determines when days begin and how `last` is ' +
        'calculated. Defaults to UTC. Timestamps are not affected.',
    }),
  }),
});

const isNull = 'Whether the value is missing: `true` for rows without a value, `false` for rows with one.';

export const TextFilter = builder.inputType('TextFilter', {
  description:
    'Conditions on a text, all of which must be met. Case and accents are ignored, unless the filter says ' +
    'that values are compared exactly. A row without a value can only match `isNull`.',
  fields: (t) => ({
    equals: t.string({ description: 'Equal to this text.' }),
    in: t.stringList({ description: 'Equal to one of these texts.' }),
    contains: t.string({ description: 'Contains this text; `%` and `_` are matched literally.' }),
    startsWith: t.string({ description: 'Starts with this text.' }),
    isNull: t.boolean({ description: isNull }),
  }),
});

export const JsonKeyFilter = builder.inputType('JsonKeyFilter', {
  description:
    'Conditions on one key of a JSON object, all of which must be met. An object without the key, or with ' +
    '`null` as its value, only matches `exists: false`.',
  fields: (t) => ({
    key: t.string({ required: true, description: 'The key, exactly as stored: 1 to 200 characters.' }),
    equals: t.field({
      type: 'JSON',
      description:
        'The value equals this text, number or boolean, including its type: the text `5` is not the number 5. ' +
        'For a custom field, use the type of the field.',
    }),
    includes: t.field({
      type: 'JSON',
      description: 'The value is a list that contains this text, number or boolean, as in a multiple-choice field.',
    }),
    exists: t.boolean({ description: 'Whether the key has a value.' }),
  }),
});

/** Conditions on a number. */
export const numberOperators = (t: InputBuilder, type: 'Int' | 'Float') => ({
  equals: t.field({ type, description: 'Equal to this number.' }),
  in: t.field({ type: [type], description: 'Equal to one of these numbers.' }),
  gt: t.field({ type, description: 'Greater than this number.' }),
  gte: t.field({ type, description: 'Greater than or equal to this number.' }),
  lt: t.field({ type, description: 'Less than this number.' }),
  lte: t.field({ type, description: 'Less than or equal to this number.' }),
  isNull: t.boolean({ description: isNull }),
});

/** The filters for integers and floats, which differ only in their type. */
const numberFilter = (type: 'Int' | 'Float', what: string) =>
  builder.inputType(`${type}Filter`, {
    description: `Conditions on ${what}, all of which must match. A row without a value matches \`isNull\` only.`,
    fields: (t) => numberOperators(t, type),
  });

export const IntFilter = numberFilter('Int', 'a whole number');
export const FloatFilter = numberFilter('Float', 'a number');
