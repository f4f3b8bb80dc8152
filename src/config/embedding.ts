import { z } from 'zod';
import { type Env, endpointOptions, type ModelSettings, readEndpoint, readOptions } from './models.ts';

/** The model that turns text into vectors. */
export type EmbeddingSettings = Pick<ModelSettings, 'baseUrl' | 'apiKey' | 'apiVersion' | 'headers'> & {
  /** The provider's name for it. */
  model: string;
  /** The number of dimensions to request; null: the model's default. */
  dimensions: number | null;
  /** The minimum cosine similarity between a question and a passage that counts as relevant to it. */
  least: number;
};

/** The most dimensions that a pgvector index supports at half precision. */
export const maxDimensions = 4_000;

const form = /^openai:([^?\s]{1,200})(?:\?(\S*))?$/;
const options = z.strictObject({
  ...endpointOptions,
  dimensions: z.coerce.number().int().min(1).max(maxDimensions).optional(),
  least: z.coerce.number().min(-1).max(1).optional(),
});

/**
 * For most models, unrelated texts score below this and passages that answer a question above; some need a higher
 * value.
 */
const defaultMinSimilarity = 0.3;

/**
 * Reads `EMBEDDING_MODEL`, `openai:model?options`. Returns null if it is not set, or a string that says what is wrong,
 * which repeats no value.
 */
export function readEmbedding(env: Env): EmbeddingSettings | string | null {
  const given = env.EMBEDDING_MODEL?.trim();
  if (!given) return null;
  const [, model, query] = form.exec(given) ?? [];
  if (!model) return 'EMBEDDING_MODEL: must have the form openai:model';
  const read = readOptions(options, query);
  if (typeof read === 'string') return `EMBEDDING_MODEL: ${read}`;
  const endpoint = readEndpoint(env, 'openai', read);
  if (typeof endpoint === 'string') return `EMBEDDING_MODEL: ${endpoint}`;
  const { dimensions, least } = read;
  return {
    model,
    ...endpoint,
    dimensions: dimensions ?? null,
    least: least ?? defaultMinSimilarity,
  };
}
