import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import { say } from '../support/conversations/streaming.ts';
import { expectFailure, useGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { createScriptedModel } from '../support/model/scripted-model.ts';

const gateway = useGateway();
let home: TestWorkspace;
let agentId: string;
let from: string;
beforeAll(async () => {
  gateway.services.model = createScriptedModel(gateway.services.model).service;
  home = await makeWorkspace(gateway);
  agentId = (await makeAgent(gateway, home.editor)).id;
  const { body } = await gateway.rest(home.app, 'POST', `/api/${agentId}`, {
    ...say('One'),
    platformUserIdentifier: 'ana',
  });
  from = body.id;
  for (const content of ['Two', 'Three'])
    await gateway.rest(home.app, 'POST', `/api/${agentId}`, say(content, { id: from }));
});

const mutation = `mutation ($input: SendMessageInput!) { sendMessage(input: $input) {
  conversation {
    id title messageCount platformUserIdentifier
    branchedFrom { conversationId messageId conversation { id } message { content } }
    messages { nodes { id position role content } }
  }
  messages { content }
} }`;
const branch = (edit: string, more: object = {}, viewer: TestWorkspace['owner'] | null = home.editor) =>
  gateway.graphql(viewer, mutation, { input: { agentId, edit, message: { content: 'Two, but other' }, ...more } });
const stored = (conversationId: string) =>
  gateway.database.message.findMany({ where: { conversationId }, orderBy: { position: 'asc' } });
const at = async (position: number) => (await stored(from))[position]?.id ?? '';

describe('a message that is edited', () => {
  test('begins a conversation with copies of what stood before it; the old one stays', async () => {
    const before = await stored(from);
    const edited = await at(2);
    const { sendMessage } = (await branch(edited)).data;
    const { conversation, messages } = sendMessage;
    expect(messages).toEqual([{ content: 'Answer to Two, but other.' }]);
    expect(conversation).toMatchObject({ title: 'One', messageCount: 4, platformUserIdentifier: 'ana' });
    expect(conversation.branchedFrom).toEqual({
      conversationId: from,
      messageId: edited,
      conversation: { id: from },
      message: { content: 'Two' },
    });
    expect(conversation.messages.nodes.map(({ position, content }: never) => [position, content])).toEqual([
      [0, 'One'],
      [1, 'Answer to One.'],
      [2, 'Two, but other'],
      [3, 'Answer to Two, but other.'],
    ]);
    const ids = conversation.messages.nodes.map(({ id }: { id: string }) => id);
    expect(before.filter(({ id }) => ids.includes(id))).toEqual([]);
    expect(await stored(from)).toEqual(before);
    // The original message already counted the tokens.
    const [, copy] = await stored(conversation.id);
    expect(copy).toMatchObject({ promptTokens: null, createdAt: before[1]?.createdAt });
    const list = await gateway.rest(home.app, 'GET', `/rest/conversations/list/${agentId}?page=1&size=10`);
    expect(list.body.data.map(({ id }: { id: string }) => id)).toContain(conversation.id);
    const again = await branch(ids[2], { message: { content: 'A third way' } });
    expect(again.data.sendMessage.conversation.branchedFrom.conversationId).toBe(conversation.id);
  });

  test('the first one, begins anew; it outlives what it comes from', async () => {
    const { body } = await gateway.rest(home.app, 'POST', `/api/${agentId}`, say('Alone'));
    const [first] = await stored(body.id);
    const { conversation } = (await branch(first?.id ?? '')).data.sendMessage;
    expect(conversation.messageCount).toBe(2);
    await gateway.database.conversation.deleteMany({ where: { id: body.id } });
    const read = `query ($id: ID!) { conversation(id: $id) { branchedFrom { conversationId conversation { id } message { id } } } }`;
    expect((await gateway.data(home.viewer, read, { id: conversation.id })).conversation.branchedFrom).toEqual({
      conversationId: body.id,
      conversation: null,
      message: null,
    });
  });

  test('by one key, at once, branches off once', async () => {
    const edited = await at(4);
    const count = () => gateway.database.conversation.count({ where: { branchedAtId: edited } });
    await Promise.all([1, 2].map(() => branch(edited, { idempotencyKey: 'branch' })));
    expect((await branch(edited, { idempotencyKey: 'branch' })).errors).toBeUndefined();
    expect(await count()).toBe(1);
  });

  test('is refused behind more than 1,000 messages', async () => {
    const { id } = await gateway.database.conversation.create({
      data: {
        id: newId('conversation'),
        workspaceId: home.id,
        agentId,
        messageCount: 1_002,
        channelId: (await gateway.database.conversation.findFirstOrThrow({ where: { id: from } })).channelId,
      },
    });
    await gateway.database.message.createMany({
      data: Array.from({ length: 1_002 }, (_, position) => ({
        id: newId('message'),
        workspaceId: home.id,
        conversationId: id,
        position,
        role: 'user' as const,
        content: `Word ${position}`,
      })),
    });
    const all = await stored(id);
    expectFailure(await branch(all[1_001]?.id ?? ''), 'invalid_request');
    const { conversation } = (await branch(all[1_000]?.id ?? '')).data.sendMessage;
    expect(conversation.messageCount).toBe(1_002);
    const copies = await stored(conversation.id);
    expect(copies.slice(0, 1_000).map(({ position, content }) => [position, content])).toEqual(
      all.slice(0, 1_000).map(({ position, content }) => [position, content]),
    );
  });

  test('takes a bearer, a permission, and a message of a visitor of the same agent', async () => {
    const edited = await at(2);
    const other = await makeWorkspace(gateway);
    const theirs = await makeAgent(gateway, other.editor);
    const second = await makeAgent(gateway, home.editor);
    expectFailure(await branch(edited, {}, null), 'unauthorized');
    expectFailure(await branch(edited, {}, home.viewer), 'forbidden');
    expectFailure(await branch(edited, { agentId: theirs.id }, other.owner), 'not_found', /^Message/);
    expectFailure(await branch(edited, { agentId: second.id }), 'not_found', /^Message/);
    expectFailure(await branch('msg_none'), 'not_found');
    expectFailure(await branch(await at(1)), 'invalid_request');
    expectFailure(await branch(edited, { conversationId: from }), 'invalid_request');
    expectFailure(await branch(edited, { message: { role: 'assistant', content: 'Hi' } }), 'invalid_request');
    expectFailure(await branch(edited, { message: null }), 'invalid_request');
  });
});
