import { describe, expect, test } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import { indexAll, seedConversation } from '../support/conversations/seeded-conversation.ts';
import { expectFailure } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';

const { gateway, other } = useWorkspaces();

const find = `query ($search: String!, $filter: ConversationFilter, $first: Int, $after: String) {
  conversations(search: $search, filter: $filter, first: $first, after: $after) {
    totalCount
    edges { cursor node { id } match { rank messageId message { content } excerpt { text highlights { start end } } } }
    pageInfo { hasNextPage hasPreviousPage endCursor }
  }
}`;
const findMessages = `query ($search: String!, $filter: MessageFilter, $orderBy: AllMessagesOrder, $last: Int) {
  messages(search: $search, filter: $filter, orderBy: $orderBy, last: $last) {
    totalCount countUpTo(limit: 1) { count precision } nodes { id content }
  }
}`;

type Excerpt = { text: string; highlights: { start: number; end: number }[] };
const marked = ({ text, highlights }: Excerpt) => highlights.map(({ start, end }) => text.slice(start, end));

async function conversations(workspace: TestWorkspace, search: string, more: object = {}) {
  return (await gateway.data(workspace.viewer, find, { search, ...more })).conversations;
}
async function messages(workspace: TestWorkspace, search: string, more: object = {}): Promise<string[]> {
  const { messages } = await gateway.data(workspace.viewer, findMessages, { search, ...more });
  return messages.nodes.map(({ id }: { id: string }) => id);
}

// Search must not depend on whether messages are indexed yet.
describe.each(['waiting', 'indexed', 'both'] as const)('a search of what was said, %s', (state) => {
  const indexed = async (workspace: TestWorkspace, isLast = true) => {
    if (state === 'indexed' ? isLast : state === 'both' && !isLast) await indexAll(gateway, workspace.id);
  };

  test('finds words in any of their forms, in three languages, without case and accents', async () => {
    const home = await makeWorkspace(gateway);
    const [pt] = (await seedConversation(gateway, home, ['Quero saber como pedir os reembolsos das minhas viagens']))
      .ids;
    await indexed(home, false);
    const [en] = (await seedConversation(gateway, home, ['I would like to know when the shipping of my kayaks is']))
      .ids;
    const [es] = (await seedConversation(gateway, home, ['¿Cuándo llegan las canciones que he comprado para mi hija?']))
      .ids;
    await indexed(home);
    expect(await messages(home, 'REEMBOLSO viagem')).toEqual([pt]);
    expect(await messages(home, 'kayak')).toEqual([en]);
    expect(await messages(home, 'canción')).toEqual([es]);
  });

  test('finds what holds every word, best first, and nothing for words of grammar alone', async () => {
    const home = await makeWorkspace(gateway);
    const long = `O reembolso do pedido ${'e outras coisas mais da loja '.repeat(20)}`;
    const { ids } = await seedConversation(gateway, home, [long, 'Somente um pedido qualquer']);
    await indexed(home, false);
    const [short] = (await seedConversation(gateway, home, ['Reembolso do pedido'])).ids;
    await indexed(home);
    expect(await messages(home, 'reembolso pedido')).toEqual([short, ids[0]]);
    expect(await messages(home, 'que de para')).toEqual([]);
    expect(await messages(home, 'reembolso foguete')).toEqual([]);
  });

  test('finds conversations once each, with the sentence and its words marked', async () => {
    const home = await makeWorkspace(gateway);
    const texts = [
      'Boa tarde. Como pedir <b>reembolso</b> do curso?',
      'O reembolso leva dias: é o prazo do reembolso.',
    ];
    const said = await seedConversation(gateway, home, texts);
    await indexed(home, false);
    await seedConversation(gateway, home, ['Outra pergunta']);
    await indexed(home);
    const { totalCount, edges } = await conversations(home, 'reembolso');
    expect({ totalCount, ids: edges.map(({ node }: any) => node.id) }).toEqual({
      totalCount: 1,
      ids: [said.conversationId],
    });
    expect(said.ids).toContain(edges[0].match.messageId);
    expect(marked(edges[0].match.excerpt)).toEqual(
      edges[0].match.messageId === said.ids[0] ? ['reembolso'] : ['reembolso', 'reembolso'],
    );
    const [{ match }] = (await conversations(home, 'curso')).edges;
    expect(match.excerpt.text).toBe('Como pedir <b>reembolso</b> do curso?');
    expect(marked(match.excerpt)).toEqual(['curso']);
    expect(match.message.content).toBe(texts[0]);
  });

  test('obeys the filter exactly, and counts what it lists', async () => {
    const home = await makeWorkspace(gateway);
    const agentId = (await makeAgent(gateway, home.editor)).id;
    const all: string[] = [];
    for (let n = 0; n < 6; n++) {
      const status = n % 3 === 0 ? ('archived' as const) : ('active' as const);
      all.push((await seedConversation(gateway, home, [`pedido número ${n}`], { agentId, status })).conversationId);
      if (n === 2) await indexed(home, false);
    }
    await seedConversation(gateway, home, ['pedido de outro agente']);
    await indexed(home);
    const filter = { agentId, status: ['archived'] };
    const { totalCount, edges } = await conversations(home, 'pedido', { filter });
    expect(totalCount).toBe(2);
    expect(edges.map(({ node }: any) => node.id).sort()).toEqual([all[0], all[3]].sort());
  });

  test('is read in pages, each row once', async () => {
    const home = await makeWorkspace(gateway);
    const agentId = (await makeAgent(gateway, home.editor)).id;
    const all = new Set<string>();
    for (let n = 0; n < 7; n++) {
      all.add((await seedConversation(gateway, home, [`boleto ${'x '.repeat(n)}`], { agentId })).conversationId);
      if (n === 3) await indexed(home, false);
    }
    await indexed(home);
    const read: string[] = [];
    let after: string | null = null;
    for (let more = true; more; ) {
      const page: any = await conversations(home, 'boletos', { first: 3, after });
      read.push(...page.edges.map(({ node }: any) => node.id));
      after = page.pageInfo.endCursor;
      more = page.pageInfo.hasNextPage;
      expect(page.pageInfo.hasPreviousPage).toBe(read.length > 3);
    }
    expect(read).toHaveLength(7);
    expect(new Set(read)).toEqual(all);
  });

  test('is of one workspace', async () => {
    const home = await makeWorkspace(gateway);
    await seedConversation(gateway, other, ['segredo alheio']);
    await seedConversation(gateway, home, ['nada']);
    await indexed(home);
    expect((await conversations(home, 'segredo')).totalCount).toBe(0);
  });

  test('finds no message that was removed, and no conversation', async () => {
    const home = await makeWorkspace(gateway);
    const { conversationId, ids } = await seedConversation(gateway, home, [
      'chave secreta',
      'outra chave secreta',
      'fim',
    ]);
    await indexed(home, false);
    const gone = await seedConversation(gateway, home, ['chave secreta']);
    await indexed(home);
    await gateway.database.message.deleteMany({ where: { id: ids[1] as string } });
    await gateway.data(
      home.admin,
      'mutation ($id: ID!) { deleteConversation(input: { id: $id }) { clientMutationId } }',
      {
        id: gone.conversationId,
      },
    );
    expect(await messages(home, 'chave secreta')).toEqual([ids[0]]);
    expect((await conversations(home, 'chave')).edges.map(({ node }: any) => node.id)).toEqual([conversationId]);
  });

  test('finds words of recordings and files as soon as they are known', async () => {
    const home = await makeWorkspace(gateway);
    const { ids } = await seedConversation(gateway, home, ['Segue o áudio']);
    const fileId = newId('file');
    await gateway.database.storedFile.create({
      data: { id: fileId, workspaceId: home.id, hash: newId('file'), size: 1, stored: true },
    });
    await indexed(home, false);
    const attachments = [{ type: 'audio', file: fileId }];
    await gateway.database.message.updateMany({ where: { id: ids[0] as string }, data: { attachments } });
    await indexed(home);
    expect(await messages(home, 'garantia')).toEqual([]);
    await gateway.database.storedFile.updateMany({ where: { id: fileId }, data: { text: 'Quero usar a garantia' } });
    expect(await messages(home, 'garantias')).toEqual([ids[0]]);
    await indexAll(gateway, home.id);
    expect(await messages(home, 'garantias')).toEqual([ids[0]]);
    expect((await conversations(home, 'garantia')).edges[0].match.excerpt.text).toContain('Quero usar a garantia');
  });
});

describe('a search of what was said', () => {
  test('in another order, from the end, and grouped', async () => {
    const home = await makeWorkspace(gateway);
    const { ids } = await seedConversation(gateway, home, ['frete um', 'frete dois frete', 'nada', 'frete três']);
    await indexAll(gateway, home.id);
    const orderBy = { field: 'createdAt', direction: 'asc' };
    expect((await messages(home, 'frete', { orderBy })).sort()).toEqual([ids[0], ids[1], ids[3]].sort());
    expect(await messages(home, 'frete', { last: 1 })).toHaveLength(1);
    const document =
      '{ messages(search: "frete") { totalCount groups { nodes { by { role } count } } countUpTo(limit: 2) { count precision } } }';
    const data = await gateway.data(home.viewer, document);
    expect(data.messages.totalCount).toBe(3);
    expect(data.messages.countUpTo).toEqual({ count: 2, precision: 'at_least' });
    const counts = data.messages.groups.nodes.map(({ by, count }: any) => [by.role, count]);
    expect(Object.fromEntries(counts)).toEqual({ assistant: 2, user: 1 });
  });

  test('does not find what a tool has answered, and says nothing of matches where nothing is searched for', async () => {
    const home = await makeWorkspace(gateway);
    await seedConversation(gateway, home, ['Quanto custa?', { role: 'tool', content: 'orçamento' }]);
    expect(await messages(home, 'orçamento')).toEqual([]);
    const { conversations } = await gateway.data(home.viewer, '{ conversations { edges { match { rank } } } }');
    expect(conversations.edges).toEqual([{ match: null }]);
  });

  test('needs a bearer, and tells what is wrong', async () => {
    const home = await makeWorkspace(gateway);
    expectFailure(await gateway.graphql(null, find, { search: 'x' }), 'unauthorized');
    expectFailure(await gateway.graphql(home.viewer, find, { search: 'x'.repeat(501) }), 'invalid_request', /search/);
    const after = Buffer.from('["12345678",1,"x"]').toString('base64url');
    expectFailure(await gateway.graphql(home.viewer, find, { search: 'x', after }), 'invalid_request', /after/);
    expectFailure(await gateway.graphql(home.viewer, find, { search: 'x', first: 101 }), 'invalid_request', /first/);
  });

  test('is the same before and after segments are joined, and holds no words of what is gone', async () => {
    const home = await makeWorkspace(gateway);
    const { id: workspaceId } = home;
    const all: string[] = [];
    for (let n = 0; n < 9; n++) {
      all.push(...(await seedConversation(gateway, home, [`parcela ${n} apenas${n}`])).ids);
      if (n === 4) await gateway.database.message.deleteMany({ where: { id: all[1] as string } });
      await indexAll(gateway, home.id);
    }
    expect(await gateway.database.messageSegment.count({ where: { workspaceId } })).toBeLessThan(8);
    expect((await messages(home, 'parcelas')).sort()).toEqual(all.filter((_, n) => n !== 1).sort());
    expect(await messages(home, 'apenas7')).toEqual([all[7]]);
    const terms = await gateway.database.messageTerm.findMany({
      where: { workspaceId, term: { endsWith: ':apenas1' } },
    });
    expect(terms).toEqual([]);
  });
});
