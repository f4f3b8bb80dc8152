import type { Context, Services } from '../../context.ts';
import type { Conversation } from '../../database/generated/prisma/client.ts';
import type { HistoryMessage, Reply } from '../../model/service.ts';
import type { JobData } from '../../queue/kinds.ts';
import { withTranscripts } from '../attachments/content.ts';

/**
 * How many messages one summary takes in at most, and how many unsummarized messages make one due however short they
 * are: fewer than a prompt reads (src/domain/turns/history.ts), more than a summary leaves out.
 */
const maxMessages = 400;
const manyMessages = 60;
/** The share of the history's token budget above which older messages are summarized. */
const fullShare = 0.75;

/** Queues a summary of older messages if the prompt was nearly full. Never rejects, so that no turn fails for it. */
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
    log.error({ err: error }, 'a conversation could not be queued for a summary');
  }
}

/**
 * Adds older messages of a conversation to its summary, which replaces them in prompts. Does nothing if the
 * conversation was deleted, all of its messages are recent, or its summary changes meanwhile. Rejects if the model
 * fails.
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
    take: maxMessages,
    select: { position: true, role: true, content: true, attachments: true },
  });
  const transcribed = await withTranscripts({ database }, workspaceId, rows);
  const messages: HistoryMessage[] = transcribed.map(({ role, content }) => ({ role, content }));
  const summary = await model.summarize({
    agent,
    previous,
    messages,
    signal,
    log: log.child({ workspaceId, agentId: agent.id, conversationId }),
  });
  const last = summary && rows[summary.covered - 1];
  if (!last) return;
  await database.conversation.updateMany({
    where: { ...where, summary: previous, summarizedTo },
    data: { summary: summary.summary, summarizedTo: last.position + 1 },
  });
}
