import { createGoogleGenerativeAI } from '@ai-sdk/google';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ModelSettings } from '../../config/models.ts';
import { providerFetch } from '../attempts/provider-fetch.ts';

/** A model behind Google's generateContent. */
export function googleModel({ baseUrl, model, apiKey }: ModelSettings): LanguageModelV4 {
  // The SDK would read the environment for whatever is left out.
  const baseURL = baseUrl ?? 'https://generativelanguage.googleapis.com/v1beta';
  return createGoogleGenerativeAI({ baseURL, apiKey: apiKey ?? '', fetch: providerFetch })(model);
}
