import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from '../../src/config/config.ts';
import type { RerankSettings } from '../../src/config/rerank.ts';
import { createLog } from '../../src/http/log/request-log.ts';
import { createReranker } from '../../src/knowledge/reranker.ts';
import { type Gateway, openGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { create } from '../support/knowledge/knowledge.ts';

type Body = { query: string; model?: string; documents?: string[]; texts?: string[]; top_n?: number };
const asked: { path: string; key: string | undefined; body: Body }[] = [];
/** The server's fault; null if it answers. */
let trouble: number | 'silent' | 'few' | 'words' | null = null;

/** A server with the rerank protocols of Cohere, Jina and TEI; it ranks the shortest text first. */
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Body;
    asked.push({ path: request.url ?? '', key: request.headers.authorization, body });
    if (trouble === 'silent') return;
    response.writeHead(typeof trouble === 'number' ? trouble : 200, { 'content-type': 'application/json' });
    if (trouble === 'words') return void response.end('not JSON');
    if (typeof trouble === 'number') return void response.end(JSON.stringify({ message: 'no' }));
    const texts = body.texts ?? body.documents ?? [];
    const scores = texts
      .map((text, index) => ({ index, score: 1 / (1 + text.length) }))
      .sort((a, b) => b.score - a.score);
    const sent = trouble === 'few' ? scores.slice(1) : scores;
    const results = sent.map(({ index, score }) => ({ index, relevance_score: score }));
    response.end(JSON.stringify(body.texts ? sent : { id: 'r', results, meta: { api_version: { version: '2' } } }));
  });
});
let gateway: Gateway;
let home: TestWorkspace;
let baseId: string;

const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const env = (provider = 'cohere', path = '/v2') => ({
  RERANK_MODEL: `${provider}:rank-1?url=${url()}${path}&key=RANK_KEY`,
  RANK_KEY: 'sk-rank-secret',
});
const rerankOf = (given: Record<string, string>) => readConfig(given).rerank as RerankSettings;

beforeAll(async () => {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  gateway = await openGateway(env());
  home = await makeWorkspace(gateway);
  await gateway.work();
  const items = [
    ['Ferry?', 'The ferry ferry ferry leaves the harbour of the old town every morning at nine.'],
    ['Boat?', 'The ferry is green.'],
    ['Pool?', 'The pool is heated.'],
  ].map(([question, answer]) => ({ question, answer }));
  const input = { description: 'Island', sources: [{ type: 'faq', file: { key: 'pairs', data: { items } } }] };
  baseId = (await gateway.data(home.editor, create, { input })).createBase.base.id;
  await gateway.services.queue.idle();
});
afterAll(async () => {
  await gateway.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  asked.length = 0;
  trouble = null;
});

const document = `query ($query: String!, $first: Int) {
  searchPassages(query: $query, first: $first) { nodes { score rerankScore passage { text } } }
}`;
type Node = { score: number; rerankScore: number | null; passage: { text: string } };
const search = async (query: string, first = 10): Promise<Node[]> =>
  (await gateway.data(home.viewer, document, { query, first })).searchPassages.nodes;
const green = 'The ferry is green.';

test('the reranking model orders what was found, with its scores, and what it is not asked for is found as before', async () => {
  const nodes = await search('ferry');
  expect(nodes.map(({ passage }) => passage.text)).toEqual([green, expect.stringContaining('harbour')]);
  expect(nodes[0]?.rerankScore).toBeGreaterThan(nodes[1]?.rerankScore ?? 1);
  expect(asked).toEqual([
    {
      path: '/v2/rerank',
      key: 'Bearer sk-rank-secret',
      body: {
        model: 'rank-1',
        query: 'ferry',
        documents: [expect.stringMatching(/^Ferry\?\n/), expect.stringMatching(/^Boat\?\nThe ferry is green\.$/)],
        top_n: 2,
      },
    },
  ]);
  asked.length = 0;
  expect(await search('pool')).toMatchObject([{ rerankScore: null, passage: { text: 'The pool is heated.' } }]);
  expect(await search('ferry', 0)).toEqual([]);
  expect(asked).toEqual([]);
});

test('the first of many is the best of all', async () => {
  expect(await search('ferry', 1)).toMatchObject([{ passage: { text: green } }]);
});

test('an agent answers from what it puts first, and the trace of the reply shows it', async () => {
  const agentId = await agentWith(baseId);
  const send = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { messages { id } } }';
  const input = { agentId, message: { content: 'Which ferry?' } };
  const { id } = (await gateway.data(home.app, send, { input })).sendMessage.messages[0];
  const traced = `query ($id: ID!) { message(id: $id) { trace {
    passages { passage { text } } retrieval { found { nodes { rerankScore passage { text } } } }
  } } }`;
  const { trace } = (await gateway.data(home.editor, traced, { id })).message;
  expect(trace.passages[0].passage.text).toBe(green);
  expect(trace.retrieval.found.nodes[0]).toMatchObject({ rerankScore: expect.any(Number), passage: { text: green } });
});

async function agentWith(base: string): Promise<string> {
  const { id } = await makeAgent(gateway, home.editor, {});
  const attach = 'mutation ($input: AttachBaseInput!) { attachBase(input: $input) { agent { id } } }';
  await gateway.data(home.editor, attach, { input: { agentId: id, baseId: base } });
  return id;
}

describe('the order stays, and the log says why, where the model', () => {
  test.each([
    ['refuses', 401, 'HTTP 401'],
    ['fails', 503, 'HTTP 503'],
    ['is silent', 'silent', 'timeout'],
    ['leaves texts out', 'few', 'an answer that cannot be used'],
    ['sends no JSON', 'words', 'an answer that cannot be used'],
  ] as const)('%s', async (_, how, reason) => {
    const lines: string[] = [];
    const log = createLog('warn', { write: (line: string) => void lines.push(line) });
    trouble = how;
    const reranker = createReranker({ settings: rerankOf(env()), log, questionMs: how === 'silent' ? 300 : 20_000 });
    expect(await reranker.rerank('a private question', ['one', 'two'])).toBeNull();
    expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({ model: 'cohere:rank-1', reason });
    expect(lines.join()).not.toMatch(/private|sk-rank/);
  });

  test('fails, in a search', async () => {
    trouble = 500;
    const nodes = await search('ferry');
    expect(nodes[0]).toMatchObject({ rerankScore: null, passage: { text: expect.stringContaining('harbour') } });
  });
});

test.each([
  ['jina', '/v1', { model: 'rank-1', documents: ['long text', 'text'], top_n: 2, return_documents: false }],
  ['tei', '', { texts: ['long text', 'text'], truncate: true }],
])('%s is asked in its own protocol', async (provider, path, body) => {
  const reranker = createReranker({ settings: rerankOf(env(provider, path)), log: gateway.services.log });
  expect(await reranker.rerank('q', ['long text', 'text'])).toEqual([1 / 10, 1 / 5]);
  expect(asked).toMatchObject([{ path: `${path}/rerank`, body: { query: 'q', ...body } }]);
});

test('RERANK_MODEL is read with its key, and a wrong one is named without its value', () => {
  expect(readConfig({}).rerank).toBeNull();
  expect(readConfig({ RERANK_MODEL: 'cohere:rerank-v3.5', COHERE_API_KEY: 'k' }).rerank).toEqual({
    provider: 'cohere',
    model: 'rerank-v3.5',
    url: 'https://api.cohere.com/v2/rerank',
    apiKey: 'k',
  });
  expect(rerankOf({ RERANK_MODEL: 'jina:m', JINA_API_KEY: 'j' }).url).toBe('https://api.jina.ai/v1/rerank');
  for (const [given, message] of [
    ['secret', /must have the form provider:model/],
    ['cohere:secret', /needs its key in COHERE_API_KEY/],
    ['tei:secret', /needs the option url/],
    ['cohere:x?url=secret', /has options .* wrong: url/],
  ] as const) {
    expect(() => readConfig({ RERANK_MODEL: given })).toThrow(ConfigError);
    expect(() => readConfig({ RERANK_MODEL: given })).toThrow(message);
    expect(() => readConfig({ RERANK_MODEL: given })).not.toThrow(/secret/);
  }
});
