import { expect, test } from 'vitest';
import { mutation } from '../support/browser/widget.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeAgent, makeMember, makeWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();

test('the log does not say that a token wrote the messages of others which its branch copies', async () => {
  const home = await makeWorkspace(gateway);
  const agent = await makeAgent(gateway, home.editor);
  const say = async (content: string, id?: string) =>
    (await gateway.rest(home.app, 'POST', `/api/${agent.id}`, { id, message: { content } })).body.id as string;
  const change = (name: string, input: object, bearer: Parameters<typeof gateway.data>[0] = home.editor) =>
    gateway.data(bearer, mutation(name, 'clientMutationId'), { input });
  const conversationId = await say('Hello');
  await change('takeOverConversation', { conversationId });
  await change('sendAsPerson', { conversationId, content: 'A person here.' });
  await change('handBackConversation', { conversationId });
  await say('And?', conversationId);

  const { userId } = await makeMember(gateway, home.id, 'owner');
  const where = { workspaceId_id: { workspaceId: home.id, id: home.app.appId ?? '' } };
  await gateway.database.app.update({ where, data: { roles: ['owner'], ownersOnly: true } });
  const asked = { userId, role: 'owner', tenantId: home.id };
  const { token } = (await gateway.rest(home.app, 'POST', '/rest/apps/auth', asked)).body;
  const { id: edit } = await gateway.database.message.findFirstOrThrow({ where: { conversationId, content: 'And?' } });
  await change('sendMessage', { agentId: agent.id, edit, message: { content: 'Or?' } }, token);
  const copies = await gateway.database.message.findMany({
    where: { conversationId: { not: conversationId }, content: 'A person here.' },
  });
  expect(copies.map(({ createdBy }) => createdBy)).toEqual([home.editor.userId]);
  const rowId = { in: copies.map(({ id }) => id) };
  expect(await gateway.database.auditEntry.findMany({ where: { type: 'Message', rowId } })).toEqual([]);
});
