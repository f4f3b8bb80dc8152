import type { ColumnRange, RowsRead } from '../../database/query/estimates.ts';
import type { ListRule } from '../../database/query/list.ts';
import { type Asking, boundsOf, type Range } from '../../database/query/moments.ts';

/** Connections of the same list, one of each object that they belong to. */
export type Lists = {
  rule: ListRule;
  /** The field and those above it. */
  path: string;
  ranges: ColumnRange[];
  /** How many connections there are. */
  count: number;
  /** The rows that all of them have together, whatever the page; null: not known. */
  rows: number | null;
  /** The rows of their pages, at most. */
  onPages: number;
  /** No row is in two of them. */
  areDistinct: boolean;
};

/** How many rows of a table there are; null: not known. */
export type RowsOf = (read: RowsRead) => number | null;

/** A list of one row may be so many times as long as the usual one. */
const unequal = 10;

type Given = {
  rule: ListRule;
  path: string;
  filter: Record<string, unknown> | null | undefined;
  size: number;
  /** How many objects have one each, whether each of them is another row, and of which table. */
  parents: { count: number; areDistinct: boolean; model: string | null };
  relation: { isJoined: boolean } | null;
  asking: Asking;
};

/** What is known of the lists that some objects have. */
export function listsOf({ rule, path, filter, size, parents, relation, asking }: Given, rowsOf: RowsOf): Lists {
  const ranges = rangesIn(rule, filter, asking);
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

/** Spans that are not looked into yet leave all rows. */
function rowsWithin({ model, ranges }: RowsRead, rowsOf: RowsOf): number | null {
  const all = rowsOf({ model, ranges: [] });
  const within = ranges.length > 0 ? rowsOf({ model, ranges }) : null;
  return all !== null && within !== null ? Math.min(all, within) : all;
}

function rangesIn({ filters }: ListRule, filter: Given['filter'], asking: Asking): ColumnRange[] {
  return Object.entries(filters).flatMap(([argument, by]) => {
    const given = by.kind === 'range' && filter?.[argument];
    if (!given || by.kind !== 'range') return [];
    const { from, to } = bounds(given, asking);
    return from || to ? [{ argument, column: by.column, from, to }] : [];
  });
}

/** What is no span, the list itself says. */
function bounds(given: unknown, asking: Asking): Pick<ColumnRange, 'from' | 'to'> {
  try {
    return boundsOf(given as Range, asking, 'filter');
  } catch {
    return { from: null, to: null };
  }
}

/** The argument of a list that leaves fewer rows. */
export function whatToNarrow({ filters }: ListRule): string {
  const range = Object.entries(filters).find(([, { kind }]) => kind === 'range')?.[0];
  return range ? `filter.${range}` : 'the filter';
}
