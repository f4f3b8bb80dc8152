import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectFailure, type Gateway, openGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { anthropicProtocol } from '../support/model/anthropic.ts';
import { googleProtocol } from '../support/model/google.ts';
import { startModelServer } from '../support/model/model-server.ts';

type Server = Awaited<ReturnType<typeof startModelServer>>;
let claude: Server;
let gemini: Server;
let gateway: Gateway;
let home: TestWorkspace;
beforeAll(async () => {
  claude = await startModelServer(anthropicProtocol('k1'));
  gemini = await startModelServer(googleProtocol('k2'));
  const MODELS = `smart=anthropic:claude-haiku-4-5?url=${claude.address}/v1&key=K1&input=3&output=15&context=200000,fast=google:gemini-x?url=${gemini.address}/v1beta&key=K2`;
  gateway = await openGateway({ MODELS, K1: 'k1', K2: 'k2', MODEL_DEFAULT: 'embedded', MODEL_TIMEOUT_MS: '50000' });
  home = await makeWorkspace(gateway);
});
afterAll(async () => {
  await gateway.close();
  await Promise.all([claude.close(), gemini.close()]);
});

const create = 'mutation ($input: CreateAgentInput!) { createAgent(input: $input) { agent { id } } }';
const update = `mutation ($input: UpdateAgentInput!) {
  updateAgent(input: $input) { agent { model fallbackModel temperature maxOutputTokens timeoutMs } } }`;

/** The agent's reply to "Hello", and the model that wrote it. */
async function hello(agentId: string): Promise<{ content: string; model: string }> {
  const { status, body } = await gateway.rest(home.app, 'POST', `/api/${agentId}`, { message: { content: 'Hello' } });
  expect(status).toBe(200);
  return { content: body.messages[0].content, model: body.messages[0].metadata.model };
}

test('the models that agents may choose are listed, the default first, without keys and addresses', async () => {
  const { models } = await gateway.data(
    home.viewer,
    '{ models { name provider model isDefault contextTokens restsFor price { input cached output } } }',
  );
  const rest = { contextTokens: null, restsFor: 0, price: null, isDefault: false };
  expect(models).toEqual([
    { ...rest, name: 'embedded', provider: 'embedded', model: 'embedded', isDefault: true },
    {
      ...rest,
      name: 'smart',
      provider: 'anthropic',
      model: 'claude-haiku-4-5',
      contextTokens: 200_000,
      price: { input: 3, cached: 3, output: 15 },
    },
    { ...rest, name: 'fast', provider: 'google', model: 'gemini-x' },
  ]);
});

describe('an agent', () => {
  test('answers with the default model until it chooses one, and with that at once', async () => {
    const { id } = await makeAgent(gateway, home.editor);
    expect((await hello(id)).model).toBe('embedded');
    const choice = { model: 'smart', fallbackModel: 'fast', temperature: 0.5, maxOutputTokens: 50, timeoutMs: 40_000 };
    expect((await gateway.data(home.editor, update, { input: { id, ...choice } })).updateAgent.agent).toEqual(choice);
    claude.next({ say: ['I am', ' Claude.'] });
    expect(await hello(id)).toEqual({ content: 'I am Claude.', model: 'smart' });
    expect(claude.requests.at(-1)?.body).toMatchObject({ model: 'claude-haiku-4-5', temperature: 0.5, max_tokens: 50 });
    claude.next({ status: 400 });
    gemini.next({ say: ['I am', ' Gemini.'] });
    expect(await hello(id)).toEqual({ content: 'I am Gemini.', model: 'fast' });
    const none = { model: null, fallbackModel: null, temperature: null, maxOutputTokens: null, timeoutMs: null };
    expect((await gateway.data(home.editor, update, { input: { id, ...none } })).updateAgent.agent).toEqual(none);
    expect((await hello(id)).model).toBe('embedded');
  });

  test.each([
    [{ model: 'gpt-9' }, 'model: no model has this name. Available models: embedded, smart, fast.'],
    [{ fallbackModel: 'Smart' }, 'fallbackModel: no model has this name. Available models: embedded, smart, fast.'],
    [{ model: '' }, 'model: no model has this name. Available models: embedded, smart, fast.'],
    [{ fallbackModel: '' }, 'fallbackModel: no model has this name. Available models: embedded, smart, fast.'],
    [{ temperature: 2.1 }, 'temperature: must be between 0 and 2'],
    [{ maxOutputTokens: 0 }, 'maxOutputTokens: must be between 1 and 1000000'],
    [{ timeoutMs: 999 }, 'timeoutMs: must be 1000 or more'],
    [{ timeoutMs: 50_001 }, 'timeoutMs: must be at most 50000, the time that a reply may take here'],
  ])('is not made with %j', async (wrong, message) => {
    const answer = await gateway.graphql(home.editor, create, { input: { name: 'Ana', ...wrong } });
    expectFailure(answer, 'invalid_request');
    expect(answer.errors?.[0]?.message).toBe(message);
  });

  test('shows nothing of its model in REST, whose shape is the specification’s', async () => {
    await makeAgent(gateway, home.editor, { model: 'smart' });
    const { body } = await gateway.rest(home.viewer, 'GET', '/rest/agents');
    expect(Object.keys(body.data[0])).not.toEqual(expect.arrayContaining(['model']));
  });
});
