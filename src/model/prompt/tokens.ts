import type { ModelPrice } from '../../config/models.ts';
import type { TokenUsage } from '../types.ts';

export const noUsage: TokenUsage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0 };

/** The usage of a call that ended before the model reported it. */
export const unknownUsage: TokenUsage = { promptTokens: null, completionTokens: null, cachedTokens: null };

/** A sum with an unknown part is unknown. */
export const addUsage = (a: TokenUsage, b: TokenUsage): TokenUsage => ({
  promptTokens: add(a.promptTokens, b.promptTokens),
  completionTokens: add(a.completionTokens, b.completionTokens),
  cachedTokens: add(a.cachedTokens, b.cachedTokens),
});

const add = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b);

/**
 * Returns the cost of tokens; `promptTokens` includes the cached ones. Null without a price or if the counts are
 * unknown.
 */
export function usageCost(
  { promptTokens, completionTokens, cachedTokens }: TokenUsage,
  price: ModelPrice | null,
): number | null {
  if (!price || promptTokens === null || completionTokens === null) return null;
  const cached = cachedTokens ?? 0;
  const read = Math.max(0, promptTokens - cached) * price.input;
  const sum = read + cached * price.cached + completionTokens * price.output;
  // Rounded to hide the noise of floating-point sums.
  return Math.round(sum * 1e3) / 1e9;
}
