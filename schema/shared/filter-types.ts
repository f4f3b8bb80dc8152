import { builder } from '../builder.ts';

export const DateTimeRange = builder.inputType('DateTimeRange', {
  description:
    'A span of time: from one moment or plain date to another, half-open (`from` is in it, `to` is not; leave one out for an open ' +
    'end), or `last`.',
  fields: (t) => ({
    from: t.field({
      type: 'DateTime',
      description: 'The first moment of the span, or its first day: the first moment of that in `timeZone`.',
    }),
    to: t.field({
      type: 'DateTime',
      description: 'The first moment after the span, or the first day after it, which is not in it.',
    }),
    last: t.string({
      description:
        'The span that ends now, instead of `from` and `to`: a number and a unit, such as `60d`. Units are h (hours), d (days), ' +
        'w (weeks), m (months) and y (years), up to 100 years. All but hours go by the calendar and clocks of `timeZone`: `1m` begins ' +
        'at this time of the day on the same day of the month before, or the last day of a shorter month. Now is the same moment ' +
        'in all of an operation.',
    }),
    timeZone: t.string({
      description:
        'A time zone of the IANA database, such as America/Sao_Paulo, by whose clocks days begin and `last` is reckoned; UTC when ' +
        'left out. It changes no moment.',
    }),
  }),
});

const isNull = 'Whether it has no value: true for rows without one, false for rows with one.';

export const TextFilter = builder.inputType('TextFilter', {
  description:
    'Conditions on a text, all of which it meets; case and accents do not matter, but where the filter says that it is ' +
    'compared as it is. A row without a value meets none of them but `isNull`.',
  fields: (t) => ({
    equals: t.string({ description: 'It is this text.' }),
    in: t.stringList({ description: 'It is one of these texts.' }),
    contains: t.string({ description: 'It has this text in it; `%` and `_` mean themselves.' }),
    startsWith: t.string({ description: 'It begins with this text.' }),
    isNull: t.boolean({ description: isNull }),
  }),
});

export const JsonKeyFilter = builder.inputType('JsonKeyFilter', {
  description:
    'Conditions on one key of a JSON object, all of which it meets. An object without the key, or with null under it, meets none of ' +
    'them but `exists: false`.',
  fields: (t) => ({
    key: t.string({ required: true, description: 'The key, exactly as it is kept: 1 to 200 characters.' }),
    equals: t.field({
      type: 'JSON',
      description:
        'Its value is this text, number or truth value, of the same type: the text "5" is not the number 5. Of a custom field, the ' +
        'type is that of the field.',
    }),
    includes: t.field({
      type: 'JSON',
      description:
        'Its value is a list that has this text, number or truth value in it, as of a field of several choices.',
    }),
    exists: t.boolean({ description: 'Whether it has a value.' }),
  }),
});

/** The filters for integers and floats, which differ only in their type. */
const numberFilter = (type: 'Int' | 'Float', what: string) =>
  builder.inputType(`${type}Filter`, {
    description: `Conditions on ${what}, all of which it meets. A row without a value meets none of them but \`isNull\`.`,
    fields: (t) => ({
      equals: t.field({ type, description: 'It is this number.' }),
      in: t.field({ type: [type], description: 'It is one of these numbers.' }),
      gt: t.field({ type, description: 'It is greater than this.' }),
      gte: t.field({ type, description: 'It is this or greater.' }),
      lt: t.field({ type, description: 'It is less than this.' }),
      lte: t.field({ type, description: 'It is this or less.' }),
      isNull: t.boolean({ description: isNull }),
    }),
  });

export const IntFilter = numberFilter('Int', 'a whole number');
export const FloatFilter = numberFilter('Float', 'a number');
