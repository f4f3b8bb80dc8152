import { APICallError } from '@ai-sdk/provider';
import { z } from 'zod';
import type { RerankSettings } from '../config/rerank.ts';
import { type ModelTarget, startAttempts, tryModels } from './attempts/attempts.ts';
import { unusableAnswer } from './attempts/failures.ts';
import { inBatches } from './batches.ts';
import { providerFetch } from './providers/provider-fetch.ts';
import type { ModelLog } from './types.ts';

const score = z.number();
const index = z.int().min(0);
/** Text Embeddings Inference sends a list, Cohere and Jina an object. */
const answers = z.union([
  z.array(z.object({ index, score })),
  z
    .object({ results: z.array(z.object({ index, relevance_score: score })) })
    .transform(({ results }) => results.map(({ index, relevance_score }) => ({ index, score: relevance_score }))),
]);

type RerankOptions = { timeoutMs: number; log?: ModelLog };

/** Returns how well each text answers a question, in the order of the texts. Throws 502 `model_error`, 503 or 504. */
export async function rerankTexts(
  settings: RerankSettings,
  asked: ModelTarget,
  query: string,
  texts: string[],
  { timeoutMs, log }: RerankOptions,
): Promise<number[]> {
  const context = startAttempts({ timeoutMs, stop: undefined, log, operation: 'rerank' });
  return tryModels([asked], context, async (_, { signal }) => {
    const rank = async (batch: string[]) =>
      readScores(await send(settings, bodyOf(settings, query, batch), signal), batch);
    return inBatches(asked, texts, rank);
  });
}

/** The scores of an answer, in the order of its texts. */
async function readScores(response: Response, texts: string[]): Promise<number[]> {
  const read = answers.safeParse(await response.json().catch(() => null));
  const scores = new Map((read.data ?? []).map(({ index, score }) => [index, score]));
  const found = texts.map((_, position) => scores.get(position));
  const isWhole = (list: (number | undefined)[]): list is number[] => list.every((one) => one !== undefined);
  if (isWhole(found)) return found;
  const why = `${scores.size} scores for ${texts.length} texts`;
  throw unusableAnswer('The reranking model gave an answer that cannot be used.', why);
}

/** The request of `POST /rerank`. */
const bodyOf = ({ provider, model }: RerankSettings, query: string, texts: string[]): object =>
  provider === 'tei'
    ? { query, texts, truncate: true }
    : { model, query, documents: texts, top_n: texts.length, ...(provider === 'jina' && { return_documents: false }) };

async function send({ url, apiKey }: RerankSettings, body: object, signal: AbortSignal): Promise<Response> {
  const response = await providerFetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
    body: JSON.stringify(body),
    signal,
  });
  if (response.ok) return response;
  throw new APICallError({
    message: `HTTP ${response.status}`,
    url,
    // What was asked stays out of errors, which may be logged.
    requestBodyValues: {},
    statusCode: response.status,
    responseHeaders: Object.fromEntries(response.headers),
    responseBody: (await response.text()).slice(0, 2_000),
  });
}
