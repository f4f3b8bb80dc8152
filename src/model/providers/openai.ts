import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ModelSettings } from '../../config/models.ts';
import { openAiWire } from './openai-wire.ts';
import { tolerantFetch } from './tolerant-fetch.ts';

/** A model behind an endpoint that speaks OpenAI's chat completions (OpenAI, Ollama, vLLM, LM Studio, …). */
export function openAiModel(settings: ModelSettings): LanguageModelV4 {
  return createOpenAICompatible({
    ...openAiEndpoint(settings),
    includeUsage: true,
    supportsStructuredOutputs: true,
    fetch: tolerantFetch(openAiWire),
  })(settings.model);
}

type Endpoint = Pick<ModelSettings, 'baseUrl' | 'apiKey' | 'apiVersion' | 'headers'>;

/** Where and how to call such an endpoint, for the SDK. Azure's deployments have a version, and a header for the key. */
export const openAiEndpoint = ({ baseUrl, apiKey, apiVersion, headers }: Endpoint) => ({
  name: 'configured',
  baseURL: baseUrl ?? 'https://api.openai.com/v1',
  headers: { ...headers, ...(apiVersion && apiKey && { 'api-key': apiKey }) },
  ...(apiVersion && { queryParams: { 'api-version': apiVersion } }),
  ...(apiKey && !apiVersion && { apiKey }),
});
