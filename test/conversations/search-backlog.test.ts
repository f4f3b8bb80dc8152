import { expect, test } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import { indexMessages, workspacesToIndex } from '../../src/search/messages/writer.ts';
import { type Asked, statementsOf } from '../support/database.ts';
import { scansOf } from '../support/plans.ts';
import { indexAll, makeSaid } from '../support/said.ts';
import { useWorkspaces } from '../support/workspaces.ts';

const { gateway, home } = useWorkspaces();
const page = '{ messages(search: "reembolso") { nodes { content } } }';

test('unindexed messages are found without reading the others, whatever the statistics say', async () => {
  const { database, handle } = gateway;
  const { conversationId } = await makeSaid(gateway, home, ['oi']);
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
  // Index entries of replaced rows are only skipped once they were met, or vacuumed.
  await handle.pool.query('VACUUM "Message"');
  await makeSaid(gateway, home, ['Quero o reembolso', 'Qual reembolso?']);

  const { asked } = await statementsOf(async () => {
    const { messages } = await gateway.data(home.viewer, page);
    expect(messages.nodes).toHaveLength(2);
    await indexMessages(database, home.id, { least: 3 });
    await workspacesToIndex(database);
  });
  const reading = asked.filter(({ text }) => text.includes('"searchNumber" IS NULL'));
  expect(reading).toHaveLength(3);
  for (const statement of reading) {
    const read = (await scansOf(handle, statement as Asked)).filter(({ table }) => table === 'Message');
    expect(Math.max(...read.map(({ rows }) => rows)), statement.text).toBeLessThanOrEqual(2);
  }
});
