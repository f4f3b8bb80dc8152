import { expect, test } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import { indexMessages, workspacesToIndex } from '../../src/search/messages/writer.ts';
import { indexAll, seedConversation } from '../support/conversations/seeded-conversation.ts';
import { type RecordedStatement, statementsOf, testDatabase } from '../support/database/database.ts';
import { scansOf } from '../support/database/plans.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';

const { gateway, home } = useWorkspaces(testDatabase);
const page = '{ messages(search: "reembolso") { nodes { content } } }';

test('unindexed messages are found without reading the others, whatever the statistics say', async () => {
  const { database, handle } = gateway;
  const { conversationId } = await seedConversation(gateway, home, ['oi']);
  const data = Array.from({ length: 600 }, (_, at) => ({
    id: newId('message'),
    workspaceId: home.id,
    conversationId,
    position: at + 1,
    role: 'user' as const,
    content: `pedido ${at}`,
  }));
  await database.message.createMany({ data });
  // As after an upgrade: no message was indexed when the statistics were collected.
  await handle.pool.query('ANALYZE "Message"');
  await indexAll(gateway, home.id);
  // PostgreSQL skips index entries of dead rows only after a first scan, or VACUUM.
  await handle.pool.query('VACUUM "Message"');
  await seedConversation(gateway, home, ['Quero o reembolso', 'Qual reembolso?']);

  const { recorded } = await statementsOf(async () => {
    const { messages } = await gateway.data(home.viewer, page);
    expect(messages.nodes).toHaveLength(2);
    await indexMessages(database, home.id, { min: 3 });
    await workspacesToIndex(database);
  });
  // The job that looks for what is to be indexed may run meanwhile, and asks the same once more.
  const waiting = recorded.filter(({ text }) => text.includes('"searchNumber" IS NULL'));
  const reading = new Map(waiting.map((statement) => [statement.text, statement]));
  expect([...reading.keys()]).toHaveLength(3);
  for (const statement of reading.values()) {
    const read = (await scansOf(handle, statement as RecordedStatement)).filter(({ table }) => table === 'Message');
    expect(Math.max(...read.map(({ rows }) => rows)), statement.text).toBeLessThanOrEqual(2);
  }
});
