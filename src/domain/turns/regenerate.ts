import { conflict, notFound } from '../../core/errors.ts';
import type { Transaction } from '../../database/client.ts';
import type { Agent, Conversation, Turn } from '../../database/generated/prisma/client.ts';
import { jsonNull } from '../../database/json.ts';
import { lockConversation } from '../conversations/access.ts';
import { reopened } from '../conversations/outcomes.ts';
import type { StoredInput } from './attempt.ts';

/** In place of an id: the last reply. */
const lastReply = 'last';
/** How many replaced replies are kept for a message. */
const maxAlternatives = 20;

/**
 * Takes the user's last message to answer it again. `id` names that message, one that answers it, or the last reply.
 * Throws 404, and 409 if it is not the last exchange, a person has answered or is about to, or the agent is paused.
 */
export async function startRegeneration(
  tx: Transaction,
  agent: Agent,
  existing: Conversation,
  id: string,
  turnId: string,
): Promise<StoredInput> {
  const { workspaceId, id: conversationId } = existing;
  const where = { workspaceId, conversationId };
  if (existing.status === 'waiting_human')
    throw conflict(
      'A person has taken over this conversation, so the agent does not reply: hand it back first, with the GraphQL mutation handBackConversation.',
    );
  if (agent.status === 'paused')
    throw conflict(
      'The agent is paused, so it cannot regenerate a reply: publish it first, with the GraphQL mutation publishAgent.',
    );
  const lastMessage = await tx.message.findFirst({ where: { ...where, role: 'user' }, orderBy: { position: 'desc' } });
  const target = id === lastReply ? lastMessage : await tx.message.findFirst({ where: { ...where, id } });
  if (!target) throw await notFoundOrReplaced(tx, workspaceId, id);
  if (!lastMessage || target.position < lastMessage.position)
    throw conflict('Only the last reply in a conversation can be regenerated.');
  const { position } = lastMessage;
  const byPerson = { ...where, position: { gt: position }, createdBy: { not: null } };
  if (await tx.message.findFirst({ where: byPerson, select: { id: true } }))
    throw conflict('This reply was written by a person and cannot be regenerated.');
  const conversation = await tx.conversation.update({
    where: { workspaceId_id: { workspaceId, id: conversationId } },
    data: { turnId, ...reopened(existing) },
  });
  return { conversation, from: position, to: position, silent: false, writes: [] };
}

async function notFoundOrReplaced(tx: Transaction, workspaceId: string, id: string) {
  const replaced = await tx.messageAlternative.findFirst({ where: { workspaceId, id }, select: { id: true } });
  return replaced ? conflict('This reply has already been regenerated.') : notFound('Message');
}

/**
 * Locks the conversation that a turn ends in. A reply that its answer replaces is kept as an alternative, and the
 * returned `messageCount` no longer counts it.
 */
export async function hideReplaced(tx: Transaction, turn: Turn, answered: boolean): Promise<Conversation | undefined> {
  const conversation = await lockConversation(tx, turn.workspaceId, turn.conversationId);
  if (!conversation || !turn.regenerates || !answered) return conversation;
  await storeAlternative(tx, turn);
  return { ...conversation, messageCount: turn.inputTo + 1 };
}

async function storeAlternative(
  tx: Transaction,
  { id: messageId, workspaceId, conversationId, inputTo }: Turn,
): Promise<void> {
  const where = { workspaceId, conversationId, position: { gt: inputTo } };
  const replaced = await tx.message.findMany({ where, orderBy: { position: 'asc' }, include: { trace: true } });
  const replyIndex = replaced.findLastIndex(({ role }) => role !== 'tool');
  const reply = replaced[replyIndex];
  if (!reply) return;
  const ids = replaced.map(({ id }) => id);
  await tx.messageAlternative.updateMany({ where: { workspaceId, messageId: { in: ids } }, data: { messageId } });
  const { id, content, toolCalls, feedback, metadata, trace, promptTokens, completionTokens, cachedTokens } = reply;
  await tx.messageAlternative.create({
    data: {
      id,
      workspaceId,
      conversationId,
      messageId,
      content,
      promptTokens,
      completionTokens,
      cachedTokens,
      createdAt: reply.createdAt,
      toolCalls: toolCalls ?? jsonNull,
      feedback: feedback ?? jsonNull,
      metadata: metadata ?? {},
      steps: replaced.filter((message) => message !== reply).map(stepOf),
      trace: trace?.data ?? jsonNull,
    },
  });
  await tx.message.deleteMany({ where });
  const surplus = await tx.messageAlternative.findMany({
    where: { workspaceId, messageId },
    orderBy: [{ replacedAt: 'desc' }, { id: 'desc' }],
    skip: maxAlternatives,
    select: { id: true },
  });
  if (surplus.length > 0)
    await tx.messageAlternative.deleteMany({
      where: { workspaceId, id: { in: surplus.map((alternative) => alternative.id) } },
    });
}

type Step = {
  role: string;
  name: string | null;
  content: string | null;
  toolCallId: string | null;
  toolCalls: unknown;
};

const stepOf = ({ role, name, content, toolCallId, toolCalls }: Step): object => ({
  role,
  name,
  content,
  toolCallId,
  toolCalls,
});
