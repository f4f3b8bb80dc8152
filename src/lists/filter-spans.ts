import type { Filter } from './filter.ts';
import type { ListRule } from './list.ts';
import { type Bounds, boundsOf, type QueryContext, type Range } from './time/moments.ts';

/** The time span of a column that a filter limits all its rows to: `argument` is its name in the filter. */
type FilterSpan = { argument: string; column: string } & Bounds;
type ReadBounds = (range: Range, name: string) => Bounds;

/**
 * Returns the spans that every row of a filter is within, one per column: the intersection of those at its top and in
 * its `and`, in the first time zone given. Those in `or` and `not` do not limit all rows. Throws 400 `invalid_request`
 * naming the argument.
 */
export function filterSpans(
  rule: ListRule,
  filter: Filter | null | undefined,
  context: QueryContext,
  read: ReadBounds = (range, name) => boundsOf(range, context, name),
): FilterSpan[] {
  const byColumn = new Map<string, FilterSpan & { isZoned: boolean }>();
  for (const { path, argument, column, range } of rangesIn(rule, filter ?? {}, 'filter')) {
    const bounds = read(range, path);
    const known = byColumn.get(column);
    const isZoned = range.timeZone != null;
    byColumn.set(column, {
      argument,
      column,
      from: later(known?.from, bounds.from),
      to: earlier(known?.to, bounds.to),
      timeZone: known && (known.isZoned || !isZoned) ? known.timeZone : bounds.timeZone,
      isZoned: known?.isZoned || isZoned,
    });
  }
  return [...byColumn.values()].map(({ isZoned: _, ...span }) => span).filter(({ from, to }) => from || to);
}

/** Returns the filter without the spans of a column at its top and in its `and`. */
export function withoutSpans(rule: ListRule, filter: Filter, column: string): Filter {
  return Object.fromEntries(
    Object.entries(filter).flatMap(([key, value]) => {
      const by = rule.filters[key];
      if (by?.kind === 'range' && by.column === column) return [];
      return [[key, key === 'and' ? partsOf(value).map((part) => withoutSpans(rule, part, column)) : value]];
    }),
  );
}

type NamedRange = { path: string; argument: string; column: string; range: Range };

function rangesIn(rule: ListRule, filter: Filter, name: string): NamedRange[] {
  const own = Object.entries(filter).flatMap(([argument, given]) => {
    const by = rule.filters[argument];
    if (!given || by?.kind !== 'range') return [];
    return [{ path: `${name}.${argument}`, argument, column: by.column, range: given as Range }];
  });
  return [...own, ...partsOf(filter.and).flatMap((part) => rangesIn(rule, part, `${name}.and`))];
}

const partsOf = (and: unknown): Filter[] => (and ?? []) as Filter[];
const later = (a: Date | null | undefined, b: Date | null): Date | null => (a && (!b || a > b) ? a : b);
const earlier = (a: Date | null | undefined, b: Date | null): Date | null => (a && (!b || a < b) ? a : b);
