import type { Drawing } from './series.ts';
import type { ChartSpec } from './spec.ts';

/** What a chart shows, for who cannot see it. */
export function summaryOf({ type, labels, series }: Drawing, { x, y }: ChartSpec): string {
  const names = series.map(({ name }) => name).join(', ');
  const second = series.find((one) => one.second);
  const beside = second ? ` and of ${second.name}${second.second?.isApart ? ', on an axis of its own,' : ''}` : '';
  const by = x?.replace(/^by\./, '');
  return `A ${type} chart of ${y}${beside} by ${by}, ${labels.length} points in ${series.length} series: ${names}.`;
}
