import type { Drawing } from './series.ts';
import type { ChartSpec } from './spec.ts';

/** What a chart shows, for who cannot see it. */
export function summaryOf({ type, labels, series }: Drawing, { x, y }: ChartSpec): string {
  const names = series.map(({ name }) => name).join(', ');
  return `A ${type} chart of ${y} by ${x?.replace(/^by\./, '')}, ${labels.length} points in ${series.length} series: ${names}.`;
}
