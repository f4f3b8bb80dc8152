import { createOpenAICompatible, type OpenAICompatibleChatLanguageModel } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { ModelSettings } from '../../config/models.ts';
import { type Following, streamPlainReply } from './openai-stream.ts';
import { openAiWire } from './openai-wire.ts';
import { providerFetch } from './provider-fetch.ts';
import { providerRequest } from './provider-request.ts';
import { omitRefusedParameters, type Refused } from './refused-parameters.ts';
import type { ReplyPart } from './reply-part.ts';
import { tolerantFetch } from './tolerant-fetch.ts';

/** A model of the SDK that may read a reply without it, where no tools are offered. */
export type StreamingModel = LanguageModelV4 & {
  streamPlain?(options: LanguageModelV4CallOptions, following: Following): AsyncIterable<ReplyPart>;
};

/** A model behind an endpoint that speaks OpenAI's chat completions (OpenAI, Ollama, vLLM, LM Studio, …). */
export function openAiModel(settings: ModelSettings): StreamingModel {
  const refused: Refused = new Map();
  const endpoint = openAiEndpoint(settings);
  const model = createOpenAICompatible({
    ...endpoint,
    includeUsage: true,
    supportsStructuredOutputs: true,
    fetch: tolerantFetch(openAiWire, omitRefusedParameters(refused, providerFetch)),
  }).chatModel(settings.model) as OpenAICompatibleChatLanguageModel;
  const url = new URL(`${endpoint.baseURL.replace(/\/$/, '')}/chat/completions`);
  for (const [name, value] of Object.entries(endpoint.queryParams ?? {})) url.searchParams.set(name, value);
  const headers = lowerCased({
    'content-type': 'application/json',
    ...(endpoint.apiKey && { authorization: `Bearer ${endpoint.apiKey}` }),
    ...endpoint.headers,
  });
  const send = omitRefusedParameters(refused, providerRequest);
  const streamed = { url: url.href, headers, model, send, wire: openAiWire };
  return Object.assign(model, {
    streamPlain: (options: LanguageModelV4CallOptions, following: Following) =>
      streamPlainReply(streamed, options, following),
  });
}

const lowerCased = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

type Endpoint = Pick<ModelSettings, 'baseUrl' | 'apiKey' | 'apiVersion' | 'headers'>;

/**
 * Where and how to call such an endpoint, for the SDK. Azure's deployments have a version, and a header for the key.
 */
export const openAiEndpoint = ({ baseUrl, apiKey, apiVersion, headers }: Endpoint) => ({
  name: 'configured',
  baseURL: baseUrl ?? 'https://api.openai.com/v1',
  headers: { ...headers, ...(apiVersion && apiKey && { 'api-key': apiKey }) },
  ...(apiVersion && { queryParams: { 'api-version': apiVersion } }),
  ...(apiKey && !apiVersion && { apiKey }),
});
