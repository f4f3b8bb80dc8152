import { inspect } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { ParleyError } from '../../src/core/errors.ts';
import { createModelService } from '../../src/model/service.ts';
import { passage, request, returns, weather } from '../support/model/model-requests.ts';
import { type Scripted, startOpenAiServer } from '../support/model/openai-server.ts';

const apiKey = 'sk-test-0123456789';
let server: Awaited<ReturnType<typeof startOpenAiServer>>;

beforeAll(async () => {
  server = await startOpenAiServer(apiKey);
});
afterAll(() => server.close());
beforeEach(() => {
  server.requests.length = 0;
});

const modelsAt = (baseUrl: string) =>
  readConfig({ MODEL_BASE_URL: baseUrl, MODEL_NAME: 'some-model', MODEL_API_KEY: apiKey }).models;
const service = ({ timeoutMs = 60_000, retries = 0 } = {}) =>
  createModelService({ models: modelsAt(server.baseUrl), timeoutMs, retries });

/** The failure that results from these answers of the endpoint. */
async function failureOf(scripted: Scripted[], asked = request('Hello'), options: Parameters<typeof service>[0] = {}) {
  server.next(...scripted);
  const error = await service(options)
    .reply(asked)
    .then(
      (reply) => expect.fail(`answered ${JSON.stringify(reply)}`),
      (thrown: unknown) => thrown,
    );
  expect(error).toBeInstanceOf(ParleyError);
  return error as ParleyError;
}

describe('an OpenAI-compatible endpoint', () => {
  test('is asked with the prompt and answers with its usage', async () => {
    server.next({
      content: 'You have 30 days [1 "within 30 days of delivery"].',
      usage: {
        prompt_tokens: 100,
        completion_tokens: 20,
        total_tokens: 120,
        prompt_tokens_details: { cached_tokens: 64 },
      },
    });
    const model = service();
    expect(model.choices.map(({ name, isDefault }) => [name, isDefault])).toEqual([
      ['some-model', true],
      ['embedded', false],
    ]);
    expect(await model.reply(request('How long?', { passages: [returns] }))).toEqual({
      model: 'some-model',
      content: 'You have 30 days [1].',
      toolCalls: null,
      usage: { promptTokens: 100, completionTokens: 20, cachedTokens: 64 },
      references: [{ passageId: 'psg_1', sourceId: 'src_1', baseId: 'bas_1', quote: 'within 30 days of delivery' }],
      finish: 'stop',
      steps: [],
      cost: null,
      prompt: expect.objectContaining({ messages: 1, omitted: 0, summary: false }),
      attempts: [{ model: 'some-model', outcome: 'answered', reason: null, ms: expect.any(Number) }],
      firstTokenMs: null,
      totalMs: expect.any(Number),
      withheld: 0,
      checks: [],
    });
    const [{ model: name, messages, tools } = { model: '', messages: [] }] = server.requests;
    expect(name).toBe('some-model');
    expect(tools).toBeUndefined();
    expect(messages).toEqual([
      { role: 'system', content: expect.stringContaining('within 30 days of delivery') },
      { role: 'user', content: 'How long?' },
    ]);
  });

  test('an answer without usage has none that is known', async () => {
    server.next({ content: 'Hi', usage: undefined });
    const { usage } = await service().reply(request('Hello'));
    expect(usage).toEqual({ promptTokens: null, completionTokens: null, cachedTokens: null });
  });

  test('an answer cut at its longest says so', async () => {
    server.next({ content: 'Once upon', finish: 'length' });
    expect(await service().reply(request('Tell a story'))).toMatchObject({ content: 'Once upon', finish: 'length' });
  });

  test('several tool calls come back under the names that the caller gave', async () => {
    const tools = [
      weather,
      { name: 'orders.find', parameters: { type: 'object', properties: { id: { type: 'number' } } } },
    ];
    server.next({
      content: 'One moment.',
      calls: [
        { id: 'call_a', name: 'get_weather', arguments: '{"city":"Paris"}' },
        { id: 'call_b', name: 'orders_find', arguments: '{"id":7}' },
      ],
    });
    expect(await service().reply(request('Weather and order 7', { tools }))).toMatchObject({
      content: null,
      finish: 'tool-calls',
      toolCalls: [
        { id: 'call_a', name: 'get_weather', arguments: { city: 'Paris' } },
        { id: 'call_b', name: 'orders.find', arguments: { id: 7 } },
      ],
    });
    expect(server.requests[0]?.tools?.map(({ function: { name } }) => name).sort()).toEqual([
      'get_weather',
      'orders_find',
    ]);
    expect(
      server.requests[0]?.tools?.find(({ function: { name } }) => name === 'get_weather')?.function.parameters,
    ).toMatchObject(weather.parameters);
  });

  test('a call without arguments has none; two calls never share an id', async () => {
    const call = { id: 'same', name: 'get_weather', arguments: '' };
    server.next({ calls: [call, call] });
    const { toolCalls } = await service().reply(request('Weather', { tools: [weather] }));
    expect(toolCalls?.map((made) => made.arguments)).toEqual([{}, {}]);
    expect(new Set(toolCalls?.map(({ id }) => id)).size).toBe(2);
  });

  test('broken tool pairs of the history are repaired before they are sent', async () => {
    server.next({ content: 'Sunny.' });
    const call = (id: string) => ({ id, name: 'get_weather', arguments: { city: 'Paris' } });
    const reply = await service().reply(
      request('', {
        tools: [weather],
        history: [
          { role: 'tool', toolCallId: 'lost', content: 'orphan' },
          { role: 'user', content: 'Weather?' },
          { role: 'assistant', content: null, toolCalls: [call('c1'), call('c2')] },
          { role: 'tool', toolCallId: 'c2', content: '{"sky":"clear"}' },
          { role: 'user', content: 'Well?' },
        ],
      }),
    );
    expect(reply.content).toBe('Sunny.');
    expect(server.requests[0]?.messages.slice(1)).toMatchObject([
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', tool_calls: [{ id: 'c1' }, { id: 'c2' }] },
      { role: 'tool', tool_call_id: 'c1', content: 'not executed' },
      { role: 'tool', tool_call_id: 'c2', content: '{"sky":"clear"}' },
      { role: 'assistant', content: '…' },
      { role: 'user', content: 'Well?' },
    ]);
  });

  test('images with their data are shown, addresses are named and never fetched', async () => {
    server.next({ content: 'A cat.' });
    const fetch = vi.spyOn(globalThis, 'fetch');
    await service().reply(
      request('', {
        history: [
          {
            role: 'user',
            content: 'What is this?',
            attachments: [
              { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
              { type: 'image', url: 'http://127.0.0.1:1/secret.png', mimeType: 'image/png', name: 'b.png' },
            ],
          },
        ],
      }),
    );
    expect(fetch).toHaveBeenCalledOnce();
    fetch.mockRestore();
    expect(server.requests[0]?.messages.at(-1)?.content).toEqual([
      { type: 'text', text: 'What is this?\n[attached image: b.png, image/png, http://127.0.0.1:1/secret.png]' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
    ]);
  });

  test('json is asked for as JSON, freed of its fence, and its references are checked', async () => {
    server.next({ content: '```json\n{"answer": "Within 30 days of delivery.", "references": [2, 1, 9]}\n```' });
    const passages = [passage('Nothing about it.', { id: 'psg_0' }), returns];
    const reply = await service().reply(request('How long?', { format: 'json', passages }));
    expect(server.requests[0]?.response_format).toEqual({ type: 'json_object' });
    expect(JSON.parse(reply.content ?? '')).toEqual({ answer: 'Within 30 days of delivery.', references: [1] });
    expect(reply.references).toMatchObject([{ passageId: 'psg_1' }]);
  });
});

describe('a failure of the model', () => {
  test.each<[string, Scripted[]]>([
    ['a 500', [{ status: 500, error: 'kaboom in worker 7' }]],
    ['a refused key', [{ status: 401, error: `Incorrect API key provided: ${apiKey}` }]],
    ['bytes that are no JSON', [{ raw: '{"choices": [' }]],
    ['JSON that is no completion', [{ raw: '{"hello": 1}' }]],
    ['no choices', [{ raw: '{"choices": []}' }]],
    ['an empty answer', [{ content: ' ' }]],
    ['only calls of tools that nobody offered', [{ calls: [{ id: 'x', name: 'rm', arguments: '{}' }] }]],
  ])('%s is a model_error without what the endpoint said', async (_, scripted) => {
    const error = await failureOf(scripted);
    expect(error).toMatchObject({ code: 'model_error', status: 502 });
    expect(JSON.stringify(error.body)).not.toMatch(/kaboom|sk-test|choices|\brm\b|127\.0\.0\.1/);
    expect(error.originalError).toBeInstanceOf(Error);
  });

  test('keeps what the endpoint said for the log, without the key and the prompt', async () => {
    const error = await failureOf(
      [{ status: 401, error: `Incorrect API key provided: ${apiKey}` }],
      request('my secret plan'),
    );
    const logged = inspect(error, { depth: 9, showHidden: true });
    expect(logged).toContain('HTTP 401');
    expect(logged).toContain('Incorrect API key provided: ***');
    expect(logged).not.toMatch(/sk-test|secret plan/);
  });

  test('arguments that are no JSON, time after time, are a model_error', async () => {
    const calls = [{ id: 'x', name: 'get_weather', arguments: '{"city": ' }];
    expect(await failureOf([{ calls }, { calls }, { calls }], request('Weather', { tools: [weather] }))).toMatchObject({
      code: 'model_error',
    });
  });

  test('words instead of JSON are a model_error', async () => {
    expect(await failureOf([{ content: 'Sure!' }], request('Hi', { format: 'json' }))).toMatchObject({
      code: 'model_error',
    });
  });

  test('a 429 tells when to come back', async () => {
    const error = await failureOf([{ status: 429, error: 'Rate limit reached', headers: { 'retry-after': '20' } }]);
    expect(error).toMatchObject({ code: 'model_error', status: 502, headers: { 'retry-after': '20' } });
  });

  test('a failure that may pass is tried once more', async () => {
    server.next({ status: 503, error: 'overloaded', headers: { 'retry-after-ms': '5' } }, { content: 'Here I am.' });
    expect((await service({ retries: 1 }).reply(request('Hello'))).content).toBe('Here I am.');
    expect(server.requests).toHaveLength(2);
  });

  test('silence is a model_timeout, and nobody waits for a model that asks for more time than there is', async () => {
    expect(await failureOf([{ silent: true }], undefined, { timeoutMs: 150 })).toMatchObject({
      code: 'model_timeout',
      status: 504,
    });
    const slow: Scripted = { status: 500, error: 'x', headers: { 'retry-after': '3600' } };
    // A client that honoured this Retry-After would exceed the timeout.
    expect(await failureOf([slow], undefined, { timeoutMs: 60_000, retries: 3 })).toMatchObject({
      code: 'model_error',
    });
  });

  test('an endpoint that is not there is a model_error', async () => {
    const gone = await startOpenAiServer(apiKey);
    await gone.close();
    const model = createModelService({ models: modelsAt(gone.baseUrl), timeoutMs: 60_000, retries: 0 });
    await expect(model.reply(request('Hello'))).rejects.toMatchObject({ code: 'model_error', status: 502 });
  });

  test('a turn that is stopped is unavailable', async () => {
    server.next({ silent: true });
    const signal = AbortSignal.timeout(50);
    await expect(service().reply(request('Hello', { signal }))).rejects.toMatchObject({ code: 'unavailable' });
    const stopped = request('Hello', { signal: AbortSignal.abort() });
    await expect(
      createModelService({ models: readConfig({}).models, timeoutMs: 1_000 }).reply(stopped),
    ).rejects.toMatchObject({
      code: 'unavailable',
    });
  });
});
