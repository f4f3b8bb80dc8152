import { z } from 'zod';
import { type Env, placeOptions, readKey, readOptions } from './models.ts';

/** The model that says what texts mean, as vectors. */
export type EmbeddingSettings = {
  /** What the provider calls it. */
  model: string;
  /** Null: OpenAI's own endpoint. */
  baseUrl: string | null;
  apiKey: string | null;
  /** How many numbers its vectors shall have; null: as many as the model gives. */
  dimensions: number | null;
  /** A passage that is less alike to the question, by cosine, is not about it. */
  least: number;
};

/** The most that an index of pgvector takes of half precision. */
export const mostDimensions = 4_000;

const form = /^openai:([^?\s]{1,200})(?:\?(\S*))?$/;
const options = z.strictObject({
  ...placeOptions,
  dimensions: z.coerce.number().int().min(1).max(mostDimensions).optional(),
  least: z.coerce.number().min(-1).max(1).optional(),
});

/** Most models have unrelated texts below it and what answers a question above; some need a higher one. */
const usualLeast = 0.3;

/** Reads `EMBEDDING_MODEL`, `openai:model?options`; a text says what is wrong with it, and repeats no value. */
export function readEmbedding(env: Env): EmbeddingSettings | string | null {
  const given = env.EMBEDDING_MODEL?.trim();
  if (!given) return null;
  const [, model, query] = form.exec(given) ?? [];
  if (!model) return 'EMBEDDING_MODEL: must have the form openai:model';
  const read = readOptions(options, query);
  if (typeof read === 'string') return `EMBEDDING_MODEL: ${read}`;
  const held = readKey(env, 'openai', read);
  if (typeof held === 'string') return `EMBEDDING_MODEL: ${held}`;
  const { url, dimensions, least } = read;
  return { model, baseUrl: url ?? null, ...held, dimensions: dimensions ?? null, least: least ?? usualLeast };
}
