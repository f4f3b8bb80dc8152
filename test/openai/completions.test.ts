import { describe, expect, test } from 'vitest';
import { makeKey } from '../support/auth/keys.ts';
import { conversationOf, failure, hello, said, useOpenAi } from '../support/conversations/openai-client.ts';
import { makeAgent, makeWorkspace } from '../support/gateway/factories.ts';

const { world, usage, door, clientWith, ask, rowsOf } = useOpenAi();
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('agents as models', () => {
  test('are listed and found, none of another workspace and no archived one', async () => {
    const other = await makeWorkspace(world.gateway);
    const theirs = await makeAgent(world.gateway, other.editor);
    const archived = await makeAgent(world.gateway, world.home.editor);
    await world.gateway.database.agent.updateMany({ where: { id: archived.id }, data: { status: 'archived' } });
    const { data } = await door.client.models.list();
    const ids = data.map(({ id }) => id);
    expect(ids).toContain(door.model);
    expect(ids).not.toContain(theirs.id);
    expect(ids).not.toContain(archived.id);
    expect(await door.client.models.retrieve(door.model)).toEqual(data.find(({ id }) => id === door.model));
    expect(data.find(({ id }) => id === door.model)).toMatchObject({
      object: 'model',
      owned_by: world.home.id,
      created: expect.any(Number),
      name: expect.any(String),
    });
    expect(await failure(door.client.models.retrieve(theirs.id))).toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
  });

  test('more than one page of them', async () => {
    const many = await makeWorkspace(world.gateway);
    for (let count = 0; count < 101; count++) await makeAgent(world.gateway, many.editor);
    const { data } = await clientWith(await world.gateway.bearer(many.viewer)).models.list();
    expect(new Set(data.map(({ id }) => id)).size).toBe(101);
  });

  test('a key sees and uses only its agents', async () => {
    const mine = await makeAgent(world.gateway, world.home.editor);
    const scopes = ['agents.read', 'messages.send', 'conversations.read'];
    const key = clientWith(await makeKey(world.gateway, world.home.editor, { scopes, agentIds: [mine.id] }));
    expect((await key.models.list()).data.map(({ id }) => id)).toEqual([mine.id]);
    expect(await failure(key.chat.completions.create({ model: door.model, ...hello }))).toMatchObject({
      status: 404,
      code: 'model_not_found',
      param: 'model',
    });
  });
});

describe('a chat completion', () => {
  test('is a turn: counted, stored, by a visitor, in a conversation that the answer names', async () => {
    const before = await usage();
    const { completion, response } = await ask('Hello you', { user: 'ana', metadata: { seat: '7' } });
    expect(completion).toMatchObject({
      id: expect.stringMatching(/^msg_/),
      object: 'chat.completion',
      model: door.model,
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hello you' } }],
      usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
    });
    const conversation = await world.gateway.database.conversation.findFirstOrThrow({
      where: { id: conversationOf(response) },
    });
    expect(conversation).toMatchObject({ agentId: door.model, platform: 'api', platformUserIdentifier: 'ana' });
    expect(await rowsOf(conversation.id)).toMatchObject([
      { role: 'user', content: 'Hello', metadata: { seat: '7' } },
      { role: 'assistant', content: 'Hello you', id: completion.id },
    ]);
    expect(await usage()).toBe(before + 1);
  });

  test('without the header begins a conversation with the history that was sent', async () => {
    const messages = [
      { role: 'system', content: 'You are a pirate.' },
      said('Who are you?'),
      { role: 'assistant', content: 'The host.' },
      said('And I?'),
    ];
    const { response, call } = await ask('Ana', { messages });
    const stored = await rowsOf(conversationOf(response));
    expect(stored.map(({ content }) => content)).toEqual(['Who are you?', 'The host.', 'And I?', 'Ana']);
    expect(JSON.stringify(call.body.messages)).not.toContain('pirate');
    const again = await ask('Ana', { messages });
    expect(conversationOf(again.response)).not.toBe(conversationOf(response));
  });

  test('with the header goes on there, with what is new: by its ID, or by a name of the caller', async () => {
    const first = await ask('One');
    const id = conversationOf(first.response);
    const reply = { role: 'assistant', content: 'One' };
    const next = await ask('Two', { messages: [said('Hello'), reply, said('More')] }, { 'X-Parley-Conversation': id });
    expect(conversationOf(next.response)).toBe(id);
    expect((await rowsOf(id)).map(({ content }) => content)).toEqual(['Hello', 'One', 'More', 'Two']);
    const named = { 'X-Parley-Conversation': 'help desk 7' };
    const begun = conversationOf((await ask('A', {}, named)).response);
    expect(conversationOf((await ask('B', {}, named)).response)).toBe(begun);
    const missing = { headers: { 'X-Parley-Conversation': `cnv_${'0'.repeat(26)}` } };
    expect(await failure(door.client.chat.completions.create({ model: door.model, ...hello }, missing))).toMatchObject({
      status: 404,
      code: 'not_found',
    });
  });

  test('takes more history than a turn may have: the latest 100 messages', async () => {
    const messages = Array.from({ length: 150 }, (_, index) =>
      index % 2 === 0 ? said(`Q${index}`) : { role: 'assistant', content: `A${index}` },
    );
    const { response } = await ask('Yes', { messages: [...messages, said('Still there?')] });
    const stored = await rowsOf(conversationOf(response));
    expect([stored.length, stored.at(-2)?.content]).toEqual([101, 'Still there?']);
  });

  test('reads an image as an attachment', async () => {
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
    ];
    const { response, call } = await ask('A pixel.', { messages: [{ role: 'user', content }] });
    expect(JSON.stringify(call.body.messages)).toContain(pixel);
    const [first] = await rowsOf(conversationOf(response));
    expect(first).toMatchObject({ content: 'What is this?', attachments: [{ type: 'image', mimeType: 'image/png' }] });
  });

  test('in a format: any JSON, or that of a schema', async () => {
    const object = await ask('{"a": 1}', { response_format: { type: 'json_object' } });
    expect(JSON.parse(object.completion.choices[0]?.message.content ?? '')).toEqual({ a: 1 });
    const schema = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
    const given = { type: 'json_schema', json_schema: { name: 'person', schema } };
    const { completion } = await ask('{"name": "Ana"}', { response_format: given });
    expect(JSON.parse(completion.choices[0]?.message.content ?? '')).toEqual({ name: 'Ana' });
  });

  test('is given once for an Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'k1' };
    const { completion } = await ask('Once', {}, headers);
    const again = await door.client.chat.completions.create({ model: door.model, ...hello }, { headers });
    expect(again).toEqual({ ...completion, created: expect.any(Number) });
  });
});
