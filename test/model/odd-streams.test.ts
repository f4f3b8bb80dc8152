import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { createModelService } from '../../src/model/service.ts';
import { anthropicProtocol } from '../support/model/anthropic.ts';
import { googleProtocol } from '../support/model/google.ts';
import { request, weather } from '../support/model/model-requests.ts';
import type { Protocol } from '../support/model/model-server.ts';
import { openAiProtocol } from '../support/model/openai.ts';

const protocols: Record<string, Protocol> = {
  openai: openAiProtocol('k', () => ({ prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 })),
  anthropic: anthropicProtocol('k'),
  google: googleProtocol('k'),
};
const names = Object.keys(protocols);
const protocolOf = (name: string): Protocol => protocols[name] ?? expect.unreachable(name);

let origin = '';
/** What the server says next. */
let says = { type: 'text/event-stream', body: '' };
const server = createServer((asked, response) => {
  asked.resume().on('end', () => response.writeHead(200, { 'content-type': says.type }).end(says.body));
});
beforeAll(async () => {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());
beforeEach(() => {
  says = { type: 'text/event-stream', body: '' };
});

const service = (provider: string) => {
  const path = provider === 'google' ? '/v1beta' : '/v1';
  const MODELS = `own=${provider}:m?url=${origin}${path}&key=KEY`;
  return createModelService({ models: readConfig({ MODELS, KEY: 'k' }).models, timeoutMs: 60_000, retries: 0 });
};
const stream = async (provider: string, asked = request('Hi')) => {
  const told: string[] = [];
  const reply = await service(provider).stream(asked, (piece) => told.push(piece));
  return { reply, told };
};
const data = (event: unknown) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`;
const wordsOf = (name: string, words: string[]) => {
  const { begin, word, end } = protocolOf(name);
  return { begin, words: words.map((each) => word(each)), end: end(false, false) };
};

/** Events and lines that servers send beside those of the protocol, for which no reply may fail. */
const odd: [what: string, lines: string][] = [
  ['null', data('null')],
  ['empty data', 'data:\n\ndata: \n\n'],
  ['an empty object', data({})],
  ['an empty list', data([])],
  ['a text', data('"ping"')],
  ['a comment', ': OPENROUTER PROCESSING\n\n'],
  ['an object to keep the connection', data({ type: 'keep-alive' })],
  ['a named event that is not known', `event: status\n${data({ type: 'status', stage: 'queued' })}`],
  ['a line that is no JSON', data('<html>busy</html>')],
  ['JSON that breaks off', data('{"choices":[{"delta":{"con')],
  ['fields of the stream itself', 'id: 7\nretry: 3000\n\n'],
  ['no choices', data({ id: 'c', object: 'chat.completion.chunk' })],
  ['null for choices', data({ id: 'c', choices: null, candidates: null, content_block: null })],
  ['a choice of nothing', data({ id: 9, created: '1718', model: 7, choices: [null, { index: 0, delta: null }] })],
  ['an object as reasoning', data({ choices: [{ index: 0, delta: { role: 'model', reasoning: { text: 'hm' } } }] })],
  ['a block that is not known', data({ type: 'content_block_start', index: 7, content_block: { type: 'hologram' } })],
  [
    'a delta that is not known',
    data({ type: 'content_block_delta', index: 0, delta: { type: 'smell_delta', odor: 'rose' } }),
  ],
  ['a candidate of nothing', data({ candidates: [null, {}], responseId: 4 })],
  ['a part that is not known', data({ candidates: [{ content: { parts: [{ hologram: 1 }, null] } }] })],
];

describe.each(names)('a stream of %s', (name) => {
  test.each(odd)('with %s in it is read', async (_, lines) => {
    const { begin, words, end } = wordsOf(name, ['Hello', ' there.']);
    const pieces = [begin, ...words, end].map((events) => events.map(data).join(''));
    says.body = lines + pieces.join(lines);
    const { reply, told } = await stream(name);
    expect(told.join('')).toBe('Hello there.');
    expect(reply).toMatchObject({ content: 'Hello there.', finish: 'stop', usage: { completionTokens: 7 } });
  });

  test.each([
    ['without empty lines between', (text: string) => text.replaceAll('\n\n', '\n')],
    ['with carriage returns', (text: string) => text.replaceAll('\n', '\r\n')],
    ['without a space after the colon', (text: string) => text.replaceAll('data: ', 'data:')],
  ])('%s is read', async (_, change) => {
    const { begin, words, end } = wordsOf(name, ['Hello', ' there.']);
    says.body = change([...begin, ...words.flat(), ...end].map(data).join(''));
    expect((await stream(name)).reply).toMatchObject({ content: 'Hello there.', finish: 'stop' });
  });

  test.each(['application/json', 'application/json; charset=utf-8'])('that is one body (%s) is read', async (type) => {
    says = { type, body: JSON.stringify(protocolOf(name).whole('Hello there.', null, false)) };
    const { reply, told } = await stream(name);
    expect(told.join('')).toBe('Hello there.');
    expect(reply).toMatchObject({
      content: 'Hello there.',
      finish: 'stop',
      usage: { completionTokens: expect.anything() },
    });
  });

  test('that is one body with a call is read', async () => {
    const call = { id: 'call_1', name: 'get_weather', input: { city: 'Paris' } };
    says = { type: 'application/json', body: JSON.stringify(protocolOf(name).whole('', call, false)) };
    const { reply } = await stream(name, request('Weather?', { tools: [weather] }));
    expect(reply.toolCalls).toMatchObject([{ name: 'get_weather', arguments: { city: 'Paris' } }]);
  });

  /** Pieces of a reply, and the text that can be stored. */
  const unstorable: [what: string, pieces: string[], text: string][] = [
    ['an emoji in two pieces', ['Hi \ud83d', '\ude00 there'], 'Hi \u{1f600} there'],
    ['an emoji in two pieces with nothing between', ['\ud83d', '', '\ude00'], '\u{1f600}'],
    ['half an emoji', ['Hi \ud83d', ' there'], 'Hi \ufffd there'],
    ['half an emoji at the end', ['Hi ', '\ud83d'], 'Hi \ufffd'],
    ['the second half alone', ['Hi ', '\ude00!'], 'Hi \ufffd!'],
    ['NUL', ['Hi\0', ' \0there\0'], 'Hi there'],
    ['NUL between the halves', ['\ud83d\0', '\0\ude00'], '\u{1f600}'],
  ];
  test.each(unstorable)('with %s is text that can be stored', async (_, pieces, text) => {
    const { begin, words, end } = wordsOf(name, pieces);
    says.body = [...begin, ...words.flat(), ...end].map(data).join('');
    const { reply, told } = await stream(name);
    expect([reply.content, told.join('')]).toEqual([text, text]);
    expect(told.every((piece) => piece.isWellFormed() && !piece.includes('\0'))).toBe(true);
    says = {
      type: 'application/json',
      body: JSON.stringify(protocolOf(name).whole(pieces.join(''), null, false)),
    };
    expect((await service(name).reply(request('Hi'))).content).toBe(text);
  });

  test('with such text in the arguments of a call is called with what can be stored', async () => {
    const { begin, call, end } = protocolOf(name);
    const input = { city: 'Par\0is \ud83d', 'un\0it': ['\ude00'] };
    says.body = [...begin, ...call({ id: 'call_1', name: 'get_weather', input }), ...end(true, false)]
      .map(data)
      .join('');
    const { reply } = await stream(name, request('Weather?', { tools: [weather] }));
    expect(reply.toolCalls).toMatchObject([{ arguments: { city: 'Paris \ufffd', unit: ['\ufffd'] } }]);
  });
});

test.each([
  ['an object', { city: 'Paris' }],
  ['a text', '{"city":"Paris"}'],
])('arguments of a call that are %s are read', async (_, given) => {
  const tool_calls = [{ id: 1, function: { name: 'get_weather', arguments: given } }];
  const choices = [{ index: 0, delta: { tool_calls }, finish_reason: 'tool_calls' }];
  says.body = data({ choices });
  const { reply } = await stream('openai', request('Weather?', { tools: [weather] }));
  expect(reply.toolCalls).toMatchObject([{ id: '1', arguments: { city: 'Paris' } }]);
});

test.each([
  ['an object', { error: { message: 'CUDA out of memory', type: 'server_error' } }],
  ['a text', { error: 'CUDA out of memory' }],
  ['the event itself', { object: 'error', message: 'CUDA out of memory', code: 50 }],
])('an error in a stream that is %s ends the reply', async (_, event) => {
  says.body = data(event);
  await expect(stream('openai')).rejects.toMatchObject({ code: 'model_error' });
});
