import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { useApiServer } from './api-server.ts';
import { type Gateway, openGateway } from './app.ts';
import { makeWorkspace, type TestWorkspace } from './factories.ts';
import { startOpenAiServer } from './openai-server.ts';

const key = 'sk-once';
const api = useApiServer();
let model: Awaited<ReturnType<typeof startOpenAiServer>>;
let gateway: Gateway;
let home: TestWorkspace;
let agentId: string;
beforeAll(async () => {
  model = await startOpenAiServer(key);
  gateway = await openGateway({ MODEL_BASE_URL: model.baseUrl, MODEL_NAME: 'm', MODEL_API_KEY: key });
  home = await makeWorkspace(gateway);
  const importing = 'mutation($url: String!) { importPlugin(input: {url: $url}) { plugin { id } } }';
  const { plugin } = (await gateway.data(home.editor, importing, { url: api.url('/openapi.json') })).importPlugin;
  const creating = 'mutation { createAgent(input: {name: "Host", behaviorType: advanced}) { agent { id } } }';
  agentId = (await gateway.data(home.editor, creating)).createAgent.agent.id;
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
/** Sends a message; the same `idempotencyKey` is a try of the same turn. */
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

  test('after the process died while the API was asked: nobody knows', async () => {
    const again = `k${++keys}`;
    model.next({ calls: [create()] }, broken);
    await send(again);
    // As a process leaves it that is killed in the middle of the call.
    await gateway.database.$executeRaw`UPDATE "PluginCall" SET "result" = NULL WHERE "workspaceId" = ${home.id}`;
    model.next({ calls: [create()] }, { content: 'I am not sure.' });
    expect((await send(again)).status).toBe(200);
    expect([orders(), result()]).toEqual([1, expect.stringMatching(/not known; it was not made again/)]);
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
