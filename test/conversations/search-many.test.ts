import { beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import { indexAll, seedConversation } from '../support/conversations/seeded-conversation.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';

const { gateway, home } = useWorkspaces();
/** Conversations in order of their best match; the first one also has all other messages. */
let inOrder: string[];

beforeAll(async () => {
  const texts = ['boleto', 'boleto azul verde', `boleto ${'azul verde '.repeat(20)}`];
  const statuses = ['active', undefined, 'archived'] as const;
  inOrder = [];
  for (const [index, text] of texts.entries()) {
    const status = statuses[index];
    inOrder.push((await seedConversation(gateway, home, [text], status ? { status } : {})).conversationId);
  }
  const [best = '', middle = ''] = inOrder;
  await gateway.database.conversation.updateMany({ where: { id: middle }, data: { status: 'resolved' } });
  const data = Array.from({ length: 4_100 }, (_, at) => ({
    id: newId('message'),
    workspaceId: home.id,
    conversationId: best,
    position: at + 1,
    role: 'user' as const,
    content: at < 300 ? 'boleto' : 'boleto azul verde azul verde',
  }));
  await gateway.database.message.createMany({ data });
  await indexAll(gateway, home.id);
});

const found = async (more: string): Promise<string[]> => {
  const { conversations } = await gateway.data(
    home.viewer,
    `{ conversations(search: "boleto"${more}) { nodes { id } pageInfo { hasNextPage } } }`,
  );
  expect(conversations.pageInfo.hasNextPage).toBe(false);
  return conversations.nodes.map(({ id }: { id: string }) => id);
};

test('a filter finds what hundreds and thousands of messages fit better than', async () => {
  const [best, middle, last] = inOrder;
  expect(await found(', filter: {status: [resolved]}')).toEqual([middle]);
  expect(await found(', filter: {status: [archived]}')).toEqual([last]);
  expect(await found('')).toEqual([best, middle, last]);
});

test('the count of messages is exact, whatever the page', async () => {
  const { messages, few } = await gateway.data(
    home.viewer,
    `{ messages(search: "boleto", first: 1) { totalCount countUpTo(limit: 1000) { count precision } nodes { content } }
      few: messages(search: "boleto", filter: {position: {lt: 3}}) { totalCount } }`,
  );
  expect(messages).toEqual({
    totalCount: 4_103,
    countUpTo: { count: 1000, precision: 'at_least' },
    nodes: [{ content: 'boleto' }],
  });
  expect(few.totalCount).toBe(5);
});
