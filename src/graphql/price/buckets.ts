import { aboutSpans, maxFilled, maxSpans, type TimeUnit } from '../../database/query/group.ts';
import type { Lists } from './lists.ts';

/** Estimates how many empty spans or ranges a statement may fill in a list; there may be several keys for each. */
export function bucketsIn({ ranges }: Lists, { every, bounds }: Record<string, unknown>): number {
  // How many ranges of one width there are depends on the numbers.
  if (!every) return Array.isArray(bounds) ? bounds.length : maxSpans;
  const span = ranges.find(({ from, to }) => from && to);
  if (!span?.from || !span.to) return maxFilled;
  const spans = aboutSpans(span.from, span.to, every as TimeUnit);
  return Math.min(Math.max(spans, 1), maxSpans);
}
