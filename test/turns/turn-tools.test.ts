import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Gateway, openGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { startOpenAiServer } from '../support/model/openai-server.ts';
import { useApiServer } from '../support/plugins/api-server.ts';

const key = 'sk-tools';
const api = useApiServer();
let model: Awaited<ReturnType<typeof startOpenAiServer>>;
let gateway: Gateway;
let home: TestWorkspace;
/** An agent with the orders API, and one without plugins. */
let agentId: string;
let plainId: string;
beforeAll(async () => {
  model = await startOpenAiServer(key);
  gateway = await openGateway({ MODEL_BASE_URL: model.baseUrl, MODEL_NAME: 'm', MODEL_API_KEY: key });
  home = await makeWorkspace(gateway);
  const importing = 'mutation($url: String!) { importPlugin(input: {url: $url}) { plugin { id } } }';
  const { plugin } = (await gateway.data(home.editor, importing, { url: api.url('/openapi.json') })).importPlugin;
  const creating = 'mutation { createAgent(input: {name: "Host", behaviorType: advanced}) { agent { id } } }';
  agentId = (await gateway.data(home.editor, creating)).createAgent.agent.id;
  plainId = (await gateway.data(home.editor, creating)).createAgent.agent.id;
  await gateway.data(
    home.editor,
    `mutation { attachPlugin(input: {agentId: "${agentId}", pluginId: "${plugin.id}"}) { agent { id } } }`,
  );
});
beforeEach(() => void (model.requests.length = 0));
afterAll(async () => {
  await gateway.close();
  await model.close();
});

let keys = 0;
const tent = { item: 'tent', quantity: 1 };
const create = (given: object = tent, id = 'c1') => ({ id, name: 'create_order', arguments: JSON.stringify(given) });
const broken = { status: 400, error: 'The model fails.' };
/** Sends a message; the same `idempotencyKey` retries the same turn. */
const send = (idempotencyKey: string) =>
  gateway.rest(
    home.app,
    'POST',
    `/api/${agentId}`,
    { message: { content: 'Order a tent' } },
    { 'idempotency-key': idempotencyKey },
  );
const result = () => model.requests.at(-1)?.messages.at(-1)?.content;
const orders = () => api.seen.filter(({ method }) => method === 'POST').length;

describe('what a plugin was asked to change is not asked for again when a turn is tried again', () => {
  test('after the model failed behind it: the later try is told what came of it', async () => {
    const again = `k${++keys}`;
    model.next({ calls: [create()] }, broken);
    expect((await send(again)).status).toBe(502);
    const told = result();
    model.next({ calls: [create({ quantity: 1, item: 'tent' }, 'c9')] }, { content: 'Ordered.' });
    const { status, body } = await send(again);
    expect([status, body.messages.at(-1).content, orders()]).toEqual([200, 'Ordered.', 1]);
    expect(result()).toBe(told);
    expect(told).toContain('order-9');
  });

  test('and is seen in the conversation, from where the later try goes on', async () => {
    const again = `k${++keys}`;
    model.next({ calls: [create()], content: 'One moment.' }, { calls: [create({ item: 'hut' }, 'c2')] }, broken);
    expect((await send(again)).status).toBe(502);
    const { turnId } = await gateway.database.idempotency.findFirstOrThrow({ where: { key: again } });
    const { conversationId } = await gateway.database.turn.findFirstOrThrow({ where: { id: turnId ?? '' } });
    const messages = () =>
      gateway.database.message.findMany({ where: { conversationId }, orderBy: { position: 'asc' } });
    const failed = await messages();
    expect(failed).toMatchObject([
      { role: 'user' },
      { role: 'assistant', toolCalls: [{ name: 'create_order', arguments: tent }] },
      { role: 'tool', content: expect.stringContaining('order-9') },
      { role: 'assistant', toolCalls: [{ name: 'create_order', arguments: { item: 'hut' } }] },
      { role: 'tool', content: expect.stringMatching(/arguments are invalid/) },
    ]);
    model.next({ content: 'Ordered.' });
    const { status, body } = await send(again);
    expect([status, orders()]).toEqual([200, 1]);
    expect(model.requests.at(-1)?.messages.filter(({ role }) => role === 'tool')).toHaveLength(2);
    const after = await messages();
    expect(after.map(({ id, position }) => [id, position])).toEqual(
      [...failed.map(({ id }) => id), body.messages.at(-1).id].map((id, position) => [id, position]),
    );
    expect(body.messages.map(({ id }: { id: string }) => id)).toEqual(after.slice(1).map(({ id }) => id));
  });

  test('after the process died while the API was asked: nobody knows', async () => {
    const again = `k${++keys}`;
    model.next({ calls: [create()] }, broken);
    await send(again);
    // As a process leaves it when killed during the call.
    await gateway.database.$executeRaw`UPDATE "PluginCall" SET "result" = NULL WHERE "workspaceId" = ${home.id}`;
    model.next({ calls: [create()] }, { content: 'I am not sure.' });
    expect((await send(again)).status).toBe(200);
    expect([orders(), result()]).toEqual([1, expect.stringMatching(/not known; it was not repeated/)]);
  });

  test('but another call, a second equal one, and one that changed nothing are made', async () => {
    const again = `k${++keys}`;
    model.next({ calls: [create(), create(tent, 'c2')] }, broken);
    await send(again);
    expect(orders()).toBe(2);
    api.routes.set('POST /orders', () => ({ status: 422, body: 'No hut left' }));
    model.next({ calls: [create({ item: 'hut', quantity: 1 }, 'c3')] }, broken);
    await send(again);
    api.routes.clear();
    model.next({ calls: [create(tent, 'c4'), create({ item: 'hut', quantity: 1 }, 'c5')] }, { content: 'Ordered.' });
    expect((await send(again)).status).toBe(200);
    expect(orders()).toBe(4);
  });

  test('and the next turn asks for it anew', async () => {
    model.next({ calls: [create()] }, { content: 'Ordered.' });
    expect((await send(`k${++keys}`)).status).toBe(200);
    expect(orders()).toBe(1);
  });
});

const parameters = { type: 'object', properties: { city: { type: 'string' } } };
/** One tool in each of the formats that callers use. */
const tools = [
  { name: 'weather', parameters },
  { type: 'function', function: { name: 'tides', parameters } },
];
const look = (name: string, id: string) => ({ id, name, arguments: '{"city":"Faro"}' });
const post = async (body: object) => gateway.rest(home.app, 'POST', `/api/${plainId}`, { tools, ...body });
const answer = (toolCallId: string, content: string) => ({ role: 'tool', toolCallId, content });
/** A conversation in which the model waits for two results. The model refuses histories whose pairs are broken. */
async function asked(ids = ['c1', 'c2']) {
  model.next({ calls: [look('weather', ids[0] ?? ''), look('tides', ids[1] ?? '')] });
  const { body } = await post({ message: { content: 'Can I swim in Faro?' } });
  expect(body.messages).toMatchObject([
    { role: 'assistant', content: null, toolCalls: [{ name: 'weather' }, { name: 'tides' }] },
  ]);
  return { id: body.id as string, calls: body.messages[0].toolCalls.map((one: { id: string }) => one.id) as string[] };
}
const told = () => model.requests.at(-1)?.messages.flatMap((one) => (one.role === 'tool' ? [one.content] : []));

describe('several tools of the caller that are called in one turn', () => {
  test('are answered together, and the reply follows', async () => {
    const { id } = await asked();
    model.next({ content: 'Yes.' });
    const { status, body } = await post({ id, messages: [answer('c2', 'low'), answer('c1', 'sun')] });
    expect([status, body.messages.at(-1).content, told()]).toEqual([200, 'Yes.', ['sun', 'low']]);
  });

  test('or one after another: the reply waits for the last', async () => {
    const { id } = await asked();
    const first = await post({ id, message: answer('c1', 'sun') });
    expect([first.status, first.body.messages, model.requests.length]).toEqual([200, [], 1]);
    model.next({ content: 'Yes.' });
    expect((await post({ id, message: answer('c2', 'low') })).body.messages).toMatchObject([{ content: 'Yes.' }]);
    expect(told()).toEqual(['sun', 'low']);
  });

  test('or in part, when the next message closes the others as not executed', async () => {
    const { id } = await asked();
    await post({ id, message: answer('c1', 'sun') });
    model.next({ content: 'I can only tell the weather.' });
    expect((await post({ id, message: { content: 'Never mind the tides' } })).status).toBe(200);
    expect(told()).toEqual(['sun', 'not executed']);
    const late = await post({ id, message: answer('c2', 'low') });
    expect([late.status, late.body.code]).toEqual([400, 'unknown_tool_call']);
  });

  test('each once', async () => {
    const { id } = await asked();
    await post({ id, message: answer('c1', 'sun') });
    expect((await post({ id, message: answer('c1', 'rain') })).body.code).toBe('unknown_tool_call');
  });

  test('and told apart though the model gave them one id', async () => {
    const { id, calls } = await asked(['c1', 'c1']);
    expect(new Set(calls).size).toBe(2);
    model.next({ content: 'Yes.' });
    const results = calls.map((callId, index) => answer(callId, `result ${index}`));
    expect((await post({ id, messages: results })).status).toBe(200);
    expect(told()).toEqual(['result 0', 'result 1']);
  });
});
