import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import { sweepFiles } from '../../src/domain/attachments/file-sweep.ts';
import { keyOf } from '../../src/domain/attachments/stored-files.ts';
import { applyRetention } from '../../src/domain/conversations/retention.ts';
import { clearEvents } from '../../src/domain/webhooks/retention.ts';
import { statementsOf } from '../support/database/database.ts';
import { expectFailure } from '../support/gateway/app.ts';
import { makeAgent, type TestWorkspace } from '../support/gateway/factories.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';

const { gateway, home, other } = useWorkspaces();
const save = 'mutation ($input: SaveRetentionInput!) { saveRetention(input: $input) { settings { retention } } }';
const saveOfAgent =
  'mutation ($input: SaveAgentRetentionInput!) { saveAgentRetention(input: $input) { agent { retention } } }';
const create = 'mutation ($input: CreateChannelInput!) { createChannel(input: $input) { channel { id } } }';
const bytes = Buffer.from('a file');
const hash = createHash('sha256').update(bytes).digest('hex');
const day = 24 * 3_600_000;
const after = (days: number) => ({ ...gateway.services, now: () => new Date(Date.now() + days * day) });

/** A conversation of a new agent, with a reply that has a trace and an attachment. */
async function talk(workspace: TestWorkspace) {
  const { id: agentId } = await makeAgent(gateway, workspace.owner);
  const { createChannel } = await gateway.data(workspace.owner, create, { input: { agentId, platform: 'api' } });
  const { database, services } = gateway;
  const workspaceId = workspace.id;
  const [id, messageId, fileId] = [newId('conversation'), newId('message'), newId('file')];
  await database.conversation.create({ data: { workspaceId, id, agentId, channelId: createChannel.channel.id } });
  await services.storage.put(keyOf({ workspaceId, id: fileId }), bytes, hash);
  await database.storedFile.create({
    data: { workspaceId, id: fileId, hash: `${hash}${fileId}`, size: 6, stored: true },
  });
  const attachments = [{ file: fileId, name: 'a.txt', mediaType: 'text/plain', size: 6 }];
  const message = { workspaceId, id: messageId, conversationId: id, role: 'assistant', position: 0 } as const;
  await database.message.create({ data: { ...message, content: 'Hi', attachments } });
  await database.messageTrace.create({ data: { workspaceId, messageId, data: { steps: [] } } });
  await database.outboxEvent.create({ data: { workspaceId, id: newId('event'), type: 'ping', data: {} } });
  const has = async () => ({
    conversation: await database.conversation.count({ where: { workspaceId, id } }),
    trace: await database.messageTrace.count({ where: { workspaceId, messageId } }),
    attachment: await database.messageFile.count({ where: { workspaceId, messageId } }),
    event: Math.min(1, await database.outboxEvent.count({ where: { workspaceId, type: 'ping' } })),
  });
  return { agentId, messageId, fileId, has };
}

const all = { conversation: 1, trace: 1, attachment: 1, event: 1 };

describe('what is older than it is kept', () => {
  test('is deleted, and nothing else', async () => {
    const [ours, kept, theirs] = [await talk(home), await talk(home), await talk(other)];
    const input = { conversations: 30, traces: 10, attachments: 20, deliveries: 5 };
    const { saveRetention } = await gateway.data(home.admin, save, { input });
    expect(saveRetention.settings.retention).toEqual(input);
    await gateway.data(home.admin, saveOfAgent, { input: { id: kept.agentId, retention: {} } });
    const round = async (days: number) => {
      await applyRetention(after(days));
      await clearEvents(after(days));
    };
    await round(4);
    expect(await ours.has()).toEqual(all);
    await round(6);
    expect(await ours.has()).toEqual({ ...all, event: 0 });
    await round(11);
    expect(await ours.has()).toEqual({ ...all, event: 0, trace: 0 });
    await round(21);
    expect(await ours.has()).toEqual({ conversation: 1, trace: 0, attachment: 0, event: 0 });
    const message = await gateway.database.message.findFirst({ where: { id: ours.messageId } });
    expect(message).toMatchObject({ content: 'Hi', attachments: [] });
    await round(31);
    expect(await ours.has()).toEqual({ conversation: 0, trace: 0, attachment: 0, event: 0 });
    expect(await kept.has()).toEqual({ ...all, event: 0 });
    expect(await theirs.has()).toEqual({ ...all, event: 0 });

    await sweepFiles(after(32));
    const files = await gateway.database.storedFile.findMany({ select: { id: true } });
    expect(files.map(({ id }) => id).sort()).toEqual([kept.fileId, theirs.fileId].sort());
    expect(await gateway.services.storage.get(keyOf({ workspaceId: home.id, id: ours.fileId }))).toBeNull();
    // As in the settings of the workspace again.
    await gateway.data(home.admin, saveOfAgent, { input: { id: kept.agentId, retention: null } });
    await round(31);
    expect((await kept.has()).conversation).toBe(0);
  });

  test('is cleared in small steps from replies that were regenerated too', async () => {
    const { agentId, messageId } = await talk(home);
    const { database } = gateway;
    const { workspaceId, conversationId } = await database.message.findFirstOrThrow({ where: { id: messageId } });
    const of = {
      workspaceId,
      conversationId,
      messageId,
      content: 'Hello',
      createdAt: new Date(),
      trace: { steps: [] },
    };
    const rows = Array.from({ length: 650 }, () => ({ ...of, id: newId('message') }));
    await database.messageAlternative.createMany({ data: rows });
    await gateway.data(home.admin, saveOfAgent, { input: { id: agentId, retention: { traces: 10 } } });
    const withTrace = async () => {
      const found = await database.messageAlternative.findMany({ where: { workspaceId, messageId } });
      return found.filter(({ trace }) => trace !== null).length;
    };
    await applyRetention(after(9));
    expect(await withTrace()).toBe(650);
    const { recorded } = await statementsOf(() => applyRetention(after(11)));
    expect(await withTrace()).toBe(0);
    // Five hundred, and a hundred and fifty.
    const ofWorkspace = recorded.filter(({ values }) => values.includes(workspaceId));
    expect(ofWorkspace.filter(({ text }) => text.includes('UPDATE "MessageAlternative"'))).toHaveLength(2);
  });

  test('is deleted a few messages at a time, however long a conversation is', async () => {
    const { agentId, messageId } = await talk(home);
    const { database } = gateway;
    const { conversationId } = await database.message.findFirstOrThrow({ where: { id: messageId } });
    const of = { workspaceId: home.id, conversationId, role: 'user', content: 'And then?' } as const;
    const rows = Array.from({ length: 1_200 }, (_, index) => ({ ...of, id: newId('message'), position: index + 1 }));
    await database.message.createMany({ data: rows });
    await database.conversation.updateMany({ where: { id: conversationId }, data: { messageCount: 1_201 } });
    await gateway.data(home.admin, saveOfAgent, { input: { id: agentId, retention: { conversations: 30 } } });
    const { statements } = await statementsOf(() => applyRetention(after(31)));
    expect(await database.conversation.count({ where: { id: conversationId } })).toBe(0);
    expect(await database.message.count({ where: { conversationId } })).toBe(0);
    // Five hundred, five hundred, two hundred and one, and none.
    expect(statements.filter((text) => text.includes('DELETE FROM "Message" '))).toHaveLength(4);
  });

  test('is decided by owners and admins, in days from 1', async () => {
    expectFailure(await gateway.graphql(home.editor, save, { input: {} }), 'forbidden');
    expectFailure(await gateway.graphql(home.owner, save, { input: { traces: 0 } }), 'invalid_request', /traces/);
    const { id } = await makeAgent(gateway, other.owner);
    expectFailure(await gateway.graphql(home.owner, saveOfAgent, { input: { id } }), 'not_found');
  });
});
