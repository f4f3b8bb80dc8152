import { createGoogleGenerativeAI } from '@ai-sdk/google';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ModelSettings } from '../../config/models.ts';
import { googleWire } from './google-wire.ts';
import { tolerantFetch } from './tolerant-fetch.ts';

/** A model served by Google's generateContent. */
export function googleModel({ baseUrl, model, apiKey, headers = {} }: ModelSettings): LanguageModelV4 {
  // The SDK reads environment variables for any option left out.
  const baseURL = baseUrl ?? 'https://generativelanguage.googleapis.com/v1beta';
  return createGoogleGenerativeAI({ baseURL, apiKey: apiKey ?? '', headers, fetch: tolerantFetch(googleWire) })(model);
}
