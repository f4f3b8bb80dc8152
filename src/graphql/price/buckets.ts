import { aboutSpans, maxFilled, maxSpans, type TimeUnit } from '../../database/query/group.ts';
import type { Lists } from './lists.ts';

/** Estimates how many empty spans a statement may fill in a list; there may be several keys for each. */
export function bucketsIn({ ranges }: Lists, { every }: Record<string, unknown>): number {
  const span = ranges.find(({ from, to }) => from && to);
  if (!span?.from || !span.to) return maxFilled;
  const spans = aboutSpans(span.from, span.to, (every as TimeUnit | undefined) ?? 'hour');
  return Math.min(Math.max(spans, 1), maxSpans);
}
