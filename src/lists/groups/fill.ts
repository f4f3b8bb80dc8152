import { invalid } from '../../core/errors.ts';
import { grouped } from '../../core/validation.ts';
import { type GroupKey, maxFilled, maxSpans } from '../group.ts';
import type { Binding, TextBinding } from '../sql/binding.ts';
import { noRange } from './ranges.ts';
import { spansBetween } from './spans.ts';

type FilledKey = Extract<GroupKey, { kind: 'span' | 'range' }>;

/** Returns the keys whose spans or ranges without rows are groups, too. */
export const filledOf = (keys: readonly GroupKey[]): FilledKey[] =>
  keys.filter((key): key is FilledKey => (key.kind === 'span' || key.kind === 'range') && key.fill);

/** The filled key, its number, and the columns of all keys; and the measures of a group without rows. */
type Fill = { key: FilledKey; index: number; columns: readonly string[]; empty: readonly string[] };

/**
 * Returns tables that fill the groups of the table `found`: `others` has the combinations of the other keys, `steps`
 * the values of the filled key, and `overfilled` says whether there would be too many groups.
 */
export function fillTables(
  binding: TextBinding,
  { key, index, columns }: Fill,
  spanOf: (run: Binding) => { from: Date; to: Date } | null,
): string[] {
  const rest = columns.filter((_, at) => at !== index);
  const combinations = rest.length > 0 ? `SELECT DISTINCT ${rest.join(', ')} FROM found` : 'SELECT 1 AS nothing';
  const others = `others AS MATERIALIZED (${combinations})`;
  const isTooMany = (steps: string) => `(SELECT count(*) FROM others) * ${steps} > ${maxFilled}`;
  if (key.kind === 'span') {
    const spans = binding.later((run) => {
      const span = spanOf(run);
      if (!span) throw invalid('fill: needs a filter with both ends of the time span.');
      return spansBetween(run, key, span);
    });
    return [
      others,
      `steps AS MATERIALIZED (${spans})`,
      `overfilled AS MATERIALIZED (SELECT ${isTooMany('(SELECT count(*) FROM steps)')} AS it)`,
    ];
  }
  // Counted before they are made: between two numbers there may be any number of ranges.
  const number = columns[index] as string;
  const ends = `SELECT min(${number}) AS low, max(${number}) AS high, max(${number}) - min(${number}) + 1 AS n FROM found`;
  const series = 'generate_series(e.low, CASE WHEN NOT (SELECT it FROM overfilled) THEN e.high END)';
  return [
    others,
    `ends AS MATERIALIZED (${ends} WHERE ${number} <> ${noRange})`,
    `overfilled AS MATERIALIZED (SELECT coalesce(e.n > ${maxSpans} OR ${isTooMany('e.n')}, false) AS it FROM ends e)`,
    `steps AS MATERIALIZED (SELECT s.k FROM ends e, LATERAL ${series} AS s(k))`,
  ];
}

/** SQL for the groups of the table `found`, and those without rows. */
export function withEmpty({ index, columns, empty }: Fill): string {
  const keys = columns.map((key, at) => (at === index ? `t.k AS ${key}` : `o.${key}`));
  const isFound = columns.map((key, at) => `f.${key} = ${at === index ? 't.k' : `o.${key}`}`).join(' AND ');
  return (
    `(SELECT * FROM found UNION ALL SELECT ${[...keys, ...empty].join(', ')} FROM others o CROSS JOIN steps t ` +
    `WHERE NOT (SELECT it FROM overfilled) AND NOT EXISTS (SELECT 1 FROM found f WHERE ${isFound}))`
  );
}

/** 400 `invalid_request` for a grouping with too many groups without rows. */
export function tooManyToFill(keys: readonly GroupKey[], argument: string | undefined) {
  const [filled] = filledOf(keys);
  return invalid(
    filled?.kind === 'range'
      ? `fill: with the ranges that have no rows there would be more than ${grouped(maxSpans)} ranges or ${grouped(maxFilled)} groups: ask for ` +
          'wider ranges, for fewer keys, or leave out extreme numbers by the filter.'
      : `fill: with the spans that have no rows there would be more than ${grouped(maxFilled)} groups: ask for longer spans, for ` +
          `fewer keys, or narrow filter.${argument}.`,
  );
}
