import type { Context } from '../../context.ts';
import type { Conversation, Turn } from '../../database/generated/prisma/client.ts';
import type { HistoryMessage } from '../../model/service.ts';
import { type HistoryRow, historyColumns } from '../attachments/content.ts';

/** How many messages since the summary are read in full, and how many of the user's messages before those. */
export const readCount = 100;
const maxEarlierMessages = 400;
const selected = Object.fromEntries(historyColumns.map((name) => [name, true])) as {
  [Name in (typeof historyColumns)[number]]: true;
};

/** The messages since the summary, oldest first. `earlier`: messages of the user before `messages`. */
type History = { messages: HistoryRow[]; earlier: HistoryMessage[] };

/**
 * Reads the messages since the summary, up to the ones to answer, and the tool calls of earlier attempts. When a turn
 * is retried, messages that came in later are excluded. `earlier` is empty unless the summary lags behind. `known`:
 * these messages, if the turn has read them already.
 */
export async function readHistory(
  { database }: Pick<Context, 'database'>,
  { workspaceId, conversationId, inputTo, messageIds }: Turn,
  { summarizedTo }: Conversation,
  known?: HistoryRow[],
): Promise<History> {
  if (known && known.length <= readCount) return { messages: known, earlier: [] };
  const ofConversation = { workspaceId, conversationId };
  const newest = { orderBy: { position: 'desc' } } as const;
  const rows = await database.message.findMany({
    where: {
      ...ofConversation,
      OR: [{ position: { gte: summarizedTo, lte: inputTo } }, { id: { in: messageIds } }],
    },
    ...newest,
    take: readCount,
    select: selected,
  });
  const first = rows.at(-1)?.position ?? summarizedTo;
  const where = { ...ofConversation, role: 'user' as const, position: { gte: summarizedTo, lt: first } };
  const select = { role: true, content: true } as const;
  const earlier =
    first > summarizedTo ? await database.message.findMany({ where, ...newest, take: maxEarlierMessages, select }) : [];
  return { messages: rows.reverse(), earlier: earlier.reverse() };
}
