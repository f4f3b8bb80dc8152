import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compareModels } from '../../bench/retrieval/models.ts';
import { startEmbeddingsServer } from '../support/model/embeddings-server.ts';

const folder = 'test/files/retrieval';
let embeddings: Awaited<ReturnType<typeof startEmbeddingsServer>>;
let isDown = false;

/** Implements the protocol of Text Embeddings Inference, and prefers short texts. */
const reranker = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { texts } = JSON.parse(Buffer.concat(chunks).toString()) as { texts: string[] };
    response.writeHead(isDown ? 503 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(texts.map((text, index) => ({ index, score: 1 / text.length }))));
  });
});

beforeAll(async () => {
  embeddings = await startEmbeddingsServer('key');
  await new Promise<void>((resolve) => reranker.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await embeddings.close();
  reranker.close();
});

const env = () => ({
  EMBEDDING_MODEL: `openai:test?url=${embeddings.url}&key=EMBED_KEY`,
  EMBED_KEY: 'key',
  RERANK_MODEL: `tei:test?url=http://127.0.0.1:${(reranker.address() as AddressInfo).port}`,
});

test('the bench compares words, vectors, both and reranked with the models that are configured', async () => {
  const table = (await compareModels([folder], undefined, env())) ?? '';
  const rows = table.split('\n').filter((line) => line.startsWith('| retrieval '));
  expect(rows.map((row) => row.split(' | ')[1])).toEqual(['words', 'vectors', 'words and vectors', 'reranked']);
  const scores = rows.map((row) => Number(row.split(' | ')[2]));
  for (const score of scores) expect(score).toBeGreaterThan(0);
  expect(new Set(scores).size).toBe(4);
  expect(table).not.toContain('EMBED_KEY');
});

test('it compares nothing where no model is configured', async () => {
  expect(await compareModels([folder], undefined, {})).toBeNull();
});

test('it fails where a model does, instead of comparing without it', async () => {
  isDown = true;
  await expect(compareModels([folder], undefined, env())).rejects.toThrow('The reranking model did not answer');
});
