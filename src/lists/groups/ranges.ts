import { invalid } from '../../core/errors.ts';
import { grouped } from '../../core/validation.ts';
import type { Ranges } from '../group.ts';
import type { TextBinding } from '../sql/binding.ts';

export type RangeArguments = { of: string; width?: number | null; bounds?: number[] | null; fill: boolean };

const maxBounds = 100;

/** Returns the ranges that arguments describe. Throws 400 `invalid_request` naming the argument. */
export function rangesIn({ width, bounds }: RangeArguments): Ranges {
  if ((width == null) === (bounds == null)) throw invalid('range: give either width or bounds.');
  if (bounds == null) {
    if (!(Number(width) > 0)) throw invalid(`range.width: must be more than 0, got ${width}.`);
    return { width: Number(width) };
  }
  return boundsIn(bounds, 'range');
}

/** Returns the ranges between bounds. Throws 400 `invalid_request` naming the field. */
export function boundsIn(bounds: number[], field: string): { bounds: number[] } {
  if (bounds.length === 0 || bounds.length > maxBounds)
    throw invalid(`${field}.bounds: must have 1 to ${maxBounds} numbers, got ${grouped(bounds.length)}.`);
  const wrong = bounds.findIndex((bound, at) => at > 0 && bound <= Number(bounds[at - 1]));
  if (wrong > 0) throw invalid(`${field}.bounds: must ascend, but ${bounds[wrong]} follows ${bounds[wrong - 1]}.`);
  return { bounds };
}

/** SQL for the number of the range that a value is in; null for a missing value. */
export function rangeOf(binding: TextBinding, ranges: Ranges, subject: string): string {
  const number = `${subject}::numeric`;
  return 'width' in ranges
    ? `floor(${number} / ${numeric(binding, ranges.width)})`
    : `width_bucket(${number}, ${list(binding, ranges.bounds)})::numeric`;
}

/** The number of no range, which equals itself and sorts last. */
export const noRange = "'NaN'::numeric";

/** SQL for the start and end of a range by its number; null where it is open, and for no range. */
export function endsOf(binding: TextBinding, ranges: Ranges, subject: string): [from: string, to: string] {
  const next = `(${subject} + 1)`;
  const isRange = `${subject} <> ${noRange}`;
  const end = (at: string) =>
    'width' in ranges
      ? `CASE WHEN ${isRange} THEN ${at} * ${numeric(binding, ranges.width)} END`
      : `CASE WHEN ${isRange} THEN (${list(binding, ranges.bounds)})[${at}::int] END`;
  return [end(subject), end(next)];
}

/** As texts: PostgreSQL reads the digits that JavaScript writes, so that 0.1 is 0.1. */
const numeric = (binding: TextBinding, value: number): string => `${binding.value(String(value), 'text')}::numeric`;
const list = (binding: TextBinding, values: number[]): string =>
  `${binding.value(`{${values.join()}}`, 'text')}::numeric[]`;
