import type { Services } from '../../src/context.ts';
import { type Database, transact } from '../../src/database/client.ts';
import type { Prisma } from '../../src/database/generated/prisma/client.ts';
import { recordGap } from '../../src/domain/knowledge/gap-notes.ts';
import { noteProposal } from '../../src/domain/knowledge/gap-proposals.ts';
import type { Cast } from './cast.ts';
import { cited, passagesOf } from './citations.ts';
import { conversationsOf } from './conversations.ts';

/**
 * Inserts half a year of conversations directly as rows, since operations write only at the current time. Derived
 * figures (usage, gaps, costs) are inserted along with them, so that all numbers agree.
 */
export async function writeHistory(
  { database, now }: Pick<Services, 'database' | 'now'>,
  workspaceId: string,
  cast: Cast,
): Promise<void> {
  const passages = await passagesOf(database, workspaceId);
  const { userId: colleagueId } = await database.membership.findFirstOrThrow({
    where: { workspaceId, role: 'editor' },
  });
  const { leads, conversations, messages, traces, gaps, replies, usage, interactions, stages } = conversationsOf({
    workspaceId,
    cast,
    now: now(),
    colleagueId,
    cite: (agentId, quote) => cited(passages, agentId, quote),
  });
  await insertRows(database, 'Lead', leads);
  await insertRows(database, 'Conversation', conversations);
  await insertRows(database, 'Message', messages);
  await insertRows(database, 'ReachedStage', stages);
  await insertRows(database, 'Interaction', interactions);
  await insertRows(database, 'MessageTrace', traces);
  for (const { month, current } of usage) {
    const where = { workspaceId_month: { workspaceId, month } };
    await database.usage.upsert({ where, create: { workspaceId, month, current }, update: { current } });
  }
  await transact(
    database,
    async (tx) => {
      for (const turn of gaps) await recordGap(tx, turn as never, { preview: false }, 'nothing_found');
      for (const { conversationId: id, ...written } of replies) {
        await noteProposal(tx, { workspaceId, id, preview: false }, '', { ...written, createdBy: colleagueId });
      }
    },
    { timeoutMs: 120_000 },
  );
}

/**
 * Inserts rows as one value: Prisma would plan a statement with a parameter for each of tens of thousands of fields.
 */
async function insertRows(database: Database, table: Prisma.ModelName, rows: object[]): Promise<void> {
  const byColumns = Map.groupBy(rows, (row) =>
    Object.entries(row)
      .flatMap(([name, value]) => (value === undefined ? [] : `"${name}"`))
      .join(),
  );
  for (const [columns, alike] of byColumns) {
    await database.$executeRawUnsafe(
      `INSERT INTO "${table}" (${columns}) SELECT ${columns} FROM jsonb_populate_recordset(NULL::"${table}", $1::jsonb)`,
      JSON.stringify(alike),
    );
  }
}
