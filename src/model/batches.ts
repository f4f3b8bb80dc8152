import { APICallError } from '@ai-sdk/provider';
import type { ModelTarget } from './attempts/attempts.ts';

/** The most texts that a model has taken at once, where it refused more. */
const limits = new WeakMap<ModelTarget, number>();
/** How many batches are sent at the same time. */
const concurrent = 4;

/**
 * Calls a model with texts in batches, and returns its results in their order. A batch that is refused as too large is
 * halved; once a size works for all texts, it is remembered for the model.
 */
export async function inBatches<T>(
  target: ModelTarget,
  texts: string[],
  call: (batch: string[]) => Promise<T[]>,
): Promise<T[]> {
  const known = limits.get(target) ?? Number.POSITIVE_INFINITY;
  for (let size = Math.min(texts.length, known); ; size = Math.ceil(size / 2)) {
    try {
      const results = await inGroups(batchesOf(texts, size), call);
      if (size < Math.min(texts.length, known)) limits.set(target, size);
      return results;
    } catch (error) {
      if (size <= 1 || !isTooLarge(error)) throw error;
    }
  }
}

async function inGroups<T>(batches: string[][], call: (batch: string[]) => Promise<T[]>): Promise<T[]> {
  const results: T[] = [];
  for (let at = 0; at < batches.length; at += concurrent)
    results.push(...(await Promise.all(batches.slice(at, at + concurrent).map(call))).flat());
  return results;
}

const batchesOf = (texts: string[], size: number): string[][] =>
  Array.from({ length: Math.ceil(texts.length / size) }, (_, index) => texts.slice(index * size, (index + 1) * size));

/** Text Embeddings Inference says 422 or 413; others say 400, and name the batch. */
function isTooLarge(error: unknown): boolean {
  if (!APICallError.isInstance(error)) return false;
  if (error.statusCode === 413 || error.statusCode === 422) return true;
  const said = `${error.message} ${error.responseBody ?? ''}`;
  return (
    error.statusCode === 400 &&
    /batch|too (many|long|large)|at most|larger than|max(imum)?[ _](number|length|size)/i.test(said)
  );
}
