import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Gateway, openGateway } from './app.ts';
import { makeWorkspace, type TestWorkspace } from './factories.ts';
import { startOpenAiServer } from './openai-server.ts';

const key = 'sk-tools';
let model: Awaited<ReturnType<typeof startOpenAiServer>>;
let gateway: Gateway;
let home: TestWorkspace;
let agentId: string;
beforeAll(async () => {
  model = await startOpenAiServer(key);
  gateway = await openGateway({ MODEL_BASE_URL: model.baseUrl, MODEL_NAME: 'm', MODEL_API_KEY: key });
  home = await makeWorkspace(gateway);
  agentId = (await gateway.data(home.editor, 'mutation { createAgent(input: {name: "Host"}) { agent { id } } }'))
    .createAgent.agent.id;
});
beforeEach(() => void (model.requests.length = 0));
afterAll(async () => {
  await gateway.close();
  await model.close();
});

const parameters = { type: 'object', properties: { city: { type: 'string' } } };
/** One tool in each of the shapes that callers give. */
const tools = [
  { name: 'weather', parameters },
  { type: 'function', function: { name: 'tides', parameters } },
];
const call = (name: string, id: string) => ({ id, name, arguments: '{"city":"Faro"}' });
const send = async (body: object) => gateway.rest(home.app, 'POST', `/api/${agentId}`, { tools, ...body });
const result = (toolCallId: string, content: string) => ({ role: 'tool', toolCallId, content });
/** A conversation in which the model waits for two results. The model refuses histories whose pairs are broken. */
async function asked(ids = ['c1', 'c2']) {
  model.next({ calls: [call('weather', ids[0] ?? ''), call('tides', ids[1] ?? '')] });
  const { body } = await send({ message: { content: 'Can I swim in Faro?' } });
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
    const { status, body } = await send({ id, messages: [result('c2', 'low'), result('c1', 'sun')] });
    expect([status, body.messages.at(-1).content, told()]).toEqual([200, 'Yes.', ['sun', 'low']]);
  });

  test('or one after another: the reply waits for the last', async () => {
    const { id } = await asked();
    const first = await send({ id, message: result('c1', 'sun') });
    expect([first.status, first.body.messages, model.requests.length]).toEqual([200, [], 1]);
    model.next({ content: 'Yes.' });
    expect((await send({ id, message: result('c2', 'low') })).body.messages).toMatchObject([{ content: 'Yes.' }]);
    expect(told()).toEqual(['sun', 'low']);
  });

  test('or in part, when the next message closes the others as not executed', async () => {
    const { id } = await asked();
    await send({ id, message: result('c1', 'sun') });
    model.next({ content: 'I can only tell the weather.' });
    expect((await send({ id, message: { content: 'Never mind the tides' } })).status).toBe(200);
    expect(told()).toEqual(['sun', 'not executed']);
    const late = await send({ id, message: result('c2', 'low') });
    expect([late.status, late.body.code]).toEqual([400, 'unknown_tool_call']);
  });

  test('each once', async () => {
    const { id } = await asked();
    await send({ id, message: result('c1', 'sun') });
    expect((await send({ id, message: result('c1', 'rain') })).body.code).toBe('unknown_tool_call');
  });

  test('and told apart though the model gave them one id', async () => {
    const { id, calls } = await asked(['c1', 'c1']);
    expect(new Set(calls).size).toBe(2);
    model.next({ content: 'Yes.' });
    const results = calls.map((callId, index) => result(callId, `result ${index}`));
    expect((await send({ id, messages: results })).status).toBe(200);
    expect(told()).toEqual(['result 0', 'result 1']);
  });
});
