import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { ParleyError } from '../../src/core/errors.ts';
import { attemptsBefore } from '../../src/model/attempts/attempts-before.ts';
import { createModelService } from '../../src/model/service.ts';
import { anthropicProtocol } from '../support/model/anthropic.ts';
import { googleProtocol } from '../support/model/google.ts';
import { request } from '../support/model/model-requests.ts';
import type { Protocol } from '../support/model/model-server.ts';
import { openAiProtocol } from '../support/model/openai.ts';
import { bodies, error, refused, reported } from '../support/model/provider-errors.ts';

const protocols: Record<string, Protocol> = {
  openai: openAiProtocol('k', () => null),
  anthropic: anthropicProtocol('k'),
  google: googleProtocol('k'),
};
const protocolOf = (name: string): Protocol => protocols[name] ?? expect.unreachable(name);

let origin = '';
type Said = { status?: number; type?: string; body: string };
let says: Said = { body: '' };
let asked = 0;
const server = createServer((incoming, response) => {
  asked++;
  const { status = 200, type = 'text/event-stream', body } = says;
  incoming.resume().on('end', () => response.writeHead(status, { 'content-type': type }).end(body));
});
beforeAll(async () => {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const service = (provider: string, retries = 0) => {
  const path = provider === 'google' ? '/v1beta' : '/v1';
  const MODELS = `own=${provider}:m?url=${origin}${path}&key=KEY`;
  const { models } = readConfig({ MODELS, KEY: 'k' });
  return createModelService({ models, timeoutMs: 60_000, retries, backoffMs: 1 });
};
const data = (event: unknown) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`;
const stream = (events: unknown[]): Said => ({ body: events.map(data).join('') });
const json = (body: unknown, status = 200): Said => ({ status, type: 'application/json', body: JSON.stringify(body) });

/** The error of a reply, and what the provider is reported to have said. */
async function failureOf(provider: string, said: Said, isStreamed = true, question = 'Hi') {
  says = said;
  asked = 0;
  const own = service(provider, 2);
  const reply = isStreamed ? own.stream(request(question), () => {}) : own.reply(request(question));
  const error = await reply.then(
    ({ content }) => expect.unreachable(`answered: ${content}`),
    (failure: unknown) => failure,
  );
  if (!(error instanceof ParleyError)) throw error;
  const said_ = attemptsBefore(error).at(-1)?.failure?.reason ?? null;
  return { code: error.code, message: error.message, says: said_, asked };
}

const openAiEnd = (finish_reason: string, delta: object = {}) =>
  stream([{ choices: [{ index: 0, delta, finish_reason }] }, '[DONE]']);
const anthropicEnd = (stop_reason: string) =>
  stream([
    ...protocolOf('anthropic').begin,
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ]);
const googleEnd = (finishReason: string) => stream([{ candidates: [{ content: { parts: [] }, finishReason }] }]);

/** Replies without a word, by the reason that providers name. */
const silent: [what: string, provider: string, said: Said, code: string, says: RegExp][] = [
  ['content_filter', 'openai', openAiEnd('content_filter'), 'content_filtered', /content_filter/],
  ['refusal', 'anthropic', anthropicEnd('refusal'), 'model_refused', /refusal/],
  [
    'model_context_window_exceeded',
    'anthropic',
    anthropicEnd('model_context_window_exceeded'),
    'context_overflow',
    /model_context_window_exceeded/,
  ],
  ...['SAFETY', 'RECITATION', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII'].map(
    (reason): [string, string, Said, string, RegExp] => [
      reason,
      'google',
      googleEnd(reason),
      'content_filtered',
      new RegExp(reason),
    ],
  ),
  [
    'a blocked prompt',
    'google',
    stream([{ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }]),
    'content_filtered',
    /PROHIBITED_CONTENT/,
  ],
];
test.each(silent)('a reply that ends by %s of %s has its own code', async (_, provider, said, code, reason) => {
  const failure = await failureOf(provider, said);
  expect(failure).toMatchObject({ code, says: expect.stringMatching(reason), asked: 1 });
  expect(failure.message).not.toMatch(/try again/i);
});

test('a refusal of OpenAI is shown in its own words, and the reply says that it is one', async () => {
  says = openAiEnd('stop', { refusal: 'I cannot help with that.' });
  const reply = await service('openai').stream(request('Hi'), () => {});
  expect(reply).toMatchObject({ content: 'I cannot help with that.', finish: 'content-filter' });
});

test.each(refused)('an error of %s has its own code', async (_, provider, status, body, code) => {
  const failure = await failureOf(provider, json(body, status));
  expect(failure).toMatchObject({ code, asked: 1 });
  expect(failure.message).not.toMatch(/try again|API key/i);
  if (provider !== 'openai') return;
  // Sent by servers that have answered 200 already.
  expect(await failureOf(provider, stream([body]))).toMatchObject({ code });
});

test.each([
  [401, error('Incorrect API key provided: content filter'), /API key/],
  [403, error('You are not allowed to sample from this model'), /API key/],
  [404, error('The model `context_length` does not exist'), /not found/],
  [429, error('Rate limit reached for requests'), /overloaded/],
  [500, error('Internal error'), /try again/],
])('an error with %i is none of these', async (status, body, message) => {
  const failure = await failureOf('openai', json(body, status));
  expect([failure.code, failure.message]).toEqual(['model_error', expect.stringMatching(message)]);
});

test('a reply that used its tokens before its first word says what to raise', async () => {
  const failure = await failureOf('openai', openAiEnd('length'));
  expect([failure.code, failure.message]).toEqual(['model_error', expect.stringContaining('maxOutputTokens')]);
});

test.each(reported)('the trace shows the words of an error within a stream: %s', async (_, provider, event, words) => {
  const { begin } = protocolOf(provider);
  expect((await failureOf(provider, stream([...begin, event]))).says).toContain(words);
});

test('an error within a stream shows nothing of the conversation', async () => {
  const event = error('Out of memory while reading Ludmila of Zanzibar');
  const { says: shown } = await failureOf('openai', stream([event]), true, 'I am Ludmila of Zanzibar');
  expect(shown).toContain('Out of memory while reading');
  expect(shown).not.toMatch(/Ludmila|Zanzibar/);
});

const names = Object.keys(protocols);
test.each(names)(
  'a stream of %s that ends before its end is no reply, and is tried again before a word',
  async (name) => {
    const { begin, word, end } = protocolOf(name);
    const cut = await failureOf(name, stream([...begin, ...word('Your refund')]));
    expect(cut).toMatchObject({ code: 'model_error', says: expect.stringContaining('ended before'), asked: 1 });
    const nothing = await failureOf(name, stream(begin));
    expect(nothing).toMatchObject({ code: 'model_error', asked: name === 'anthropic' || begin.length === 0 ? 3 : 1 });
    says = stream([...begin, ...word('Your refund'), ...end(false)]);
    expect((await service(name).stream(request('Hi'), () => {})).content).toBe('Your refund');
  },
);

test('a stream of Anthropic without message_stop is no reply', async () => {
  const { begin, word, end } = protocolOf('anthropic');
  const events = [...begin, ...word('Your refund'), ...end(false).slice(0, -1)];
  expect((await failureOf('anthropic', stream(events))).code).toBe('model_error');
});

test('a stream that ends with [DONE] is whole without a reason', async () => {
  says = stream([...protocolOf('openai').word('Yes.'), '[DONE]']);
  expect(await service('openai').stream(request('Hi'), () => {})).toMatchObject({ content: 'Yes.', finish: 'stop' });
});

test.each(names.flatMap((name) => bodies.map((each): [string, ...typeof each] => [name, ...each])))(
  'the trace shows what %s says by %s',
  async (name, _, status, type, body, words) => {
    expect((await failureOf(name, { status, type, body })).says).toContain(words);
  },
);

test.each(names)('a model of %s shows no such tokens', async (name) => {
  const { begin, word, end, whole } = protocolOf(name);
  says = stream([...begin, ...['Hello.<|im', '_end|>', '\n<|im_start|>user\nWhy?'].flatMap(word), ...end(false)]);
  const told: string[] = [];
  const reply = await service(name).stream(request('Hi'), (piece) => told.push(piece));
  expect([reply.content, told.join('')]).toEqual(['Hello.', 'Hello.']);
  says = json(whole('Hello.<|im_end|>', null));
  expect((await service(name).reply(request('Hi'))).content).toBe('Hello.');
});
