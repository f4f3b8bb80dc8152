import type { ModelPrice } from '../../config/models.ts';
import type { TokenUsage } from '../types.ts';

export const noUsage: TokenUsage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0 };

/** Of a call that ended before its model told. */
export const unknownUsage: TokenUsage = { promptTokens: null, completionTokens: null, cachedTokens: null };

/** A sum of which a part is unknown is unknown. */
export const addUsage = (a: TokenUsage, b: TokenUsage): TokenUsage => ({
  promptTokens: add(a.promptTokens, b.promptTokens),
  completionTokens: add(a.completionTokens, b.completionTokens),
  cachedTokens: add(a.cachedTokens, b.cachedTokens),
});

const add = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b);

/** What tokens cost; those that the model had cached are among `promptTokens`. Null without a price, and where they are unknown. */
export function costOf(
  { promptTokens, completionTokens, cachedTokens }: TokenUsage,
  price: ModelPrice | null,
): number | null {
  if (!price || promptTokens === null || completionTokens === null) return null;
  const cached = cachedTokens ?? 0;
  const read = Math.max(0, promptTokens - cached) * price.input;
  const sum = read + cached * price.cached + completionTokens * price.output;
  // Sums of floating-point amounts would end in noise.
  return Math.round(sum * 1e3) / 1e9;
}
