import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Viewer } from '../../src/core/viewer.ts';
import { newId } from '../../src/database/ids.ts';
import { clearEvents } from '../../src/domain/webhooks/retention.ts';
import { say } from '../support/conversations/streaming.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace } from '../support/gateway/factories.ts';
import { createScriptedModel } from '../support/model/scripted-model.ts';

const gateway = useGateway();
let scripted: ReturnType<typeof createScriptedModel>;
beforeAll(() => {
  scripted = createScriptedModel(gateway.services.model);
  gateway.services.model = scripted.service;
});
beforeEach(() => {
  scripted.held = false;
});

const send = (body: object, { viewer, agentId, key }: { viewer: Viewer; agentId: string; key?: string }) =>
  gateway.rest(viewer, 'POST', `/api/${agentId}`, body, key ? { 'idempotency-key': key } : {});

describe('the outbox', () => {
  const events = async (workspaceId: string) =>
    (await gateway.database.outboxEvent.findMany({ where: { workspaceId }, orderBy: { position: 'asc' } })).map(
      ({ type, data }) => ({ type, ...(data as object) }),
    );

  /** A workspace with a webhook for all events. */
  const makeListening = async (maxInteractions: number) => {
    const workspace = await makeWorkspace(gateway, maxInteractions);
    // Of a member: the first delivery would disable one of nobody, and nothing would be told from then on.
    const [owner, secretCipher] = [String(workspace.owner.userId), gateway.services.secrets.encrypt('secret')];
    const made = { secretCipher, runsAs: owner, createdBy: owner, updatedBy: owner };
    await gateway.database.webhook.create({
      data: { id: newId('webhook'), workspaceId: workspace.id, url: 'https://nobody.invalid/', ...made },
    });
    return workspace;
  };

  test('tells in order what a turn has made', async () => {
    vi.spyOn(gateway.services, 'now').mockReturnValue(new Date('2026-07-31T23:59:50Z'));
    const workspace = await makeListening(2);
    const { id: agentId } = await makeAgent(gateway, workspace.editor);
    const options = { viewer: workspace.app, agentId };
    const { body } = await send(say('I am Bia Reis, bia@events.example'), options);
    const { id: conversationId, lead, messages } = body;
    const [user] = await gateway.database.message.findMany({ where: { conversationId }, orderBy: { position: 'asc' } });
    const about = { conversationId, agentId };
    const message = (messageId: string | undefined, role: string) => ({
      type: 'message.created',
      messageId,
      ...about,
      role,
    });
    expect(await events(workspace.id)).toEqual([
      { type: 'conversation.created', ...about },
      message(user?.id, 'user'),
      { type: 'lead.created', leadId: lead.id, agentId },
      { type: 'conversation.updated', ...about, changed: ['stage', 'leadId'] },
      message(messages[0].id, 'assistant'),
    ]);
    const more = await send(say('My phone is +55 11 91234-5678', { id: conversationId }), options);
    expect((await events(workspace.id)).slice(5).map(({ type }) => type)).toEqual([
      'message.created',
      'usage.threshold',
      'lead.updated',
      'message.created',
    ]);
    expect(await events(workspace.id)).toContainEqual({
      type: 'usage.threshold',
      month: '2026-07',
      percent: 100,
      current: 2,
      max: 2,
    });
    expect(more.status).toBe(200);
  });

  test('tells of a conversation that branches off, and of what is said there, not of the copies that it begins with', async () => {
    const workspace = await makeListening(10);
    const { id: agentId } = await makeAgent(gateway, workspace.editor);
    const options = { viewer: workspace.app, agentId };
    const { body } = await send(say('One'), options);
    await send(say('Two', { id: body.id }), options);
    const where = { conversationId: body.id, content: 'Two' };
    const { id: edit } = await gateway.database.message.findFirstOrThrow({ where });
    const before = (await events(workspace.id)).length;
    const mutation = `mutation ($input: SendMessageInput!) { sendMessage(input: $input) { conversation { id } messages { id } } }`;
    const input = { agentId, edit, message: { content: 'Two, but other' } };
    const { sendMessage } = await gateway.data(workspace.editor, mutation, { input });
    const conversationId = sendMessage.conversation.id;
    const about = { conversationId, agentId };
    const told = async () => (await events(workspace.id)).slice(before);
    expect(await told()).toEqual([
      { type: 'conversation.created', ...about },
      { type: 'message.created', messageId: expect.any(String), ...about, role: 'user' },
      { type: 'message.created', messageId: sendMessage.messages[0].id, ...about, role: 'assistant' },
    ]);
    // It is delivered like any other, although its row is gone.
    await gateway.database.conversation.deleteMany({ where: { id: body.id } });
    await send(say('Three', { id: conversationId }), options);
    expect(await told()).toHaveLength(5);
  });

  test('tells nothing of previews, and nothing twice or for ever', async () => {
    const workspace = await makeListening(1);
    const { id: agentId } = await makeAgent(gateway, workspace.editor);
    const options = { viewer: workspace.app, agentId };
    await send(say('Try', { preview: true }), options);
    expect(await events(workspace.id)).toEqual([]);
    scripted.held = true;
    for (let time = 0; time < 2; time++) {
      const failed = send(say('Fail'), { ...options, key: `fail ${workspace.id}` });
      (await scripted.next()).fail();
      await failed;
    }
    const types = (await events(workspace.id)).map(({ type }) => type);
    expect(types).toEqual(['conversation.created', 'message.created', 'usage.threshold']);
    const long = new Date(Date.now() - 31 * 24 * 3_600_000);
    await gateway.database.outboxEvent.updateMany({ where: { workspaceId: workspace.id }, data: { createdAt: long } });
    await clearEvents(gateway.services);
    expect(await events(workspace.id)).toEqual([]);
  });
});
