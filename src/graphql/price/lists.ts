import type { ColumnRange, RowsRead } from '../../database/query/estimates.ts';
import { filterSpans } from '../../lists/filter-spans.ts';
import type { ListRule } from '../../lists/list.ts';
import { type Bounds, boundsOf, type QueryContext, type Range } from '../../lists/time/moments.ts';

/** Connections of the same list, one for each parent object. */
export type Lists = {
  rule: ListRule;
  /** The path of the field. */
  path: string;
  /** The spans of the filter and of its `and`, intersected: one per column. */
  ranges: ColumnRange[];
  /** The number of connections. */
  count: number;
  /** The total number of rows of all of them, whatever the page; null if unknown. */
  rows: number | null;
  /** The maximum number of rows on their pages. */
  onPages: number;
  /** Whether no row is in two of them. */
  areDistinct: boolean;
};

/** Returns the number of rows of a table; null if unknown. */
export type RowsOf = (read: RowsRead) => number | null;

/** A single parent's list is assumed to be at most this many times as long as the average. */
const unequal = 10;

type ListInput = {
  rule: ListRule;
  path: string;
  filter: Record<string, unknown> | null | undefined;
  size: number;
  /** The number of parents, whether these are distinct rows, and of which table. */
  parents: { count: number; areDistinct: boolean; model: string | null };
  relation: { isJoined: boolean } | null;
  context: QueryContext;
};

/** Estimates the lists of some parents. */
export function listsOf({ rule, path, filter, size, parents, relation, context }: ListInput, rowsOf: RowsOf): Lists {
  const ranges = filterSpans(rule, filter, context, (range) => bounds(range, context));
  const all = rowsWithin({ model: rule.model, ranges }, rowsOf);
  const { count, model } = parents;
  const areDistinct = parents.areDistinct && !relation?.isJoined;
  const known = { rule, path, ranges, count, areDistinct };
  const owners = relation && model ? rowsOf({ model, ranges: [] }) : null;
  if (all === null) return { ...known, rows: null, onPages: count * size };
  const each = owners ? Math.min(all, Math.ceil(all / owners) * unequal) : all;
  return {
    ...known,
    rows: areDistinct && relation ? Math.min(all, count * each) : count * each,
    onPages: areDistinct && relation ? Math.min(all, count * size) : count * Math.min(all, size),
  };
}

/** Spans without an estimate count all rows. */
function rowsWithin({ model, ranges }: RowsRead, rowsOf: RowsOf): number | null {
  const all = rowsOf({ model, ranges: [] });
  const within = ranges.length > 0 ? rowsOf({ model, ranges }) : null;
  return all !== null && within !== null ? Math.min(all, within) : all;
}

/** An invalid span is reported by the list itself. */
function bounds(range: Range, context: QueryContext): Bounds {
  try {
    return boundsOf(range, context, 'filter');
  } catch {
    return { from: null, to: null, timeZone: 'UTC' };
  }
}
