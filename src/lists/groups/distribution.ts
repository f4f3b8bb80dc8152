import type { Distribution, GroupRule } from '../group.ts';
import type { TextBinding } from '../sql/binding.ts';
import { sortFields } from './ids.ts';
import { boundsIn, noRange, rangeOf } from './ranges.ts';

export type DistributionArguments = { of: string; bounds: number[] };

/** Returns the distribution that arguments describe. Throws 400 `invalid_request` naming the argument. */
export function distributionOf(rule: GroupRule, { of, bounds }: DistributionArguments): Distribution {
  const measure = sortFields(rule).get(of);
  if (!measure || measure === 'keys') throw new Error(`no number of groups is called ${of}`);
  return { id: `${measure.id} ${bounds.join()}`, of: measure, ranges: boundsIn(bounds, 'distribution') };
}

/**
 * SQL for the rows of a distribution of the groups of a table: `k`, the number of a range, how many groups are in it,
 * and the rows of these. Every range from a bound on is there; groups below the first, and those without a value, if
 * there are some.
 */
export function distributed(
  binding: TextBinding,
  { ranges }: Distribution,
  { table, value, rows }: { table: string; value: string; rows: string },
): string {
  // As text, fractions keep all of their digits.
  const range = `coalesce(${rangeOf(binding, ranges, `(${value})::text`)}, ${noRange})`;
  const found = `SELECT ${range} AS k, count(*) AS n, sum(${rows}) AS r FROM ${table} GROUP BY 1`;
  const all = `SELECT generate_series(1, ${ranges.bounds.length})::numeric AS k`;
  return `(SELECT coalesce(a.k, g.k) AS k, coalesce(g.n, 0) AS n, coalesce(g.r, 0) AS r FROM (${all}) a FULL JOIN (${found}) g ON g.k = a.k)`;
}
