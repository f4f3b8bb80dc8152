import { describe, expect, test } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import { indexAll, seedConversation } from '../support/conversations/seeded-conversation.ts';
import { expectFailure } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';

const { gateway } = useWorkspaces();

type Place = { agentId: string; leadId: string; conversationId: string; ids: string[] };

/** Two agents and two leads, each with a conversation that mentions boletos. */
async function makePlaces(home: TestWorkspace): Promise<Place[]> {
  const places: Place[] = [];
  for (const name of ['Ana', 'Bia']) {
    const agentId = (await makeAgent(gateway, home.editor, { name })).id;
    const leadId = newId('lead');
    await gateway.database.lead.create({ data: { id: leadId, workspaceId: home.id, name } });
    const texts = [`O boleto de ${name}`, 'outra coisa', `Segunda via do boleto: ${'x '.repeat(20)}`];
    const said = await seedConversation(gateway, home, texts, { agentId, leadId });
    await seedConversation(gateway, home, ['nada a ver'], { agentId });
    places.push({ agentId, leadId, conversationId: said.conversationId, ids: said.ids });
  }
  return places;
}

const found =
  'totalCount countUpTo(limit: 1) { count } nodes { id } edges { cursor match { messageId excerpt { text } } }';
const ask = `query ($agent: ID!, $lead: ID!, $conversation: ID!, $search: String!) {
  agent(id: $agent) { conversations(search: $search) { ${found} } }
  lead(id: $lead) { conversations(search: $search) { ${found} } }
  conversation(id: $conversation) {
    messages(search: $search) { ${found} groups { nodes { count } } }
    all: messages { totalCount }
  }
}`;

describe.each(['waiting', 'indexed'] as const)('a nested list that is searched, %s', (state) => {
  test('finds what was said in the rows of its own row, best first', async () => {
    const home = await makeWorkspace(gateway);
    const places = await makePlaces(home);
    if (state === 'indexed') await indexAll(gateway, home.id);
    for (const { agentId, leadId, conversationId, ids } of places) {
      const variables = { agent: agentId, lead: leadId, conversation: conversationId, search: 'boletos' };
      const { agent, lead, conversation } = await gateway.data(home.viewer, ask, variables);
      for (const { conversations } of [agent, lead]) {
        expect(conversations.totalCount).toBe(1);
        expect(conversations.nodes).toEqual([{ id: conversationId }]);
        expect(ids).toContain(conversations.edges[0].match.messageId);
      }
      expect(conversation.all.totalCount).toBe(3);
      expect(conversation.messages.totalCount).toBe(2);
      expect(conversation.messages.nodes).toEqual([{ id: ids[0] }, { id: ids[2] }]);
      expect(conversation.messages.groups.nodes).toEqual([{ count: 2 }]);
      expect(conversation.messages.edges[0].match.excerpt.text).toMatch(/boleto/);
      const none = await gateway.data(home.viewer, ask, { ...variables, search: 'foguete' });
      expect([none.agent.conversations.totalCount, none.conversation.messages.totalCount]).toEqual([0, 0]);
    }
  });

  test('is read of many rows at once, with its filter, groups and pages', async () => {
    const home = await makeWorkspace(gateway);
    const places = await makePlaces(home);
    if (state === 'indexed') await indexAll(gateway, home.id);
    const text = `query ($after: String) {
      agents(orderBy: { field: createdAt, direction: asc }) {
        nodes {
          id
          conversations(search: "boleto", filter: { hasLead: true }) {
            totalCount
            groups { nodes { by { agent { id } } count } }
            nodes { messages(search: "boleto", first: 1, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }
          }
        }
      }
    }`;
    const { agents } = await gateway.data(home.viewer, text);
    const nodes = agents.nodes.filter(({ id }: { id: string }) => places.some(({ agentId }) => agentId === id));
    expect(nodes).toHaveLength(2);
    for (const [index, { id, conversations }] of nodes.entries()) {
      expect(conversations.totalCount).toBe(1);
      expect(conversations.groups.nodes).toEqual([{ by: { agent: { id } }, count: 1 }]);
      const [{ messages }] = conversations.nodes;
      expect(messages.nodes).toEqual([{ id: places[index]?.ids[0] }]);
      expect(messages.pageInfo.hasNextPage).toBe(true);
      const next = await gateway.data(home.viewer, text, { after: messages.pageInfo.endCursor });
      const again = next.agents.nodes.find((node: { id: string }) => node.id === id);
      expect(again.conversations.nodes[0].messages.nodes).toEqual([{ id: places[index]?.ids[2] }]);
    }
  });
});

test('a nested search obeys the rules of the list', async () => {
  const home = await makeWorkspace(gateway);
  const [place] = await makePlaces(home);
  const text = 'query ($id: ID!, $s: String!) { agent(id: $id) { name conversations(search: $s) { totalCount } } }';
  const long = await gateway.graphql(home.viewer, text, { id: place?.agentId, s: 'x'.repeat(501) });
  expectFailure(long, 'invalid_request', /^search: must have at most 500 characters/);
  expect(long.data.agent.name).toBe('Ana');
  const made = 'mutation { createKey(input: { name: "a", scopes: ["analytics.read", "agents.read"] }) { secret } }';
  const { createKey } = await gateway.data(home.owner, made);
  expectFailure(
    await gateway.graphql(createKey.secret, text, { id: place?.agentId, s: 'boleto' }),
    'forbidden',
    /^search/,
  );
});
