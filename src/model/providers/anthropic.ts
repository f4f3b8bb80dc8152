import { createAnthropic } from '@ai-sdk/anthropic';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ModelSettings } from '../../config/models.ts';
import { providerFetch } from '../attempts/provider-fetch.ts';

/** A model behind Anthropic's Messages API. */
export function anthropicModel({ baseUrl, model, apiKey }: ModelSettings): LanguageModelV4 {
  // The SDK would read the environment for whatever is left out.
  const baseURL = baseUrl ?? 'https://api.anthropic.com/v1';
  return createAnthropic({ baseURL, apiKey: apiKey ?? '', fetch: providerFetch })(model);
}
