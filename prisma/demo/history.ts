import type { Services } from '../../src/context.ts';
import { transact } from '../../src/database/client.ts';
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
  const { leads, conversations, messages, traces, gaps, replies, usage, interactions } = conversationsOf({
    workspaceId,
    cast,
    now: now(),
    colleagueId,
    cite: (agentId, quote) => cited(passages, agentId, quote),
  });
  await database.lead.createMany({ data: leads });
  await database.conversation.createMany({ data: conversations });
  await database.message.createMany({ data: messages });
  await database.interaction.createMany({ data: interactions });
  await database.messageTrace.createMany({ data: traces as never });
  for (const { month, current } of usage) {
    const where = { workspaceId_month: { workspaceId, month } };
    await database.usage.upsert({ where, create: { workspaceId, month, current }, update: { current } });
  }
  for (const turn of gaps) {
    await transact(database, (tx) => recordGap(tx, turn as never, { preview: false }, 'nothing_found'));
  }
  for (const { conversationId: id, ...written } of replies) {
    const place = { workspaceId, id, preview: false };
    await transact(database, (tx) => noteProposal(tx, place, '', { ...written, createdBy: colleagueId }));
  }
}
