import { expect, test } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import { indexAll, seedConversation } from '../support/conversations/seeded-conversation.ts';
import { makeAgent, makeWorkspace } from '../support/gateway/factories.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';

const { gateway } = useWorkspaces();
const erase = (name: string) => `mutation ($id: ID!) { ${name}(input: { id: $id }) { clientMutationId } }`;

test.each(['waiting', 'indexed'])(
  'what was said is found no more once its conversation or agent is gone, %s',
  async (state) => {
    const home = await makeWorkspace(gateway);
    const agentId = (await makeAgent(gateway, home.editor)).id;
    const leadId = newId('lead');
    await gateway.database.lead.create({ data: { id: leadId, workspaceId: home.id, name: 'Ana' } });
    const ofLead = await seedConversation(gateway, home, ['chave do lead'], { leadId });
    const gone = await seedConversation(gateway, home, ['chave da conversa']);
    await seedConversation(gateway, home, ['chave do agente'], { agentId });
    if (state === 'indexed') await indexAll(gateway, home.id);
    const ask =
      '{ messages(search: "chave") { totalCount nodes { id } } conversations(search: "chave") { totalCount } }';
    const counts = async () => {
      const data = await gateway.data(home.viewer, ask);
      return [data.messages.totalCount, data.conversations.totalCount];
    };
    expect(await counts()).toEqual([3, 3]);
    await gateway.data(home.admin, erase('deleteConversation'), { id: gone.conversationId });
    expect(await counts()).toEqual([2, 2]);
    await gateway.data(home.admin, erase('deleteAgent'), { id: agentId });
    expect(await counts()).toEqual([1, 1]);
    // The lead's conversations remain, without a lead.
    await gateway.data(home.admin, erase('deleteLead'), { id: leadId });
    expect((await gateway.data(home.viewer, ask)).messages.nodes).toEqual([{ id: ofLead.ids[0] }]);
    await gateway.database.workspace.delete({ where: { id: home.id } });
    const left = { where: { workspaceId: home.id } };
    expect([await gateway.database.messageSegment.count(left), await gateway.database.messageTerm.count(left)]).toEqual(
      [0, 0],
    );
  },
);
