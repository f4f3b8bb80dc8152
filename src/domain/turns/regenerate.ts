import { conflict, notFound } from '../../core/errors.ts';
import type { Transaction } from '../../database/client.ts';
import type { Agent, Conversation, Turn } from '../../database/generated/prisma/client.ts';
import { jsonNull } from '../../database/json.ts';
import type { StoredInput } from './attempt.ts';
import { lockConversation } from './store.ts';

/** In place of an id: the last reply. */
const lastReply = 'last';
/** How many replaced replies are kept for a message. */
const mostAlternatives = 20;

/**
 * Takes the user's last message to answer it again. `id` names that message, one that answers it, or the last reply.
 * Throws 404, and 409 if it is not the last exchange, a person has answered or is about to, or the agent is paused.
 */
export async function takeLastMessage(
  tx: Transaction,
  agent: Agent,
  found: Conversation,
  id: string,
  turnId: string,
): Promise<StoredInput> {
  const { workspaceId, id: conversationId } = found;
  const where = { workspaceId, conversationId };
  if (found.status === 'waiting_human')
    throw conflict('A person has taken over this conversation: the agent does not reply.');
  if (agent.status === 'paused') throw conflict('The agent is paused: it cannot regenerate a reply.');
  const asked = await tx.message.findFirst({ where: { ...where, role: 'user' }, orderBy: { position: 'desc' } });
  const given = id === lastReply ? asked : await tx.message.findFirst({ where: { ...where, id } });
  if (!given) throw await missing(tx, workspaceId, id);
  if (!asked || given.position < asked.position)
    throw conflict('Only the last reply in a conversation can be regenerated.');
  const { position } = asked;
  const byPerson = { ...where, position: { gt: position }, createdBy: { not: null } };
  if (await tx.message.findFirst({ where: byPerson, select: { id: true } }))
    throw conflict('This reply was written by a person and cannot be regenerated.');
  const conversation = await tx.conversation.update({ where: { id: conversationId }, data: { turnId } });
  return { conversation, from: position, to: position, silent: false };
}

async function missing(tx: Transaction, workspaceId: string, id: string) {
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
  await setAside(tx, turn);
  return { ...conversation, messageCount: turn.heardTo + 1 };
}

async function setAside(tx: Transaction, { id: messageId, workspaceId, conversationId, heardTo }: Turn): Promise<void> {
  const where = { workspaceId, conversationId, position: { gt: heardTo } };
  const old = await tx.message.findMany({ where, orderBy: { position: 'asc' }, include: { trace: true } });
  const place = old.findLastIndex(({ role }) => role !== 'tool');
  const reply = old[place];
  if (!reply) return;
  const ids = old.map(({ id }) => id);
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
      steps: old.filter((message) => message !== reply).map(stepOf),
      trace: trace?.data ?? jsonNull,
    },
  });
  await tx.message.deleteMany({ where });
  const many = await tx.messageAlternative.findMany({
    where: { workspaceId, messageId },
    orderBy: [{ replacedAt: 'desc' }, { id: 'desc' }],
    skip: mostAlternatives,
    select: { id: true },
  });
  if (many.length > 0)
    await tx.messageAlternative.deleteMany({ where: { workspaceId, id: { in: many.map((one) => one.id) } } });
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
