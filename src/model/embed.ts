import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { embedMany } from 'ai';
import { type EmbeddingSettings, mostDimensions } from '../config/embedding.ts';
import { type ModelTarget, tryModels } from './attempts/attempts.ts';
import { unusableAnswer } from './attempts/failures.ts';
import { providerFetch } from './attempts/provider-fetch.ts';
import type { ModelLog } from './types.ts';

export type EmbedOptions = {
  /** For the whole call, retries included. */
  timeoutMs: number;
  /** How often a transient failure is retried, after `backoffMs`, twice that and so on. */
  retries: number;
  backoffMs: number;
  signal?: AbortSignal | undefined;
  log?: ModelLog;
};

/** Returns one vector per text, in order and all of the same length. Throws 502 `model_error`, 503 or 504. */
export async function embedTexts(
  settings: EmbeddingSettings,
  asked: ModelTarget,
  texts: string[],
  { timeoutMs, retries, backoffMs, signal, log }: EmbedOptions,
): Promise<number[][]> {
  const { model, baseUrl, apiKey, dimensions } = settings;
  const baseURL = baseUrl ?? 'https://api.openai.com/v1';
  const provider = createOpenAICompatible({
    name: 'configured',
    baseURL,
    fetch: providerFetch,
    ...(apiKey && { apiKey }),
  });
  const deadline = AbortSignal.timeout(timeoutMs);
  const course = { deadline, endsAt: Date.now() + timeoutMs, stop: signal, retries, backoffMs, attempts: [], log };
  return tryModels([asked], course, async (_, attempt) => {
    const { embeddings } = await embedMany({
      model: provider.embeddingModel(model),
      values: texts,
      ...(dimensions !== null && { dimensions }),
      // `tryModels` decides on retries.
      maxRetries: 0,
      abortSignal: attempt.signal,
    });
    const flaw = flawOf(embeddings, texts.length, dimensions);
    if (flaw) throw unusableAnswer('The embedding model returned an unusable response.', flaw);
    return embeddings;
  });
}

/** Why vectors cannot be used, or null: invalid ones would match nothing, or everything. */
function flawOf(vectors: number[][], count: number, dimensions: number | null): string | null {
  const wanted = dimensions ?? vectors[0]?.length ?? 0;
  if (vectors.length !== count) return `${vectors.length} vectors for ${count} texts`;
  if (wanted < 1 || wanted > mostDimensions) return `${wanted} dimensions, of 1 to ${mostDimensions}`;
  if (vectors.some((vector) => vector.length !== wanted)) return `vectors that have not ${wanted} dimensions`;
  const isUsable = (vector: number[]) => vector.every(Number.isFinite) && vector.some((value) => value !== 0);
  return vectors.every(isUsable) ? null : 'vectors of nothing';
}
