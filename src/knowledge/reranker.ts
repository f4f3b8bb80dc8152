import type { Logger } from 'pino';
import type { RerankSettings } from '../config/rerank.ts';
import { createBreaker } from '../model/breaker.ts';
import type { Reranker } from '../search/types.ts';

type Options = {
  settings: RerankSettings;
  log: Logger;
  /** The time limit for one question, in milliseconds. */
  questionMs?: number;
};

/** In characters: what models read at most, and enough to tell what a passage is about. */
const maxQuestionLength = 4_000;
const maxTextLength = 4_000;

/** Creates the reranker of a model, with a circuit breaker. */
export function createReranker({ settings, log, questionMs = 1_500 }: Options): Reranker {
  const { provider, model, apiKey } = settings;
  // The provider of the log; models of these protocols are called as OpenAI's are.
  const asked = { name: `${provider}:${model}`, provider: 'openai' as const, secret: apiKey, breaker: createBreaker() };
  return {
    async rerank(query, texts) {
      if (texts.length < 2) return null;
      try {
        const { rerankTexts } = await import('../model/rerank.ts');
        const shortened = texts.map((text) => text.slice(0, maxTextLength));
        return await rerankTexts(settings, asked, query.slice(0, maxQuestionLength), shortened, {
          timeoutMs: questionMs,
          log,
        });
      } catch {
        // The reason is in the log.
        return null;
      }
    },
  };
}
