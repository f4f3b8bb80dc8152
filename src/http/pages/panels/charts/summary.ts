import { inSentence } from './labels.ts';
import type { Drawing } from './series.ts';

/** What a chart shows, for who cannot see it. */
export function summaryOf({ type, labels, series, titles: { x, y } }: Drawing): string {
  const names = series.map(({ name }) => name).join(', ');
  const second = series.find((one) => one.second);
  const beside = second
    ? ` and of ${inSentence(second.name)}${second.second?.isApart ? ', on an axis of its own,' : ''}`
    : '';
  return `A ${type} chart of ${inSentence(y)}${beside} by ${inSentence(x)}, ${labels.length} points in ${series.length} series: ${names}.`;
}
