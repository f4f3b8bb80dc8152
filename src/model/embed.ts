import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { type EmbeddingSettings, maxDimensions } from '../config/embedding.ts';
import { type ModelTarget, startAttempts, tryModels } from './attempts/attempts.ts';
import { unusableAnswer } from './attempts/failures.ts';
import { inBatches } from './batches.ts';
import { openAiEndpoint } from './providers/openai.ts';
import { providerFetch } from './providers/provider-fetch.ts';
import { omitRefusedParameters, type Refused } from './providers/refused-parameters.ts';
import type { ModelLog } from './types.ts';

type EmbedOptions = {
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
  target: ModelTarget,
  texts: string[],
  { timeoutMs, retries, backoffMs, signal, log }: EmbedOptions,
): Promise<number[][]> {
  const { model, dimensions } = settings;
  const provider = createOpenAICompatible({
    ...openAiEndpoint(settings),
    fetch: omitRefusedParameters(refusedBy(target), providerFetch),
  });
  const context = startAttempts({ timeoutMs, stop: signal, retries, backoffMs, log, operation: 'embeddings' });
  return tryModels([target], context, async (_, attempt) => {
    const embeddings = await inBatches(target, texts, async (values) => {
      const embedding = provider.embeddingModel(model);
      const wanted = { abortSignal: attempt.signal, ...(dimensions !== null && { dimensions }) };
      return (await embedding.doEmbed({ values, ...wanted })).embeddings;
    });
    const issue = issueOf(embeddings, texts.length, dimensions);
    if (issue) throw unusableAnswer('The embedding model returned an unusable response.', issue);
    return embeddings;
  });
}

const refused = new WeakMap<ModelTarget, Refused>();

function refusedBy(target: ModelTarget): Refused {
  const known = refused.get(target) ?? new Map();
  refused.set(target, known);
  return known;
}

/** Why vectors cannot be used, or null: invalid ones would match nothing, or everything. */
function issueOf(vectors: number[][], count: number, dimensions: number | null): string | null {
  const expected = dimensions ?? vectors[0]?.length ?? 0;
  if (vectors.length !== count) return `${vectors.length} vectors for ${count} texts`;
  if (expected < 1 || expected > maxDimensions) return `${expected} dimensions, of 1 to ${maxDimensions}`;
  if (vectors.some((vector) => vector.length !== expected)) return `vectors that have not ${expected} dimensions`;
  const isUsable = (vector: number[]) => vector.every(Number.isFinite) && vector.some((value) => value !== 0);
  return vectors.every(isUsable) ? null : 'vectors of nothing';
}
