import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { createModelService } from '../../src/model/service.ts';
import { anthropicProtocol } from '../support/model/anthropic.ts';
import { googleProtocol } from '../support/model/google.ts';
import { request, returns, weather } from '../support/model/model-requests.ts';
import { type Protocol, startModelServer } from '../support/model/model-server.ts';

const key = 'secret-key-1';
const providers: [name: string, path: string, protocol: Protocol][] = [
  ['anthropic', '/v1', anthropicProtocol(key)],
  ['google', '/v1beta', googleProtocol(key)],
];

describe.each(providers)('a model of %s', (provider, path, protocol) => {
  let server: Awaited<ReturnType<typeof startModelServer>>;
  beforeAll(async () => {
    server = await startModelServer(protocol);
  });
  afterAll(() => server.close());
  beforeEach(() => {
    server.requests.length = 0;
  });

  const service = ({ timeoutMs = 60_000, retries = 0, given = key } = {}) => {
    const MODELS = `own=${provider}:some-model-1?url=${server.address}${path}&key=KEY`;
    return createModelService({ models: readConfig({ MODELS, KEY: given }).models, timeoutMs, retries, backoffMs: 1 });
  };
  const stream = async (asked = request('Hello'), options: Parameters<typeof service>[0] = {}) => {
    const told: string[] = [];
    const reply = await service(options).stream(asked, (piece) => told.push(piece));
    return { reply, told };
  };
  const sent = () => JSON.stringify(server.requests.at(-1)?.body);

  test('is asked with the prompt, streams its words and tells its tokens', async () => {
    server.next({ say: ['You have', ' 30 days', ' [1 "within 30 days of delivery"].'] });
    const { reply, told } = await stream(request('How long?', { passages: [returns] }));
    expect(reply).toMatchObject({
      model: 'own',
      content: 'You have 30 days [1].',
      finish: 'stop',
      references: [{ passageId: 'psg_1', quote: 'within 30 days of delivery' }],
      usage: { completionTokens: 7, cachedTokens: 4 },
      firstTokenMs: expect.any(Number),
    });
    expect(reply.usage.promptTokens).toBeGreaterThanOrEqual(11);
    expect(told.length).toBeGreaterThan(1);
    expect(told.join('')).toBe(reply.content);
    expect(sent()).toContain('You are Bia.');
    expect(sent()).toContain('How long?');
    expect(sent()).not.toContain(key);
  });

  test('answers whole when nobody listens', async () => {
    server.next({ say: ['Hello', ' there.'] });
    expect(await service().reply(request('Hello'))).toMatchObject({ content: 'Hello there.', firstTokenMs: null });
  });

  test('calls a tool of the caller, and takes its result in the next turn', async () => {
    server.next({ call: { id: 'toolu_1', name: 'get_weather', input: { city: 'Paris' } } }, { say: ['Sunny.'] });
    const asked = request('Weather?', { tools: [weather] });
    const { reply } = await stream(asked);
    expect(reply).toMatchObject({
      content: null,
      finish: 'tool-calls',
      toolCalls: [{ id: expect.any(String), name: 'get_weather', arguments: { city: 'Paris' } }],
    });
    expect(sent()).toContain('"required":["city"]');
    const toolCalls = reply.toolCalls ?? [];
    const history = [
      ...asked.history,
      { role: 'assistant' as const, content: null, toolCalls },
      { role: 'tool' as const, toolCallId: toolCalls[0]?.id ?? '', content: '{"sky":"clear"}' },
    ];
    expect((await stream({ ...asked, history })).reply.content).toBe('Sunny.');
    expect(sent()).toContain('clear');
  });

  test('takes a history with unanswered calls, closed before they are sent', async () => {
    server.next({ say: ['Well.'] });
    const call = { id: 'c1', name: 'get_weather', arguments: { city: 'Paris' } };
    const history = [
      { role: 'user' as const, content: 'Weather?' },
      { role: 'assistant' as const, content: null, toolCalls: [call] },
      { role: 'user' as const, content: 'Well?' },
    ];
    expect((await stream(request('', { history, tools: [weather] }))).reply.content).toBe('Well.');
    expect(sent()).toContain('not executed');
  });

  test('is given the agent’s temperature and length', async () => {
    await stream(request('Hello', { agent: { temperature: 0.3, maxOutputTokens: 77 } }));
    expect(sent()).toMatch(/"temperature":0\.3/);
    expect(sent()).toMatch(/"(max_tokens|maxOutputTokens)":77/);
  });

  test('that has too much to do is asked again', async () => {
    server.next({ status: provider === 'anthropic' ? 529 : 503 }, { status: 429, headers: { 'retry-after': '0' } });
    server.next({ say: ['Here', ' I am.'] });
    const { reply } = await stream(undefined, { retries: 2 });
    expect(reply.content).toBe('Here I am.');
    expect(reply.attempts.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'answered']);
  });

  test('that fails in its stream before a word is asked again', async () => {
    server.next({ say: [], after: 'failure' }, { say: ['Better', ' now.'] });
    expect((await stream(undefined, { retries: 1 })).reply.content).toBe('Better now.');
  });

  test.each(['failure', 'cut'] as const)(
    'that ends in a %s after a word is not: what was told stands',
    async (after) => {
      server.next({ say: ['Once', ' upon'], after });
      const told: string[] = [];
      const failing = service({ retries: 3 }).stream(request('Hello'), (piece) => told.push(piece));
      await expect(failing).rejects.toMatchObject({ code: 'model_error', status: 502 });
      expect(told.join('')).toBe('Once upon');
      expect(server.requests).toHaveLength(1);
    },
  );

  test('that falls silent is a model_timeout', async () => {
    server.next({ silent: true }, { say: ['Once'], after: 'silence' });
    await expect(stream(undefined, { timeoutMs: 150 })).rejects.toMatchObject({ code: 'model_timeout' });
    await expect(stream(undefined, { timeoutMs: 150 })).rejects.toMatchObject({ code: 'model_timeout' });
  });

  test('whose key is refused fails without telling it', async () => {
    const error = await stream(undefined, { given: 'wrong-key-2' }).then(
      () => expect.fail('it answered'),
      (thrown: Error) => thrown,
    );
    expect(error).toMatchObject({ code: 'model_error' });
    expect(`${error.message} ${JSON.stringify(error)}`).not.toContain('wrong-key-2');
    expect(server.requests).toHaveLength(1);
  });

  test('stops in the midst of a word when a person says so', async () => {
    server.next({ say: ['Once', ' upon'], after: 'silence' });
    const stop = new AbortController();
    const told: string[] = [];
    const reply = await service().stream(request('Hello', { signal: stop.signal }), (piece) => {
      told.push(piece);
      if (told.join('') === 'Once upon') stop.abort();
    });
    expect(reply).toMatchObject({ content: 'Once upon', finish: 'stopped' });
  });
});
