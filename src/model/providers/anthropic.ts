import { createAnthropic } from '@ai-sdk/anthropic';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ModelSettings } from '../../config/models.ts';
import { anthropicWire } from './anthropic-wire.ts';
import { tolerantFetch } from './tolerant-fetch.ts';

/** A model served by Anthropic's Messages API. */
export function anthropicModel({ baseUrl, model, apiKey, headers = {} }: ModelSettings): LanguageModelV4 {
  // The SDK reads environment variables for any option left out.
  const baseURL = baseUrl ?? 'https://api.anthropic.com/v1';
  return createAnthropic({ baseURL, apiKey: apiKey ?? '', headers, fetch: tolerantFetch(anthropicWire) })(model);
}
