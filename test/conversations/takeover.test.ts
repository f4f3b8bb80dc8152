import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Viewer } from '../../src/core/viewer.ts';
import { openReplica, say } from '../support/conversations/streaming.ts';
import { expectFailure, useGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { createScriptedModel } from '../support/model/scripted-model.ts';

const gateway = useGateway();
let scripted: ReturnType<typeof createScriptedModel>;
let home: TestWorkspace;
let agent: { id: string };
beforeAll(async () => {
  scripted = createScriptedModel(gateway.services.model);
  gateway.services.model = scripted.service;
  home = await makeWorkspace(gateway);
  agent = await makeAgent(gateway, home.editor);
});
beforeEach(() => {
  scripted.held = false;
});

const send = (body: object) => gateway.rest(home.app, 'POST', `/api/${agent.id}`, body);
const fields = 'conversation { id status takenOverBy takenOverAt }';
const takeOver = `mutation ($id: ID!) { takeOverConversation(input: { conversationId: $id }) { ${fields} } }`;
const handBack = `mutation ($id: ID!) { handBackConversation(input: { conversationId: $id }) { ${fields} } }`;
const write = `mutation ($input: SendAsPersonInput!) {
  sendAsPerson(input: $input) { message { id position role content metadata createdBy creator { ... on User { id } } } }
}`;
const setStatus = `mutation ($id: ID!, $status: ConversationStatus!) {
  updateConversation(input: { id: $id, status: $status }) { conversation { takenOverBy takenOverAt } }
}`;
const setWaiting = `mutation ($id: ID!) {
  updateConversation(input: { id: $id, status: waiting_human }) { conversation { status } }
}`;
const stored = (conversationId: string) =>
  gateway.database.message.findMany({ where: { conversationId }, orderBy: { position: 'asc' } });
const begin = async (content = 'Hello') => (await send(say(content))).body.id as string;
const usage = async () => (await gateway.rest(home.viewer, 'GET', '/rest/interactions')).body.current as number;
const person = (viewer: Viewer, input: object) => gateway.graphql(viewer, write, { input });

describe('a person who takes a conversation over', () => {
  test('is named with the time, and the agent is silent until it is handed back', async () => {
    const id = await begin();
    const taken = (await gateway.data(home.editor, takeOver, { id })).takeOverConversation.conversation;
    expect(taken).toEqual({
      id,
      status: 'waiting_human',
      takenOverBy: home.editor.userId,
      takenOverAt: expect.any(String),
    });
    expect((await gateway.data(home.editor, takeOver, { id })).takeOverConversation.conversation).toEqual(taken);
    const before = await usage();
    expect((await send(say('Anybody?', { id }))).body).toMatchObject({ messages: [], status: 'waiting_human' });
    expect(await usage()).toBe(before);

    const other = (await gateway.data(home.admin, takeOver, { id })).takeOverConversation.conversation;
    expect(other.takenOverBy).toBe(home.admin.userId);
    const back = (await gateway.data(home.editor, handBack, { id })).handBackConversation.conversation;
    expect(back).toEqual({ id, status: 'active', takenOverBy: null, takenOverAt: null });
    expect((await gateway.data(home.editor, handBack, { id })).handBackConversation.conversation).toEqual(back);
    expect((await send(say('And now?', { id }))).body.messages[0].content).toBe('Answer to And now?.');
  });

  test.each([
    ['here', takeOver],
    ['on another replica', takeOver],
    ['here, by the status alone', setWaiting],
    ['on another replica, by the status alone', setWaiting],
  ])('stops the reply that is under way %s, whose words are kept', async (place, operation) => {
    const id = await begin();
    scripted.held = true;
    const turn = send(say('Tell me much', { id }));
    const call = await scripted.next();
    call.say('Much is');
    if (place.startsWith('here')) await gateway.data(home.editor, operation, { id });
    else {
      const replica = await openReplica(gateway);
      await replica.fetch('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${await gateway.bearer(home.editor)}` },
        body: JSON.stringify({ query: operation, variables: { id } }),
      });
      await replica.close();
    }
    const written = await person(home.editor, { conversationId: id, content: 'I take over.' });
    expect(written.errors).toBeUndefined();
    const { body } = await turn;
    expect(body.messages[0]).toMatchObject({ content: 'Much is', metadata: { stopped: true } });
    expect(body.status).toBe('waiting_human');
    const messages = await stored(id);
    expect(messages.map(({ content }) => content)).toEqual([
      'Hello',
      'Answer to Hello.',
      'Tell me much',
      'Much is',
      'I take over.',
    ]);
    expect(messages.map(({ position }) => position)).toEqual([0, 1, 2, 3, 4]);
  });

  test('is forgotten when the status is set otherwise', async () => {
    const id = await begin();
    await gateway.data(home.editor, takeOver, { id });
    const { updateConversation } = await gateway.data(home.editor, setStatus, { id, status: 'resolved' });
    expect(updateConversation.conversation).toEqual({ takenOverBy: null, takenOverAt: null });
    expectFailure(await gateway.graphql(home.editor, handBack, { id }), 'conflict', /resolved/);
    await gateway.data(home.editor, setStatus, { id, status: 'archived' });
    expectFailure(await gateway.graphql(home.editor, takeOver, { id }), 'conflict', /archived/);
  });

  test('is let in with a bearer, the permission, and into conversations of the own workspace alone', async () => {
    const id = await begin();
    const other = await makeWorkspace(gateway);
    for (const document of [takeOver, handBack]) {
      expectFailure(await gateway.graphql(null, document, { id }), 'unauthorized');
      expectFailure(await gateway.graphql(home.viewer, document, { id }), 'forbidden');
      expectFailure(await gateway.graphql(other.owner, document, { id }), 'not_found', /^Conversation not found/);
    }
    const input = { conversationId: id, content: 'Hi' };
    expectFailure(await person(home.viewer, input), 'forbidden');
    expectFailure(await person(other.owner, input), 'not_found');
  });
});

describe('sendAsPerson', () => {
  test('writes a message that says who wrote it, costs nothing, and is told to the model and the visitor', async () => {
    const id = await begin();
    const before = await usage();
    const input = { conversationId: id, content: 'Bea here.', metadata: { desk: 4 } };
    const { message } = (await person(home.editor, input)).data.sendAsPerson;
    expect(message).toEqual({
      id: expect.stringMatching(/^msg_/),
      position: 2,
      role: 'assistant',
      content: 'Bea here.',
      metadata: { desk: 4, person: true },
      createdBy: home.editor.userId,
      creator: { id: home.editor.userId },
    });
    expect(await usage()).toBe(before);
    scripted.held = true;
    const turn = send(say('Hello Bea', { id }));
    const call = await scripted.next();
    expect(call.request.history.at(-2)).toMatchObject({ role: 'assistant', content: 'Bea here.' });
    call.end();
    await turn;
  });

  test('is written once by one key, and not with another text', async () => {
    const id = await begin();
    const input = { conversationId: id, content: 'Once', idempotencyKey: 'once' };
    const answers = await Promise.all([person(home.editor, input), person(home.editor, input)]);
    expect(answers.flatMap(({ errors = [] }) => errors.map((error) => error.extensions.code))).not.toContain(
      'internal_error',
    );
    const again = (await person(home.editor, input)).data.sendAsPerson.message;
    const messages = await stored(id);
    expect(messages.map(({ content }) => content)).toEqual(['Hello', 'Answer to Hello.', 'Once']);
    expect(again.id).toBe(messages[2]?.id);
    expectFailure(await person(home.editor, { ...input, content: 'Twice' }), 'idempotency_key_reused');
  });

  test('says what is wrong, by the keys that the caller gave', async () => {
    const id = await begin();
    expect(
      expectFailure(await person(home.editor, { conversationId: id }), 'invalid_request')?.extensions.issues,
    ).toEqual([{ message: 'content: must not be empty without attachments' }]);
    const long = { conversationId: id, content: 'x'.repeat(32_001) };
    expectFailure(await person(home.editor, long), 'invalid_request');
    expectFailure(await person(home.editor, { conversationId: 'cnv_none', content: 'Hi' }), 'not_found');
    await gateway.data(home.editor, setStatus, { id, status: 'archived' });
    expectFailure(await person(home.editor, { conversationId: id, content: 'Hi' }), 'conflict');
  });
});
