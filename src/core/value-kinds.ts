/** What a number of a result is, and whether such numbers can be added up across rows. */
export const valueKinds = {
  count: { additive: true, description: 'A number of rows.' },
  sum: { additive: true, description: 'A sum over rows.' },
  amount: { additive: true, description: 'An amount of one row, such as its tokens.' },
  distinct: { additive: false, description: 'A number of distinct values: two groups may share some.' },
  average: { additive: false, description: 'An average over rows.' },
  percentile: { additive: false, description: 'A percentile over rows.' },
  minimum: { additive: false, description: 'The smallest value of rows.' },
  maximum: { additive: false, description: 'The largest value of rows.' },
  share: { additive: false, description: 'A part of a whole, from 0 to 1.' },
  cumulative: { additive: false, description: 'A running total: what came before is in it.' },
  ratio: { additive: false, description: 'One number divided by another, such as a cost per conversation.' },
  level: { additive: false, description: 'Anything else: a limit, a setting, a position, a score.' },
  key: { additive: false, description: 'A value that rows are grouped by.' },
  hourOfDay: { additive: false, description: 'An hour of the day, 0 to 23, that rows are grouped by.' },
} as const;

export type ValueKind = keyof typeof valueKinds;
/** The unit of a number, as it is written behind it. */
export type Unit = 'USD' | 'ms' | 's' | 'tokens' | 'bytes';
/** What a field says of its numbers, or of those within it; a field within adds what it knows. */
export type ValueMark = { kind?: ValueKind; unit?: Unit | undefined };

/** What a field's number is by its arguments as they are written in a document; undefined if they say no more. */
export type KindOf = (argument: (name: string) => string | undefined) => ValueKind | undefined;

/** Field extension that says what the field's number is, or are the numbers within it. */
export const value = (kind?: ValueKind, unit?: Unit): { parleyValue: ValueMark } => ({
  parleyValue: { ...(kind && { kind }), ...(unit && { unit }) },
});
