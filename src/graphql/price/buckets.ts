import { maxFilled, maxSpans, type TimeUnit } from '../../database/query/group.ts';
import type { Lists } from './lists.ts';

const hours: Record<TimeUnit, number> = { hour: 1, day: 24, week: 168, month: 730, quarter: 2190, year: 8760 };

/** Estimates how many empty spans a statement may fill in a list; there may be several keys for each. */
export function bucketsIn({ ranges }: Lists, { every }: Record<string, unknown>): number {
  const span = ranges.find(({ from, to }) => from && to);
  if (!span?.from || !span.to) return maxFilled;
  const spans = (span.to.getTime() - span.from.getTime()) / 3_600_000 / (hours[every as TimeUnit] ?? 1);
  return Math.min(Math.max(spans, 1), maxSpans);
}
