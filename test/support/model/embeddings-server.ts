import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fold } from '../../../src/text/fold.ts';

/** The server's fault: an error, or silence. */
type ServerFault = { status: number; headers?: Record<string, string> } | { silent: true };

const meanings = [
  ['dog', 'pet', 'hound', 'animal'],
  ['price', 'cost', 'fee', 'pay', 'euros'],
  ['open', 'start', 'begin'],
  ['canoe', 'kayak', 'boat'],
];
const stopWords = new Set(
  'a an and are as at be can do for i in is it may my of on or the to we what when with you'.split(' '),
);

/** A vector that is the same for synonyms, and nearly orthogonal for unrelated words. */
function vectorOf(text: string, dimensions: number): number[] {
  const vector = Array.from({ length: dimensions }, () => 0.001);
  for (const word of fold(text).match(/\p{L}+/gu) ?? []) {
    if (stopWords.has(word)) continue;
    const single = word.replace(/s$/, '');
    const meaning = meanings.find((list) => list.includes(word) || list.includes(single))?.[0] ?? single;
    const hash = createHash('sha256').update(meaning).digest();
    const at = hash.readUInt16BE() % dimensions;
    vector[at] = (vector[at] ?? 0) + ((hash[2] ?? 0) % 2 ? 1 : -1);
  }
  return vector;
}

/** A server with OpenAI's embeddings API that knows a few synonyms. */
export async function startEmbeddingsServer(apiKey: string) {
  /** The texts of each successful request. */
  const asked: string[][] = [];
  const faults: ServerFault[] = [];
  const state = { dimensions: 256, refused: 0, meanwhile: async () => {} };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => void answerTo(request, response, Buffer.concat(chunks).toString()));
  });
  const answerTo = async (request: IncomingMessage, response: ServerResponse, text: string): Promise<void> => {
    const answer = (status: number, body: object, headers = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(body));
    };
    const error = (message: string) => ({ error: { message, type: 'error', param: null, code: null } });
    if (request.headers.authorization !== `Bearer ${apiKey}`) return answer(401, error('Incorrect API key provided'));
    if (request.url !== '/v1/embeddings') return answer(404, error('Not found'));
    const fault = faults.shift();
    if (fault) state.refused++;
    if (fault && 'silent' in fault) return;
    if (fault) return answer(fault.status, error('refused by the test'), fault.headers);
    const body = JSON.parse(text) as { input: string[]; dimensions?: number };
    await state.meanwhile();
    asked.push(body.input);
    const data = body.input.map((text, index) => ({
      object: 'embedding',
      index,
      embedding: vectorOf(text, body.dimensions ?? state.dimensions),
    }));
    answer(200, { object: 'list', model: 'm', data, usage: { prompt_tokens: 1, total_tokens: 1 } });
  };
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    state,
    fail: (...next: ServerFault[]) => void faults.push(...next),
    clear: () => void faults.splice(0),
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((closed) => server.close(() => closed()));
    },
  };
}

export type EmbeddingsServer = Awaited<ReturnType<typeof startEmbeddingsServer>>;
