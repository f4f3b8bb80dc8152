import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Config } from '../config.ts';

/** A model behind an endpoint that speaks OpenAI's chat completions (OpenAI, Ollama, vLLM, LM Studio, …). */
export function openAiCompatible({ baseUrl, name, apiKey }: NonNullable<Config['model']>): LanguageModelV4 {
  const settings = { name: 'configured', baseURL: baseUrl, includeUsage: true, ...(apiKey && { apiKey }) };
  return createOpenAICompatible(settings)(name);
}
