import { invalid } from '../../core/errors.ts';
import { aboutSpans, type GroupKey, maxSpans } from '../../database/query/group.ts';
import type { ListRule } from '../../database/query/list.ts';
import { boundsOf, type QueryContext, type Range } from '../../database/query/moments.ts';
import type { Selected } from './plan.ts';

/** A time span with both ends from a filter argument: its column, and the zone that determines months. */
export type FilteredSpan = { argument: string; column: string; from: Date; to: Date; timeZone: string };
type Filtered = { filter: Record<string, unknown> | null | undefined; context: QueryContext };
type Span = Extract<GroupKey, { kind: 'span' }>;

/**
 * Returns the span in which groups are filled, and before which `previous` is. Throws 400 `invalid_request` if one of
 * these is selected and the filter does not determine the span.
 */
export function spanOf(rule: ListRule, filtered: Filtered, { keys, previous }: Selected): FilteredSpan | null {
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
  if (named.length > 1) throw invalid('previous: the filter has several time spans; it must have exactly one.');
  throw invalid(`previous: ${needsEnds(rule, spans[0]?.column ?? rule.groups?.moments[0] ?? 'createdAt')}`);
}

function needsEnds(rule: ListRule, column: string): string {
  const [name] = Object.entries(rule.filters).find(([, by]) => by.kind === 'range' && by.column === column) ?? [];
  return name
    ? `needs both ends of filter.${name}, from and to, or last.`
    : `this list cannot be filtered by ${column}.`;
}

function spansIn(rule: ListRule, { filter, context }: Filtered): FilteredSpan[] {
  return Object.entries(rule.filters).flatMap(([argument, by]) => {
    if (by.kind !== 'range') return [];
    const { from, to, timeZone } = boundsOf((filter?.[argument] ?? {}) as Range, context, `filter.${argument}`);
    return from && to ? [{ column: by.column, argument, from, to, timeZone }] : [];
  });
}

/** Months follow the time zone that the rows are grouped by. */
function inZone(span: FilteredSpan, keys: GroupKey[]): FilteredSpan {
  const key = keys.find((one) => one.kind !== 'column' && one.column === span.column);
  return key && key.kind !== 'column' ? { ...span, timeZone: key.timeZone } : span;
}

function requireFew({ every }: Span, { argument, from, to }: FilteredSpan): void {
  const spans = Math.ceil(aboutSpans(from, to, every));
  if (spans <= maxSpans) return;
  throw invalid(
    `fill: filter.${argument} has about ${spans} spans, but at most ${maxSpans} are allowed: narrow it, or ask for longer spans.`,
  );
}
