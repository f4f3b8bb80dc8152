import type { Context, Services } from '../../context.ts';
import type { Conversation } from '../../database/generated/prisma/client.ts';
import type { HistoryMessage, Reply } from '../../model/service.ts';
import type { JobData } from '../../queue/kinds.ts';
import { withWords } from '../attachments/content.ts';

/**
 * How many messages a summary is made of at most at once, and after how many of them one is due however short they are:
 * fewer than are read for a prompt (src/domain/turns/history.ts), and more than stay when one is made.
 */
const mostMessages = 400;
const manyMessages = 60;
/** The share of the history's room that may be used before older messages are summarised. */
const fullShare = 0.75;

/** Has older messages summarised in the background when a prompt was nearly full. Never fails a turn. */
export async function summarizeWhenFull(
  { queue, config, log }: Context,
  { id, workspaceId, messageCount, summarizedTo }: Conversation,
  { prompt }: Reply,
): Promise<void> {
  const full = prompt.omitted > 0 || prompt.history > config.modelHistoryTokens * fullShare;
  if (!full && messageCount - summarizedTo < manyMessages) return;
  const job = { name: 'summarize' as const, key: id, data: { workspaceId, conversationId: id } };
  try {
    await queue.transact((_tx, enqueue) => enqueue([job]));
  } catch (error) {
    log.error({ err: error }, 'a conversation could not be given to be summarised');
  }
}

/**
 * Puts the older messages of a conversation into its summary, which then goes to the model in their place. For a
 * conversation that is gone, or whose messages are all recent, does nothing; so when somebody else wrote a summary
 * meanwhile. Rejects with what the model failed with.
 */
export async function summarizeConversation(
  { database, model, log }: Services,
  { workspaceId, conversationId }: JobData['summarize'],
  signal: AbortSignal,
): Promise<void> {
  const where = { workspaceId, id: conversationId };
  const conversation = await database.conversation.findFirst({ where, include: { agent: true } });
  if (!conversation) return;
  const { summary: previous, summarizedTo, agent } = conversation;
  const rows = await database.message.findMany({
    where: { workspaceId, conversationId, position: { gte: summarizedTo } },
    orderBy: { position: 'asc' },
    take: mostMessages,
    select: { position: true, role: true, content: true, attachments: true },
  });
  const said = await withWords({ database }, workspaceId, rows);
  const messages: HistoryMessage[] = said.map(({ role, content }) => ({ role, content }));
  const made = await model.summarize({
    agent,
    previous,
    messages,
    signal,
    log: log.child({ workspaceId, agentId: agent.id, conversationId }),
  });
  const last = made && rows[made.covered - 1];
  if (!last) return;
  await database.conversation.updateMany({
    where: { ...where, summary: previous, summarizedTo },
    data: { summary: made.summary, summarizedTo: last.position + 1 },
  });
}
