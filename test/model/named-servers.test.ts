import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { createModelService } from '../../src/model/service.ts';
import { request, weather } from '../support/model/model-requests.ts';

type Said = {
  type?: string;
  body: string | Uint8Array;
  encoding?: string;
  stays?: true;
  endsAfterMs?: number;
  /** Called once the response is over, with whether its caller stayed until its end. */
  ended?: (isWhole: boolean) => void;
};

let origin = '';
let says: Said = { body: '' };
const server = createServer((asked, response) => {
  const { type = 'text/event-stream', body, encoding, stays, endsAfterMs = 0, ended } = says;
  response.on('close', () => ended?.(response.writableFinished));
  asked.resume().on('end', () => {
    response.writeHead(200, { 'content-type': type, ...(encoding && { 'content-encoding': encoding }) }).write(body);
    if (endsAfterMs > 0) setTimeout(() => response.end(), endsAfterMs);
    else if (!stays) response.end();
  });
});
beforeAll(async () => {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const data = (event: unknown) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`;
const chunk = (delta: object, finish: unknown = null) =>
  data({ choices: [{ index: 0, delta, finish_reason: finish }] });
const words = (finish: unknown = null) => chunk({ content: 'Hello ' }, finish) + chunk({ content: 'there.' }, finish);
const done = data('[DONE]');
const ask = (tools: (typeof weather)[], timeoutMs = 20_000) => {
  const { models } = readConfig({ MODELS: `own=openai:m?url=${origin}/v1&key=KEY`, KEY: 'k' });
  return createModelService({ models, timeoutMs, retries: 0 }).stream({ ...request('Hi'), tools }, () => {});
};

describe.each<[string, (typeof weather)[]]>([
  ['without tools', []],
  ['with tools', [weather]],
])('the words of a server are read, %s:', (_, tools) => {
  test.each<[string, Said]>([
    ['bytes behind the end', { body: `${words()}${chunk({}, 'stop')}${done}\n\nHTTP/1.1 200 OK\n\n` }],
    ['words behind the end', { body: words() + chunk({}, 'stop') + done + chunk({ content: ' Again.' }) }],
    ['an error behind the end', { body: words() + chunk({}, 'stop') + done + data({ error: { message: 'closed' } }) }],
    ['no end of the connection', { body: words() + chunk({}, 'stop') + done, stays: true }],
    ['a mark of the order of bytes', { body: `\ufeff${words()}${chunk({}, 'stop')}${done}` }],
    ['gzip', { body: gzipSync(words() + chunk({}, 'stop') + done), encoding: 'gzip' }],
    ['an empty reason with each piece', { body: words('') + chunk({}, 'stop') + done }],
    ['the reason with each piece', { body: words('stop') + done }],
    [
      'a filter with nothing',
      { body: data({ choices: [], prompt_filter_results: [{}] }) + words() + chunk({}, 'stop') },
    ],
    ['an end without [DONE]', { body: words() + chunk({}, 'stop') }],
    [
      'an empty call with each piece',
      {
        body:
          chunk({ content: 'Hello ', function_call: {} }) +
          chunk({ content: 'there.', function_call: { name: null, arguments: null } }, 'stop') +
          done,
      },
    ],
    ['an end in capitals', { body: words() + chunk({}, 'STOP') }],
    ['an end of Anthropic', { body: words() + chunk({}, 'end_turn') }],
    [
      'an end of vLLM',
      { body: words() + data({ choices: [{ delta: {}, finish_reason: 'stop', stop_reason: 128_009 }] }) },
    ],
    ['no type', { type: 'application/octet-stream', body: words() + chunk({}, 'stop') + done }],
  ])(
    '%s',
    async (_name, said) => {
      says = said;
      expect(await ask(tools)).toMatchObject({ content: 'Hello there.', finish: 'stop' });
    },
    10_000,
  );

  test.each(['length', 'LENGTH', 'MAX_TOKENS', 'max_tokens', 'model_length'])(
    'the reason %s is a reply that was cut off',
    async (reason) => {
      says = { body: words() + chunk({}, reason) + done };
      expect(await ask(tools)).toMatchObject({ content: 'Hello there.', finish: 'length' });
    },
  );

  test('a reply held back by a filter, in the words of another protocol, says so', async () => {
    says = { body: chunk({ content: '' }, 'SAFETY') + done };
    await expect(ask(tools)).rejects.toMatchObject({ code: 'content_filtered' });
  });

  test('a reason that nobody knows is a reply all the same', async () => {
    says = { body: words() + chunk({}, 'constructor') + done };
    expect(await ask(tools)).toMatchObject({ content: 'Hello there.' });
  });

  test('a response that ends after [DONE] is read to its end, so that its connection can be used again', async () => {
    const ended = Promise.withResolvers<boolean>();
    says = { body: words() + chunk({}, 'stop') + done, endsAfterMs: 20, ended: ended.resolve };
    await ask(tools);
    expect(await ended.promise).toBe(true);
  });

  test('empty reasons do not make a stream whole that breaks off', async () => {
    says = { body: words('') };
    await expect(ask(tools)).rejects.toMatchObject({ code: 'model_error' });
  });
});

const call = (changes: object, fn: object) => ({ ...changes, type: 'function', function: fn });
const calls = (...each: object[]) => chunk({ tool_calls: each });
const name = 'get_weather';
const paris = '{"city":"Paris"}';
const rome = '{"city":"Rome"}';

describe('the calls of a server are read:', () => {
  test.each<[string, string, string[]]>([
    [
      'two in one piece, without places',
      calls(call({ id: 'a' }, { name, arguments: paris }), call({ id: 'b' }, { name, arguments: rome })),
      ['Paris', 'Rome'],
    ],
    [
      'two in one piece, without places and ids',
      calls(call({}, { name, arguments: paris }), call({}, { name, arguments: rome })),
      ['Paris', 'Rome'],
    ],
    [
      'one after the other, at one place (Ollama, Gemini)',
      calls(call({ index: 0, id: 'a' }, { name, arguments: paris })) +
        calls(call({ index: 0, id: 'b' }, { name, arguments: rome })),
      ['Paris', 'Rome'],
    ],
    [
      'one after the other, without places',
      calls(call({ id: 'a' }, { name, arguments: paris })) + calls(call({ id: 'b' }, { name, arguments: rome })),
      ['Paris', 'Rome'],
    ],
    [
      'one after the other, without places and ids',
      calls(call({}, { name, arguments: paris })) + calls(call({}, { name, arguments: rome })),
      ['Paris', 'Rome'],
    ],
    [
      'in pieces, of which the first alone has an id',
      calls(call({ index: 0, id: 'a' }, { name, arguments: '' })) +
        calls(call({ index: 0 }, { arguments: '{"city":' })) +
        calls(call({ index: 0, id: null }, { name: null, arguments: '"Paris"}' })),
      ['Paris'],
    ],
    [
      'in pieces that repeat id and name',
      calls(call({ index: 0, id: 'a' }, { name, arguments: '{"city":' })) +
        calls(call({ index: 0, id: 'a' }, { name, arguments: '"Paris"}' })),
      ['Paris'],
    ],
    [
      'in pieces with another id each (vLLM)',
      calls(call({ index: 0, id: 'a' }, { name, arguments: '{"city":' })) +
        calls(call({ index: 0, id: 'b' }, { arguments: '"Paris"}' })),
      ['Paris'],
    ],
    [
      'in pieces with an empty id and name',
      calls(call({ index: 0, id: 'a' }, { name, arguments: '{"city":' })) +
        calls(call({ index: 0, id: '' }, { name: '', arguments: '"Paris"}' })),
      ['Paris'],
    ],
    [
      'in pieces without places',
      calls(call({ id: 'a' }, { name, arguments: '{"city":' })) + calls(call({}, { arguments: '"Paris"}' })),
      ['Paris'],
    ],
    [
      'two, whose pieces alternate',
      calls(
        call({ index: 0, id: 'a' }, { name, arguments: '{"city":' }),
        call({ index: 1, id: 'b' }, { name, arguments: '{"city":' }),
      ) +
        calls(call({ index: 1 }, { arguments: '"Rome"}' })) +
        calls(call({ index: 0 }, { arguments: '"Paris"}' })),
      ['Paris', 'Rome'],
    ],
    [
      'two that begin at 1',
      calls(
        call({ index: 1, id: 'a' }, { name, arguments: paris }),
        call({ index: 2, id: 'b' }, { name, arguments: rome }),
      ),
      ['Paris', 'Rome'],
    ],
    [
      'arguments of null first',
      calls(call({ index: 0, id: 'a' }, { name, arguments: null })) + calls(call({ index: 0 }, { arguments: paris })),
      ['Paris'],
    ],
    [
      'the form before tools',
      chunk({ function_call: { name, arguments: '{"city":' } }) + chunk({ function_call: { arguments: '"Paris"}' } }),
      ['Paris'],
    ],
  ])('%s', async (_, body, cities) => {
    says = { body: `${body}${chunk({}, 'tool_calls')}${done}` };
    const { toolCalls } = await ask([weather]);
    expect(toolCalls?.map((each) => (each.arguments as { city: string }).city)).toEqual(cities);
    expect(new Set(toolCalls?.map(({ id }) => id)).size).toBe(cities.length);
  });
});
