import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { ParleyError } from '../../src/core/errors.ts';
import { createModelService } from '../../src/model/service.ts';
import { request, weather } from '../support/model/model-requests.ts';

type Said = { status?: number; type?: string; body: string; cut?: true; compressed?: true };

const data = (event: unknown) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`;
const chunk = (delta: object, finish: string | null = null, more: object = {}) =>
  data({ id: 'c', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }], ...more });
const usage = { prompt_tokens: 11, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 5 } };
const done = data('[DONE]');
const hello = chunk({ role: 'assistant', content: 'Hello ' }) + chunk({ content: 'there.' });

const replies: Record<string, Said> = {
  'words and usage': { body: hello + chunk({}, 'stop', { usage }) + done },
  'usage in an event of its own': { body: hello + chunk({}, 'stop') + data({ id: 'c', choices: [], usage }) + done },
  'no usage': { body: hello + chunk({}, 'stop') + done },
  'no more than words and an end': { body: hello + done },
  'compressed words': { body: hello + chunk({}, 'stop') + done, compressed: true },
  'words as parts': {
    body: chunk({ content: [{ type: 'text', text: 'Hello' }, { type: 'thinking' }] }, 'stop') + done,
  },
  'thoughts before words': { body: chunk({ reasoning_content: 'Hm.' }) + hello + chunk({}, 'stop') + done },
  'thoughts within words': { body: chunk({ content: '<think>Hm.</think>Hi.' }, 'stop') + done },
  'an end for its length': { body: hello + chunk({}, 'length', { usage }) + done },
  'a filter': { body: hello + chunk({}, 'content_filter') + done },
  'a refusal': { body: chunk({ refusal: 'I cannot help with that.' }, 'stop') + done },
  'an end of another kind': { body: hello + chunk({}, 'eos') + done },
  nothing: { body: chunk({ content: '' }, 'stop', { usage }) + done },
  'a whole answer, though a stream was asked for': {
    type: 'application/json',
    body: JSON.stringify({ choices: [{ message: { content: 'Hello.' }, finish_reason: 'stop' }], usage }),
  },
  'a stream that ends early': { body: hello },
  'an error with a status': { body: hello + data({ error: { message: 'Too many requests', code: 429 } }) },
  'an error in words': { body: data({ error: { message: 'Overloaded' } }) },
  'an error with a kind': { body: data({ error: { message: 'No', type: 'invalid_request_error', code: 'no' } }) },
  'HTTP 500': { status: 500, type: 'application/json', body: '{"error":{"message":"It broke","type":"server_error"}}' },
  'HTTP 400 for a conversation that is too long': {
    status: 400,
    type: 'application/json',
    body: '{"error":{"message":"This model\'s maximum context length is 10","code":"context_length_exceeded"}}',
  },
  'a compressed HTTP 500': {
    status: 500,
    type: 'application/json',
    body: '{"error":{"message":"It broke"}}',
    compressed: true,
  },
  'HTTP 502 of a proxy': { status: 502, type: 'text/html', body: '<html>Bad gateway</html>' },
  'a redirect': { status: 302, body: '' },
};

let origin = '';
let says: Said = { body: '' };
const server = createServer((asked, response) => {
  const { status = 200, type = 'text/event-stream', body, cut, compressed } = says;
  asked.resume().on('end', () => {
    response.writeHead(status, { 'content-type': type, ...(compressed && { 'content-encoding': 'gzip' }) });
    response.write(compressed ? gzipSync(body) : body);
    if (cut) setTimeout(() => response.destroy(), 50);
    else response.end();
  });
});
beforeAll(async () => {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

/** All that a caller, an owner and the log learn of a reply, but for times. */
async function learned({ isPlain = true, isFollowed = true }) {
  const models = readConfig({ MODELS: `own=openai:m?url=${origin}/v1&key=KEY`, KEY: 'k' }).models;
  const service = createModelService({ models, timeoutMs: 60_000, retries: 0 });
  const told: string[] = [];
  const asked = { ...request('Hi'), tools: isPlain ? [] : [weather], isFollowed };
  try {
    const { content, finish, usage, attempts } = await service.stream(asked, (piece) => told.push(piece));
    return { content, finish, usage, told, attempts: attempts.map(({ ms: _, ...attempt }) => attempt) };
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error;
    const { code, message, originalError } = error;
    return { code, message, cause: originalError?.message, told };
  }
}

test.each(Object.entries(replies))(
  'a model that sends %s is understood the same with and without tools, which only the SDK reads',
  async (_, said) => {
    says = said;
    expect(await learned({})).toEqual(await learned({ isPlain: false }));
  },
);

test.each(Object.entries(replies))(
  'of a model that sends %s the same is said to who does not follow',
  async (_, said) => {
    says = said;
    const [followed, alone] = [await learned({}), await learned({ isFollowed: false })];
    expect({ ...alone, told: alone.told.join('') }).toEqual({ ...followed, told: followed.told.join('') });
  },
);

test('words that arrive together are one piece for who does not follow', async () => {
  says = { body: hello + chunk({}, 'stop') + done };
  expect((await learned({})).told).toEqual(['Hello', ' there.']);
  expect((await learned({ isFollowed: false })).told).toEqual(['Hello there.']);
});

test('a connection that breaks off is told as one', async () => {
  says = { body: hello, cut: true };
  const { cause, told } = await learned({});
  expect(cause).toBe('Cannot connect to API: other side closed');
  expect(told.join('')).toBe('Hello there.');
});
