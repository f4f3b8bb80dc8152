import type { ModelPrice } from '../config-models.ts';
import type { TokenUsage } from './types.ts';

export const noUsage: TokenUsage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0 };

export const addUsage = (a: TokenUsage, b: TokenUsage): TokenUsage => ({
  promptTokens: a.promptTokens + b.promptTokens,
  completionTokens: a.completionTokens + b.completionTokens,
  cachedTokens: a.cachedTokens + b.cachedTokens,
});

/** What tokens cost; those that the model had cached are among `promptTokens`. Null without a price. */
export function costOf(usage: TokenUsage, price: ModelPrice | null): number | null {
  if (!price) return null;
  const read = Math.max(0, usage.promptTokens - usage.cachedTokens) * price.input;
  const sum = read + usage.cachedTokens * price.cached + usage.completionTokens * price.output;
  // Sums of floating-point amounts would end in noise.
  return Math.round(sum * 1e3) / 1e9;
}
