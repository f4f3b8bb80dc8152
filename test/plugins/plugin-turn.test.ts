import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createGuardedFetch } from '../../src/net/guarded-fetch.ts';
import { type Gateway, openGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { startOpenAiServer } from '../support/model/openai-server.ts';
import { useApiServer } from '../support/plugins/api-server.ts';

const key = 'sk-plugins';
const api = useApiServer();
let model: Awaited<ReturnType<typeof startOpenAiServer>>;
let gateway: Gateway;
let home: TestWorkspace;
beforeAll(async () => {
  model = await startOpenAiServer(key);
  gateway = await openGateway({ MODEL_BASE_URL: model.baseUrl, MODEL_NAME: 'm', MODEL_API_KEY: key });
});
beforeEach(async () => {
  home = await makeWorkspace(gateway);
  model.requests.length = 0;
});
afterAll(async () => {
  await gateway.close();
  await model.close();
});

const imported = async (path = '/openapi.json') => {
  const importing = 'mutation($url: String!) { importPlugin(input: {url: $url}) { plugin { id } } }';
  return (await gateway.data(home.editor, importing, { url: api.url(path) })).importPlugin.plugin.id as string;
};
/** An agent with a plugin for the orders API; the plugin needs no token by default. */
async function agentWith(change: object = { auth: { type: 'none' } }, behavior = 'advanced') {
  const pluginId = await imported();
  const updating = 'mutation($i: UpdatePluginInput!) { updatePlugin(input: $i) { plugin { id } } }';
  await gateway.data(home.editor, updating, { i: { id: pluginId, ...change } });
  const creating = `mutation { createAgent(input: {name: "Host", behaviorType: ${behavior}}) { agent { id } } }`;
  const agentId = (await gateway.data(home.editor, creating)).createAgent.agent.id as string;
  await attach(agentId, pluginId);
  return { agentId, pluginId };
}
const attach = (agentId: string, pluginId: string) =>
  gateway.data(home.editor, 'mutation($i: AttachPluginInput!) { attachPlugin(input: $i) { agent { id } } }', {
    i: { agentId, pluginId },
  });
const ask = async (agentId: string, content: string, more: object = {}) => {
  const { status, body } = await gateway.rest(home.app, 'POST', `/api/${agentId}`, { message: { content }, ...more });
  expect({ status, message: body.message }).toEqual({ status: 200, message: undefined });
  return body;
};
const call = (name: string, given: object, id = 'c1') => ({ id, name, arguments: JSON.stringify(given) });
const weather = {
  name: 'weather',
  description: 'Tells the weather.',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
};
/** The tool results that the model received, by call id. */
const results = (request = model.requests.at(-1)) =>
  Object.fromEntries(
    (request?.messages ?? []).flatMap((one) => (one.role === 'tool' ? [[one.tool_call_id, one.content]] : [])),
  );

describe('the plugins of an agent are called within its turn', () => {
  test('several at once, and calls, results and answer are messages of the conversation', async () => {
    const { agentId } = await agentWith();
    model.next(
      {
        calls: [call('get_order', { id: 'A/1' }), call('create_order', { item: 'tent', quantity: 2 }, 'c2')],
        content: 'One moment.',
      },
      { content: 'It was shipped.' },
    );
    const { id, messages } = await ask(agentId, 'Where is my order?');
    expect(messages).toMatchObject([
      {
        role: 'assistant',
        content: 'One moment.',
        toolCalls: [{ id: 'c1', name: 'get_order', arguments: { id: 'A/1' } }, { id: 'c2' }],
      },
      {
        role: 'tool',
        name: 'get_order',
        toolCallId: 'c1',
        content: '{"id":"A/1","state":"shipped","carrier":"Hermes"}',
      },
      { role: 'tool', name: 'create_order', toolCallId: 'c2', content: '{"id":"order-9","item":"tent","quantity":2}' },
      { role: 'assistant', content: 'It was shipped.', toolCalls: null },
    ]);
    expect(api.seen.map(({ method, url }) => `${method} ${url}`).sort()).toEqual(['GET /orders/A%2F1', 'POST /orders']);
    expect(model.requests[0]?.tools?.map((tool) => tool.function.name)).toEqual([
      'list_orders',
      'create_order',
      'get_order',
    ]);
    const { usage } = await gateway.data(home.viewer, '{ usage { current } }');
    expect(usage.current).toBe(1);
    // The next turn includes the calls.
    model.next({ content: 'By Hermes.' });
    await ask(agentId, 'By whom?', { id });
    expect(results()).toMatchObject({ c1: expect.stringContaining('Hermes'), c2: expect.stringContaining('order-9') });
  });

  test('as often as its behavior allows, and then it answers', async () => {
    const { agentId } = await agentWith(undefined, 'basic');
    model.next({ calls: [call('get_order', { id: '1' })] }, { content: 'Shipped.' });
    await ask(agentId, 'Where is order 1?');
    expect(model.requests.map((request) => (request as { tool_choice?: string }).tool_choice)).toEqual([
      'auto',
      'none',
    ]);
    const { agentId: advanced } = await agentWith();
    model.next(
      { calls: [call('get_order', { id: '1' })] },
      { calls: [call('get_order', { id: '2' }, 'c2')] },
      { content: 'Both.' },
    );
    const { messages } = await ask(advanced, 'Where are orders 1 and 2?');
    expect(messages.map(({ role }: any) => role)).toEqual(['assistant', 'tool', 'assistant', 'tool', 'assistant']);
  });

  test("beside the caller's tools, whose calls end the turn with the others answered", async () => {
    const { agentId } = await agentWith();
    model.next(
      { calls: [call('get_order', { id: '7' }), call('weather', { city: 'Ulm' }, 'c2')] },
      { content: 'Sunny.' },
    );
    const { id, messages } = await ask(agentId, 'Order 7, and the weather?', { tools: [weather] });
    expect(messages).toMatchObject([
      { role: 'assistant', toolCalls: [{ id: 'c1', name: 'get_order' }] },
      { role: 'tool', toolCallId: 'c1' },
      { role: 'assistant', content: null, toolCalls: [{ id: 'c2', name: 'weather', arguments: { city: 'Ulm' } }] },
    ]);
    const message = { role: 'tool', toolCallId: 'c2', content: 'sun' };
    const { body } = await gateway.rest(home.app, 'POST', `/api/${agentId}`, { id, message, tools: [weather] });
    expect(body.messages).toMatchObject([{ role: 'assistant', content: 'Sunny.' }]);
    expect(results()).toEqual({ c1: expect.stringContaining('shipped'), c2: 'sun' });
  });

  test("a tool of the caller keeps its name, and the plugin's is told apart", async () => {
    const { agentId } = await agentWith();
    await attach(agentId, await imported());
    model.next({ content: 'Hello.' });
    await ask(agentId, 'Hello', { tools: [{ ...weather, name: 'get_order' }] });
    const names = model.requests[0]?.tools?.map((tool) => tool.function.name) ?? [];
    expect(names).toEqual(
      expect.arrayContaining([
        'get_order',
        'Orders_get_order',
        'Orders_get_order_2',
        'list_orders',
        'Orders_list_orders',
      ]),
    );
    expect(new Set(names).size).toBe(7);
  });

  test('and told as parts of the stream when they come', async () => {
    const { agentId } = await agentWith();
    model.next({ calls: [call('get_order', { id: '7' })] }, { content: 'Shipped.' });
    const response = await gateway.app.request(`/api/${agentId}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await gateway.bearer(home.app)}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify({ message: { content: 'Where is 7?' } }),
    });
    const parts = [...(await response.text()).matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''));
    expect(parts.map(({ type }) => type).join(' ')).toBe(
      'start start-step tool-input-available tool-output-available text-start text-delta text-end finish data-turn',
    );
    expect(parts[3]).toMatchObject({
      toolCallId: 'c1',
      providerExecuted: true,
      output: expect.stringContaining('shipped'),
    });
    expect(parts.at(-1).data.messages).toHaveLength(3);
  });
});

describe('whatever a plugin does, the turn comes to its end, and the model is told', () => {
  const answer =
    (body: string, type = 'application/json', status = 200) =>
    () => ({ status, body, headers: { 'content-type': type } });
  const told = async (given: object = { id: '7' }, name = 'get_order') => {
    const { agentId } = await agentWith();
    model.next({ calls: [call(name, given)] }, { content: 'Sorry.' });
    const { messages } = await ask(agentId, 'Where is 7?');
    expect(messages.at(-1)).toMatchObject({ role: 'assistant', content: 'Sorry.' });
    return results().c1 as string;
  };

  test('of arguments that are wrong, without a call', async () => {
    expect(await told({ item: 'tent', quantity: 0 }, 'create_order')).toMatch(
      /^The call was not made because its arguments are invalid:\nquantity: /,
    );
    expect(api.seen).toEqual([]);
  });

  test('of an error of the API, with its words', async () => {
    api.routes.set('GET /orders/7', answer('{"error": "gone"}', 'application/json', 410));
    expect(await told()).toBe('The API responded with 410:\n{"error":"gone"}');
  });

  test('of a redirect to a private address, which is not followed', async () => {
    api.routes.set('GET /orders/7', () => ({ status: 302, headers: { location: 'http://169.254.169.254/latest' } }));
    expect(await told()).toBe('The call failed: The address is private');
  });

  test('of a write that is redirected to where it cannot follow', async () => {
    api.routes.set('POST /orders', () => ({ status: 302, headers: { location: '/elsewhere' } }));
    expect(await told({ item: 'tent', quantity: 1 }, 'create_order')).toMatch(/redirects a POST request/);
    expect(api.seen).toHaveLength(1);
  });

  test('of a body without an end, by its beginning', async () => {
    api.routes.set('GET /orders/7', (_request, response) => {
      response.setHeader('content-type', 'text/plain');
      const more = (): unknown => response.write('endless '.repeat(10_000), (error) => error || more());
      more();
    });
    const text = await told();
    expect(text).toMatch(/^endless .*\[truncated: the response was longer; request less\]$/s);
    expect(text.length).toBeLessThan(8_000);
  });

  test('of a picture, by its kind', async () => {
    api.routes.set('GET /orders/7', answer('\x89PNG', 'image/png'));
    expect(await told()).toMatch(/^\[image\/png, \d+ bytes, which cannot be shown\]$/);
  });

  test('of text with a zero byte, which no database keeps', async () => {
    api.routes.set('GET /orders/7', answer('a\0b', 'text/plain'));
    expect(await told()).toBe('[3 bytes that are not text]');
  });

  test.each([
    ['GET /orders/7', { id: '7' }, 'get_order', 2],
    ['POST /orders', { item: 'tent', quantity: 1 }, 'create_order', 1],
  ] as const)('only a read is tried again: %s', async (line, given, name, times) => {
    let count = 0;
    api.routes.set(line, () => {
      count += 1;
      return { status: 503, body: 'busy', headers: { 'content-type': 'text/plain' } };
    });
    expect(await told(given, name)).toBe('The API responded with 503:\nbusy');
    expect(count).toBe(times);
  });
});

describe('a token of the workspace', () => {
  const auth = { type: 'service_http', tokenName: 'X-Key', tokenPrefix: 'Key ', serviceToken: 'service-token-123' };

  test('is sent in its place, and to nobody who is shown the plugin', async () => {
    const { agentId, pluginId } = await agentWith({ auth });
    model.next({ calls: [call('get_order', { id: '7' })] }, { content: 'Shipped.' });
    await ask(agentId, 'Where is 7?');
    expect(api.seen[0]?.headers).toMatchObject({ 'x-key': 'Key service-token-123' });
    const shown = await gateway.data(home.owner, 'query($id: ID!) { plugin(id: $id) { auth { serviceToken } } }', {
      id: pluginId,
    });
    expect(shown.plugin.auth.serviceToken).toBe('••••-123');
    const path = `/rest/credentials?agentId=${agentId}&pluginId=${pluginId}`;
    expect((await gateway.rest(home.editor, 'GET', path)).body).toEqual({ accessToken: 'service-token-123' });
    expect((await gateway.rest(home.viewer, 'GET', path)).status).toBe(403);
  });

  test('does not follow a redirect to another host', async () => {
    const { agentId } = await agentWith({ auth });
    const elsewhere = api.url('/elsewhere').replace('127.0.0.1', 'localhost');
    api.routes.set('GET /orders/7', () => ({ status: 302, headers: { location: elsewhere } }));
    const { guardedFetch } = gateway.services;
    gateway.services.guardedFetch = createGuardedFetch({ allowHosts: ['127.0.0.1', 'localhost'] });
    try {
      model.next({ calls: [call('get_order', { id: '7' })] }, { content: 'Moved.' });
      await ask(agentId, 'Where is 7?');
    } finally {
      gateway.services.guardedFetch = guardedFetch;
    }
    expect(api.seen.map(({ url, headers }) => [url, headers['x-key']])).toEqual([
      ['/orders/7', 'Key service-token-123'],
      ['/elsewhere', undefined],
    ]);
  });
});

test('the embedded model calls a plugin that a message plainly asks for', async () => {
  const { agentId } = await agentWith();
  const choosing = 'mutation($i: UpdateAgentInput!) { updateAgent(input: $i) { agent { id } } }';
  await gateway.data(home.editor, choosing, { i: { id: agentId, model: 'embedded' } });
  const { messages } = await ask(agentId, 'Please get order id: A77');
  expect(messages).toMatchObject([
    { toolCalls: [{ name: 'get_order', arguments: { id: 'A77' } }] },
    { role: 'tool', content: expect.stringContaining('Hermes') },
    { role: 'assistant', content: expect.stringMatching(/get_order answered.*Hermes/s) },
  ]);
});
