import { estimateSpans, maxFilled, maxSpans, type TimeUnit } from '../../lists/group.ts';
import type { Lists } from './lists.ts';

/**
 * Estimates how many groups a statement may fill in a list: each empty span or range for each value of the other keys.
 */
export function filledIn(lists: Lists, args: Record<string, unknown>, hasOtherKeys: boolean): number {
  const others = hasOtherKeys ? Math.max((lists.rows ?? lists.onPages) / Math.max(lists.count, 1), 1) : 1;
  return Math.min(bucketsIn(lists, args) * others, maxFilled);
}

function bucketsIn({ ranges }: Lists, { every, bounds }: Record<string, unknown>): number {
  // How many ranges of one width there are depends on the numbers.
  if (!every) return Array.isArray(bounds) ? bounds.length : maxSpans;
  const span = ranges.find(({ from, to }) => from && to);
  if (!span?.from || !span.to) return maxFilled;
  const spans = estimateSpans(span.from, span.to, every as TimeUnit);
  return Math.min(Math.max(spans, 1), maxSpans);
}
