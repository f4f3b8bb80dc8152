import type { Context } from '../../context.ts';
import type { Conversation, Message, Turn } from '../../database/generated/prisma/client.ts';
import type { HistoryMessage } from '../../model/service.ts';

/** How many messages behind the summary are read whole; of those before them, how many things that the visitor said. */
const readCount = 100;
const mostEarlier = 400;

/** What was said behind the summary of a conversation, oldest first; `earlier`: what the visitor said before `messages`. */
export type History = { messages: Message[]; earlier: HistoryMessage[] };

/**
 * The conversation behind its summary up to what is to be answered, and what earlier tries have called for it; what was
 * said since, when it is tried again, is not part of it. There are `earlier` ones only while the summary lags behind.
 */
export async function readHistory(
  { database }: Pick<Context, 'database'>,
  { workspaceId, conversationId, heardTo, messageIds }: Turn,
  { summarizedTo }: Conversation,
): Promise<History> {
  const ofConversation = { workspaceId, conversationId };
  const newest = { orderBy: { position: 'desc' } } as const;
  const rows = await database.message.findMany({
    where: {
      ...ofConversation,
      OR: [{ position: { gte: summarizedTo, lte: heardTo } }, { id: { in: messageIds } }],
    },
    ...newest,
    take: readCount,
  });
  const first = rows.at(-1)?.position ?? summarizedTo;
  const where = { ...ofConversation, role: 'user' as const, position: { gte: summarizedTo, lt: first } };
  const select = { role: true, content: true } as const;
  const earlier =
    first > summarizedTo ? await database.message.findMany({ where, ...newest, take: mostEarlier, select }) : [];
  return { messages: rows.reverse(), earlier: earlier.reverse() };
}
