import { describe, expect, test } from 'vitest';
import { makeKey } from '../support/auth/keys.ts';
import { failure, getOrder, hello, useOpenAi } from '../support/conversations/openai-client.ts';
import { makeAgent, makeWorkspace } from '../support/gateway/factories.ts';

const { world, door, clientWith } = useOpenAi();

describe('errors are in the shape of OpenAI', () => {
  const create = (body: object, by = door.client) =>
    failure(by.chat.completions.create({ model: door.model, ...hello, ...body } as never));

  test('401 for no valid bearer', async () => {
    expect(await create({}, clientWith('sk-none'))).toMatchObject({ status: 401, code: 'invalid_api_key' });
    expect(await failure(clientWith('sk-none').models.list())).toMatchObject({
      status: 401,
      type: 'authentication_error',
    });
  });

  test('403 for a scope that is missing, and for a key that is limited to saved operations', async () => {
    const reader = clientWith(await makeKey(world.gateway, world.home.editor, { scopes: ['agents.read'] }));
    expect(await create({}, reader)).toMatchObject({ status: 403, code: 'forbidden', type: 'permission_error' });
    const scopes = ['agents.read', 'messages.send'];
    const limited = clientWith(await makeKey(world.gateway, world.home.editor, { scopes, operations: ['agents'] }));
    expect(await create({}, limited)).toMatchObject({ status: 403, code: 'forbidden' });
  });

  test.each([
    ['a model that is not there', { model: 'gpt-5' }, 404, 'model_not_found', 'model'],
    ['no messages', { messages: [] }, 400, 'invalid_request', 'messages'],
    [
      'a role that is none',
      { messages: [{ role: 'guest', content: 'Hi' }] },
      400,
      'invalid_request',
      'messages.0.role',
    ],
    [
      'nothing but a system message',
      { messages: [{ role: 'system', content: 'Hi' }] },
      400,
      'invalid_request',
      'messages',
    ],
    ['two answers', { n: 2 }, 400, 'invalid_request', 'n'],
    ['a forced call', { tools: [getOrder], tool_choice: 'required' }, 400, 'invalid_request', 'tool_choice'],
    ['a tool without a name', { tools: [{ type: 'function', function: {} }] }, 400, 'invalid_request', 'tools.0.name'],
    [
      'a file by its id',
      { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }] },
      400,
      'invalid_request',
      'messages.0.content.0.file.file_data',
    ],
    [
      'an image that is none',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:x' } }] }] },
      400,
      'invalid_request',
      'messages.0.content.0.image_url.url',
    ],
  ])('%s', async (_, body, status, code, param) => {
    expect(await create(body)).toMatchObject({ status, code, param, type: 'invalid_request_error' });
  });

  test('429 for a key beyond its rate, and for a workspace without interactions left', async () => {
    const scopes = ['messages.send', 'agents.read'];
    const once = clientWith(await makeKey(world.gateway, world.home.editor, { scopes, ratePerMinute: 1 }));
    await once.models.list();
    expect(await failure(once.models.list())).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
    const poor = await makeWorkspace(world.gateway, 0);
    const agent = await makeAgent(world.gateway, poor.editor);
    const broke = clientWith(await world.gateway.bearer(poor.app));
    expect(await create({ model: agent.id }, broke)).toMatchObject({ status: 429, code: 'insufficient_quota' });
  });

  test('502 for a model that fails, before a stream begins too', async () => {
    const asked = create({ stream: true });
    (await world.model.next()).fail(400);
    expect(await asked).toMatchObject({ status: 502, code: 'model_error', type: 'server_error' });
  });

  test('404 and 405 for what is not there', async () => {
    expect(await failure(door.client.embeddings.create({ model: door.model, input: 'x' }))).toMatchObject({
      status: 404,
    });
    const response = await fetch(`${door.url}/v1/chat/completions`);
    expect([response.status, response.headers.get('allow'), await response.json()]).toEqual([
      405,
      'POST',
      { error: expect.objectContaining({ code: 'method_not_allowed' }) },
    ]);
  });
});
