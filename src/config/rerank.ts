import { z } from 'zod';
import { addressOptions, type Env, readOptions } from './models.ts';

/** A model that orders passages by how well they answer a question. `url`: what requests are sent to. */
export type RerankSettings = {
  provider: 'cohere' | 'jina' | 'tei';
  model: string;
  url: string;
  apiKey: string | null;
};

const form = /^(cohere|jina|tei):([^?\s]{1,200})(?:\?(\S*))?$/;
const options = z.strictObject(addressOptions);
const endpoints = { cohere: 'https://api.cohere.com/v2', jina: 'https://api.jina.ai/v1', tei: null };
const keys = { cohere: 'COHERE_API_KEY', jina: 'JINA_API_KEY', tei: null };

/**
 * Reads `RERANK_MODEL`, `provider:model?options`. Returns null if it is not set, or a string that says what is wrong,
 * which repeats no value.
 */
export function readRerank(env: Env): RerankSettings | string | null {
  const given = env.RERANK_MODEL?.trim();
  if (!given) return null;
  const [, name, model, query] = form.exec(given) ?? [];
  if (!name || !model)
    return `RERANK_MODEL: must have the form provider:model, with the provider ${Object.keys(endpoints).join(', ')}`;
  const provider = name as RerankSettings['provider'];
  const read = readOptions(options, query);
  if (typeof read === 'string') return `RERANK_MODEL: ${read}`;
  const base = read.url ?? endpoints[provider];
  if (!base) return 'RERANK_MODEL: needs the option url';
  // A key is only ever sent to its own provider, or where `key` says.
  const variable = read.key ?? (read.url ? null : keys[provider]);
  const apiKey = (variable && env[variable]?.trim()) || null;
  if (variable && !apiKey) return `RERANK_MODEL: needs its key in ${variable}`;
  return { provider, model, url: `${base.replace(/\/+$/, '')}/rerank`, apiKey };
}
