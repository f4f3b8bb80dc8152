import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import type { ModelTarget } from '../../src/model/attempts/attempts.ts';
import { createBreaker } from '../../src/model/breaker.ts';
import { embedTexts } from '../../src/model/embed.ts';
import { rerankTexts } from '../../src/model/rerank.ts';

type Body = { input?: string[]; texts?: string[]; documents?: string[]; dimensions?: number };
let origin = '';
let sizes: number[] = [];
let refuses: (size: number, body: Body) => { status: number; body: object } | null = () => null;
const server = createServer((incoming, response) => {
  let text = '';
  incoming.on('data', (chunk) => (text += chunk));
  incoming.on('end', () => {
    const body = JSON.parse(text) as Body;
    const texts = body.input ?? body.texts ?? body.documents ?? [];
    sizes.push(texts.length);
    const refused = refuses(texts.length, body);
    response.writeHead(refused?.status ?? 200, { 'content-type': 'application/json' });
    const numbers = texts.map((each) => Number(each.slice(1)));
    const data = numbers.map((number, index) => ({ object: 'embedding', index, embedding: [number + 1, 1] }));
    const scores = numbers.map((number, index) => ({ index, score: number / 100 }));
    const ranked = { results: scores.map(({ index, score }) => ({ index, relevance_score: score })) };
    response.end(
      JSON.stringify(refused?.body ?? (body.input ? { object: 'list', data } : body.texts ? scores : ranked)),
    );
  });
});
beforeAll(async () => {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());
beforeEach(() => {
  sizes = [];
});

const textsOf = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`);
const target = (): ModelTarget => ({ name: 'm', provider: 'openai', secret: null, breaker: createBreaker() });
const settings = (env: Record<string, string>) => readConfig(env);
const embedding = () => settings({ EMBEDDING_MODEL: `openai:m?url=${origin}/v1` }).embedding ?? expect.unreachable();
const reranking = (provider: string) =>
  settings({ RERANK_MODEL: `${provider}:m?url=${origin}` }).rerank ?? expect.unreachable();
const embed = (model: ModelTarget, count = 64) =>
  embedTexts(embedding(), model, textsOf(count), { timeoutMs: 60_000, retries: 0, backoffMs: 1 });
const rerank = (provider: string, model: ModelTarget, count = 50) =>
  rerankTexts(reranking(provider), model, 'q', textsOf(count), { timeoutMs: 60_000 });

/** Who takes how many at once, and how they refuse more. */
const limited: [who: string, most: number, status: number, body: object][] = [
  [
    'Text Embeddings Inference',
    32,
    422,
    { error: 'batch size 64 > maximum allowed batch size 32', error_type: 'Validation' },
  ],
  ['its limit of a body', 20, 413, { error: 'Payload too large' }],
  ['DashScope', 10, 400, { error: { message: 'batch size is invalid, it should not be larger than 10.' } }],
  ['Azure', 16, 400, { error: { message: "'$.input' is invalid. Array too long: at most 16." } }],
  ['one at a time', 1, 422, { error: 'batch' }],
];
test.each(limited)(
  '%s embeds and reranks %i at once: batches are halved, and the size remembered',
  async (_, most, status, body) => {
    refuses = (size) => (size > most ? { status, body } : null);
    const model = target();
    const vectors = await embed(model);
    expect(vectors).toEqual(textsOf(64).map((_, index) => [index + 1, 1]));
    sizes = [];
    expect(await embed(model)).toEqual(vectors);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(most);
    for (const provider of ['tei', 'cohere', 'jina']) {
      const ranker = target();
      const scores = textsOf(50).map((_, index) => index / 100);
      expect(await rerank(provider, ranker)).toEqual(scores);
      sizes = [];
      expect(await rerank(provider, ranker)).toEqual(scores);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(most);
    }
  },
);

test('a text that is refused alone fails, and says nothing of the size', async () => {
  refuses = () => ({ status: 413, body: { error: 'inputs must have less than 512 tokens' } });
  const model = target();
  await expect(embed(model, 8)).rejects.toMatchObject({ code: expect.any(String) });
  refuses = () => null;
  sizes = [];
  await embed(model, 8);
  expect(sizes).toEqual([8]);
});

test.each([400, 500])('another failure (%i) is not sent again in parts', async (status) => {
  refuses = () => ({ status, body: { error: { message: 'Out of order' } } });
  await expect(embed(target())).rejects.toMatchObject({ code: 'model_error' });
  expect(sizes).toEqual([64]);
});

test('a number of dimensions that a model cannot change is left out', async () => {
  refuses = (_, { dimensions }) =>
    dimensions === undefined
      ? null
      : { status: 400, body: { object: 'error', message: 'Model "m" does not support matryoshka representation' } };
  const own = settings({ EMBEDDING_MODEL: `openai:m?url=${origin}/v1&dimensions=2` }).embedding ?? expect.unreachable();
  const model = target();
  for (const requests of [2, 3]) {
    await embedTexts(own, model, textsOf(4), { timeoutMs: 60_000, retries: 0, backoffMs: 1 });
    expect(sizes).toHaveLength(requests);
  }
});
