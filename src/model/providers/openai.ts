import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ModelSettings } from '../../config/models.ts';
import { openAiWire } from './openai-wire.ts';
import { tolerantFetch } from './tolerant-fetch.ts';

/** A model behind an endpoint that speaks OpenAI's chat completions (OpenAI, Ollama, vLLM, LM Studio, …). */
export function openAiModel({ baseUrl, model, apiKey }: ModelSettings): LanguageModelV4 {
  const baseURL = baseUrl ?? 'https://api.openai.com/v1';
  return createOpenAICompatible({
    name: 'configured',
    baseURL,
    includeUsage: true,
    supportsStructuredOutputs: true,
    fetch: tolerantFetch(openAiWire),
    ...(apiKey && { apiKey }),
  })(model);
}
