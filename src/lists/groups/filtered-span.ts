import { invalid } from '../../core/errors.ts';
import { lazy } from '../../core/lazy.ts';
import { grouped } from '../../core/validation.ts';
import { filterSpans } from '../filter-spans.ts';
import { estimateSpans, type GroupKey, maxSpans } from '../group.ts';
import type { ListRule } from '../list.ts';
import { type QueryContext, timeOf } from '../time/moments.ts';
import type { Selected } from './plan.ts';
import type { Limits } from './spans.ts';

/** A time span with both ends from a filter: its argument and column, and the zone that determines months. */
export type FilteredSpan = { argument: string; column: string; from: Date; to: Date; timeZone: string };
type Filtered = { filter: Record<string, unknown> | null | undefined; context: QueryContext };
type Span = Extract<GroupKey, { kind: 'span' }>;

/**
 * Returns the span in which groups are filled, and before which `previous` is. Throws 400 `invalid_request` if one of
 * these is selected and the filter does not determine the span.
 */
export function filteredSpanOf(
  rule: ListRule,
  filtered: Filtered,
  { keys, previous }: Pick<Selected, 'keys' | 'previous'>,
): FilteredSpan | null {
  const spans = keys.filter((key) => key.kind === 'span');
  const filled = spans.find(({ fill }) => fill);
  const named = spansIn(rule, filtered);
  const find = (column: string) => named.find((span) => span.column === column);
  if (filled) {
    const span = find(filled.column);
    if (!span) throw invalid(`fill: ${needsEnds(rule, filled.column)}`);
    requireFew(filled, span);
    return inZone(span, keys);
  }
  if (!previous) return null;
  const span = spans.map(({ column }) => find(column)).find(Boolean) ?? (named.length === 1 ? named[0] : undefined);
  if (span) return inZone(span, keys);
  if (named.length > 1) {
    const names = named.map(({ argument }) => argument).join(' and ');
    throw invalid(`previous: the filter has several time spans, ${names}: leave one, or group by the time of one.`);
  }
  throw invalid(`previous: ${needsEnds(rule, spans[0]?.column ?? rule.groups?.moments[0] ?? 'createdAt')}`);
}

/** Returns the limits of each column: the span of the filter, as far as it is in the past. */
export function limitsOf(rule: ListRule, { filter, context }: Filtered): (column: string) => Limits {
  const spans = lazy(() => filterSpans(rule, filter, context));
  return (column) => {
    const { from = null, to = null } = spans().find((span) => span.column === column) ?? {};
    const now = timeOf(context);
    return { from, to: to && to < now ? to : now };
  };
}

function needsEnds(rule: ListRule, column: string): string {
  const [name] = Object.entries(rule.filters).find(([, by]) => by.kind === 'range' && by.column === column) ?? [];
  return name
    ? `needs both ends of filter.${name}, from and to, or last; in \`and\` too, but not in \`or\` or \`not\`.`
    : `this list cannot be filtered by ${column}.`;
}

const spansIn = (rule: ListRule, { filter, context }: Filtered): FilteredSpan[] =>
  filterSpans(rule, filter, context).flatMap(({ from, to, ...span }) => (from && to ? [{ ...span, from, to }] : []));

/** Months follow the time zone that the rows are grouped by. */
function inZone(span: FilteredSpan, keys: GroupKey[]): FilteredSpan {
  const key = keys.find((one) => 'timeZone' in one && one.column === span.column);
  return key && 'timeZone' in key ? { ...span, timeZone: key.timeZone } : span;
}

function requireFew({ every }: Span, { argument, from, to }: FilteredSpan): void {
  const spans = Math.ceil(estimateSpans(from, to, every));
  if (spans <= maxSpans) return;
  throw invalid(
    `fill: filter.${argument} has about ${grouped(spans)} spans, but at most ${grouped(maxSpans)} are allowed: narrow it, or ask for longer spans.`,
  );
}
