import type { ResultValue } from './table.ts';

/** Writes a number with its unit, a share as a percentage. */
export function written(number: number, value: ResultValue | undefined): string {
  if (value?.kind === 'share') return number.toLocaleString('en', { style: 'percent', maximumFractionDigits: 1 });
  const text = number.toLocaleString('en', { maximumFractionDigits: 4 });
  if (value?.unit === 'USD') return number < 0 ? `-$${text.slice(1)}` : `$${text}`;
  return value?.unit ? `${text} ${value.unit}` : text;
}
