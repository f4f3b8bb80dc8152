import { newId } from '../../../src/database/ids.ts';
import { mergeMessageSegments } from '../../../src/search/messages/merging.ts';
import { indexMessages } from '../../../src/search/messages/writer.ts';
import type { Gateway } from '../gateway/app.ts';
import { makeAgent, type TestWorkspace } from '../gateway/factories.ts';

export type SeededConversation = { conversationId: string; ids: string[] };
type Role = 'user' | 'assistant' | 'tool';

/** Inserts a conversation with these messages; the first is the visitor's. */
export async function seedConversation(
  gateway: Gateway,
  { id: workspaceId, editor }: TestWorkspace,
  texts: (string | { role: Role; content: string })[],
  given: { agentId?: string; leadId?: string; status?: 'active' | 'archived' } = {},
): Promise<SeededConversation> {
  const { database, services } = gateway;
  const { agentId = (await makeAgent(gateway, editor)).id, ...data } = given;
  const channelId = newId('channel');
  const by = { createdBy: editor.userId ?? '', updatedBy: editor.userId ?? '' };
  await database.channel.create({
    data: {
      id: channelId,
      workspaceId,
      agentId,
      platform: 'api',
      ...by,
      credentialsCipher: services.secrets.encrypt('{}'),
    },
  });
  const conversationId = newId('conversation');
  const messageCount = texts.length;
  await database.conversation.create({
    data: { id: conversationId, workspaceId, agentId, channelId, messageCount, ...data },
  });
  const rows = texts.map((text, position) => {
    const role: Role = position % 2 === 0 ? 'user' : 'assistant';
    const said = typeof text === 'string' ? { role, content: text } : text;
    return { id: newId('message'), workspaceId, conversationId, position, ...said };
  });
  await database.message.createMany({ data: rows });
  return { conversationId, ids: rows.map(({ id }) => id) };
}

/** Indexes all messages of a workspace, as the jobs do once enough wait. */
export async function indexAll({ database }: Pick<Gateway, 'database'>, workspaceId: string): Promise<void> {
  await indexMessages(database, workspaceId, { min: 1 });
  await mergeMessageSegments(database, workspaceId);
}
