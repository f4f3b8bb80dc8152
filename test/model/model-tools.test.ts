import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { ParleyError } from '../../src/core/errors.ts';
import { createModelService, type ToolDefinition } from '../../src/model/service.ts';
import { request, weather } from '../support/model/model-requests.ts';
import { startOpenAiServer } from '../support/model/openai-server.ts';

const key = 'sk-tools';
let server: Awaited<ReturnType<typeof startOpenAiServer>>;
let model: ReturnType<typeof createModelService>;
beforeAll(async () => {
  server = await startOpenAiServer(key);
  const env = { MODEL_BASE_URL: server.baseUrl, MODEL_NAME: 'm', MODEL_API_KEY: key };
  model = createModelService({ models: readConfig(env).models, timeoutMs: 60_000, backoffMs: 1 });
});
afterAll(() => server.close());

const stock = (execute: ToolDefinition['execute']): ToolDefinition => ({ name: 'shop.stock', parameters: {}, execute });
const call = (name = 'shop_stock', id = 'c1') => ({ id, name, arguments: '{"item":"tent"}' });

describe('a tool that the service itself runs', () => {
  test('is run, and the model goes on with what it answered', async () => {
    server.requests.length = 0;
    server.next({ calls: [call()], content: 'Let me look.' }, { content: 'Three tents are left.' });
    const asked: unknown[] = [];
    const tools = [
      stock(async (input, { callId }) => {
        asked.push(input, callId);
        return '{"left":3}';
      }),
    ];
    const told: string[] = [];
    const reply = await model.stream(request('Tents?', { tools }), (piece) => told.push(piece));
    expect(asked).toEqual([{ item: 'tent' }, 'c1']);
    expect(reply).toMatchObject({
      content: 'Three tents are left.',
      toolCalls: null,
      finish: 'stop',
      steps: [
        {
          content: 'Let me look.',
          toolCalls: [{ id: 'c1', name: 'shop.stock', arguments: { item: 'tent' } }],
          results: [{ toolCallId: 'c1', name: 'shop.stock', content: '{"left":3}' }],
        },
      ],
      usage: { promptTokens: 22, completionTokens: 14 },
    });
    expect(told.join('')).toBe('Let me look.\n\nThree tents are left.');
    expect(server.requests[1]?.messages.slice(-2)).toMatchObject([
      { role: 'assistant', tool_calls: [{ id: 'c1', function: { name: 'shop_stock' } }] },
      { role: 'tool', tool_call_id: 'c1', content: '{"left":3}' },
    ]);
  });

  test('that fails is a result that the model hears of, without the words of the failure', async () => {
    server.requests.length = 0;
    server.next({ calls: [call(), call('shop_stock', 'c2')] }, { content: 'I cannot look now.' });
    let count = 0;
    const fails = stock(() => {
      count += 1;
      return Promise.reject(count === 1 ? new Error('ECONNREFUSED 10.0.0.1') : new ParleyError('conflict', 'Log in.'));
    });
    await model.reply(request('Tents?', { tools: [fails] }));
    const heard = server.requests[1]?.messages.flatMap(({ role, content }) => (role === 'tool' ? [content] : []));
    expect(heard).toEqual([
      expect.stringMatching(/^The tool gave no result: [^\d]+$/),
      expect.stringContaining('Log in.'),
    ]);
  });

  const good = { id: 'c1', name: 'shop_stock', arguments: '{"item":"tent"}' };
  const broken: [what: string, call: typeof good, told: RegExp][] = [
    ['no JSON', { ...good, arguments: 'item: tent' }, /not an object of JSON/],
    ['JSON that breaks off', { ...good, arguments: '{"item":"te' }, /not an object of JSON/],
    ['a list', { ...good, arguments: '["tent"]' }, /not an object of JSON/],
    ['a number', { ...good, arguments: '7' }, /not an object of JSON/],
    ['the name of no tool', { ...good, name: 'shop_prices' }, /no such tool. The tools are shop_stock\./],
    ['a name that no tool can have', { ...good, name: 'look up!' }, /no such tool/],
  ];
  test.each(broken)('called with %s is not run: the model is told and mends it', async (_, call, told) => {
    for (const ask of ['reply', 'stream'] as const) {
      server.requests.length = 0;
      const asked: unknown[] = [];
      const tools = [stock(async (input) => JSON.stringify(asked.push(input)))];
      server.next({ calls: [call] }, { calls: [good] }, { content: 'Three tents are left.' });
      const reply = await model[ask](request('Tents?', { tools }), () => {});
      expect(reply).toMatchObject({ content: 'Three tents are left.', finish: 'stop' });
      expect(asked).toEqual([{ item: 'tent' }]);
      expect(server.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: expect.stringMatching(told) });
      expect(reply).not.toHaveProperty('broken');
    }
  });

  test.each([
    ['fenced JSON', '```json\n{"item":"tent"}\n```', { item: 'tent' }],
    ['no arguments', '', {}],
  ])('called with %s is run', async (_, given, meant) => {
    const asked: unknown[] = [];
    server.next({ calls: [{ ...good, arguments: given }] }, { content: 'Three.' });
    const tools = [stock(async (input) => JSON.stringify(asked.push(input)))];
    expect(await model.reply(request('Tents?', { tools }))).toMatchObject({ content: 'Three.' });
    expect(asked).toEqual([meant]);
  });

  test('that a model goes on to call wrongly ends the reply at the third time', async () => {
    server.requests.length = 0;
    const wrong = { calls: [{ ...good, arguments: 'tent' }] };
    server.next(wrong, wrong, wrong);
    await expect(model.reply(request('Tents?', { tools: [stock(async () => '3')] }))).rejects.toMatchObject({
      code: 'model_error',
      message: 'The model made a tool call that could not be parsed.',
    });
    expect(server.requests).toHaveLength(3);
  });

  test('leaves the calls of the caller’s tools beside it to the caller', async () => {
    server.next({ calls: [call(), { ...call('get_weather', 'c2') }] });
    const reply = await model.reply(request('Both?', { tools: [stock(async () => '3'), weather] }));
    expect(reply).toMatchObject({
      content: null,
      toolCalls: [{ id: 'c2' }],
      steps: [{ toolCalls: [{ id: 'c1' }], results: [{ toolCallId: 'c1', content: '3' }] }],
    });
  });

  test('is not called for ever: after eight rounds the model has to answer', async () => {
    server.requests.length = 0;
    server.next(...Array.from({ length: 8 }, (_, index) => ({ calls: [call('shop_stock', `c${index}`)] })));
    const reply = await model.reply(request('Tents?', { tools: [stock(async () => 'more')] }));
    expect(reply.steps).toHaveLength(8);
    expect(reply.content).toBe('Nothing was scripted.');
    // Some models require the tools of past calls, even if no tool may be called any more.
    expect(server.requests.map(({ tools }) => tools?.length)).toEqual(Array(9).fill(1));
    const choices = server.requests.map((asked) => (asked as { tool_choice?: string }).tool_choice);
    expect(choices).toEqual([...Array(8).fill('auto'), 'none']);
  });

  test('is not run again when the call after it fails and is tried again', async () => {
    let runs = 0;
    server.next({ calls: [call()] }, { status: 503, error: 'busy' }, { content: 'Three.' });
    const reply = await model.reply(request('Tents?', { tools: [stock(async () => String(++runs))] }));
    expect([reply.content, runs]).toEqual(['Three.', 1]);
    expect(reply.attempts.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['answered', null],
      ['failed', 'HTTP 503'],
      ['answered', null],
    ]);
  });

  test('stops with the turn', async () => {
    server.next({ calls: [call()] }, { calls: [call()] });
    const stopping = () => {
      const stop = new AbortController();
      const tool = stock(async (_input, { signal }) => {
        stop.abort();
        return String(signal.aborted);
      });
      return request('Tents?', { tools: [tool], signal: stop.signal });
    };
    await expect(model.reply(stopping())).rejects.toMatchObject({ code: 'unavailable' });
    const reply = await model.stream(stopping(), () => {});
    expect(reply).toMatchObject({ content: '', finish: 'stopped', steps: [{ results: [{ content: 'true' }] }] });
  });
});
