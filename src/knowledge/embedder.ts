import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { type EmbeddingSettings, maxDimensions } from '../config/embedding.ts';
import type { DatabaseHandle } from '../database/client.ts';
import { createBreaker } from '../model/breaker.ts';
import { nearestPassages } from '../search/passage-vectors.ts';
import type { Embeddings, NearPassage } from '../search/types.ts';
import { dropOtherSpaces, indexSpace, prepareVectors, type Space } from '../search/vectors.ts';

type Options = {
  settings: EmbeddingSettings;
  handle: DatabaseHandle;
  log: Logger;
  /** The time limit for embedding a question and searching for similar passages, in milliseconds. */
  questionMs?: number;
  /** The delay before retrying to embed passages. */
  backoffMs?: number;
};

/** For one batch of passages, retries included. */
const batchMs = 60_000;
/** Size and lifetime of the cache of questions: people ask the same, and a turn may search twice. */
const cacheLimits = { max: 500, maxSize: 16_000_000 };
const rememberMs = 300_000;
/** In characters; no model accepts a longer question. */
const maxQuestionLength = 4_000;

/** Creates the embeddings of a model: for passages, and for questions with a circuit breaker and a cache. */
export function createEmbeddings(options: Options): Embeddings {
  const { settings, handle, log, questionMs = 1_500, backoffMs = 500 } = options;
  const model = `openai:${settings.model}`;
  const target = { name: model, provider: 'openai' as const, secret: settings.apiKey, breaker: createBreaker() };
  const indexed = new Set<number>();
  let preparing: Promise<boolean> | null = null;

  const ready = (): Promise<boolean> => {
    preparing ??= prepareVectors(handle).then(
      (why) => {
        if (why) log.warn(`EMBEDDING_MODEL is set, but passages are searched by their words only: ${why}`);
        return why === null;
      },
      (error: unknown) => {
        preparing = null;
        throw error;
      },
    );
    return preparing;
  };
  const embed = async (texts: string[], given: { timeoutMs: number; retries: number; signal?: AbortSignal }) => {
    // The SDK is loaded on first use.
    const { embedTexts } = await import('../model/embed.ts');
    return embedTexts(settings, target, texts, { backoffMs, log, ...given });
  };
  const question = remembering(async (text) => {
    const [vector] = await embed([text], { timeoutMs: questionMs, retries: 0 });
    return vector ?? [];
  });

  return {
    model,
    ready,
    embed: (texts, signal) => embed(texts, { timeoutMs: batchMs, retries: 2, signal }),
    async index(dimensions) {
      if (indexed.has(dimensions)) return;
      await indexSpace(handle, { model, dimensions });
      indexed.add(dimensions);
    },
    settle: () => dropOtherSpaces(handle, model),
    async near({ query, ...search }) {
      const find = async (): Promise<NearPassage[] | null> => {
        if (!(await ready())) return null;
        const vector = await question(query.slice(0, maxQuestionLength));
        const space: Space = { model, dimensions: vector.length };
        return nearestPassages(handle.client, space, { ...search, vector, minSimilarity: settings.least });
      };
      const timedOut = Promise.withResolvers<null>();
      const timer = setTimeout(timedOut.resolve, questionMs, null);
      try {
        return await Promise.race([find(), timedOut.promise]);
      } catch (error) {
        log.warn({ err: error }, 'A question could not be embedded; it was searched by its words only');
        return null;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** Caches what `find` returns; failures are not cached. */
function remembering(find: (text: string) => Promise<number[]>): (text: string) => Promise<number[]> {
  const cache = new LRUCache<string, { vector: Promise<number[]>; until: number }>({
    ...cacheLimits,
    // An upper bound: the longest vector, and the question.
    sizeCalculation: (_, text) => 8 * maxDimensions + 2 * text.length,
  });
  return (text) => {
    const cached = cache.get(text);
    if (cached && cached.until > Date.now()) return cached.vector;
    const vector = find(text);
    cache.set(text, { vector, until: Date.now() + rememberMs });
    vector.catch(() => cache.delete(text));
    return vector;
  };
}
