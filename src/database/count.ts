import { invalid } from '../errors.ts';

/** The most rows that are counted when they are counted up to a limit. */
export const maxCount = 10_000;

/** How much a count says: the list has just so many rows, or more. */
export const countPrecisions = { exact: 'exact', atLeast: 'at_least' } as const;

/** How many rows a list has, as far as they were counted. */
export type CountUpTo = { count: number; precision: (typeof countPrecisions)[keyof typeof countPrecisions] };

/** The limit of a count, as it was asked for. Throws 400 `invalid_request`. */
export function limitOfCount(limit: number): number {
  if (limit < 1 || limit > maxCount) throw invalid(`limit: must be between 1 and ${maxCount}, got ${limit}.`);
  return limit;
}

/** What it says that so many rows were found when one more than the limit was looked for. */
export const countUpTo = (found: number, limit: number): CountUpTo =>
  found > limit
    ? { count: limit, precision: countPrecisions.atLeast }
    : { count: found, precision: countPrecisions.exact };
