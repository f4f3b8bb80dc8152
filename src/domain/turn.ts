import { permit } from '../auth/permissions.ts';
import type { Context } from '../context.ts';
import { transact } from '../database/client.ts';
import type { Agent, Conversation } from '../database/generated/prisma/client.ts';
import { conflict, notFound } from '../errors.ts';
import { findAgent } from './agents.ts';
import { requireLead } from './conversations.ts';
import { type Claim, releaseKey } from './idempotency.ts';
import { parseInput } from './input.ts';
import { claimTurn } from './turn-claim.ts';
import type { Delivery } from './turn-delivery.ts';
import { type Turn, type TurnInput, turnInput } from './turn-input.ts';
import { type Lease, leaseEnd, leaseOf, takeTurn } from './turn-lease.ts';
import { reply } from './turn-reply.ts';
import { appendMessages, hear, pendingCalls, startConversation } from './turn-store.ts';

export type { TurnInput } from './turn-input.ts';
/** What a turn made: the conversation, and the messages that the agent generated, oldest first. */
export type TurnResult = { conversationId: string; messageIds: string[] };
/** A conversation that has taken the caller's messages and whose turn is ours. */
export type Opened = { conversation: Conversation; awaitsReply: boolean; metered: boolean; lease: Lease };
/** A message that is allowed and understood, to an agent that takes it. */
export type Addressed = { agent: Agent; turn: Turn; request: Omit<Turn, 'idempotencyKey'> };

/**
 * One turn: stores what the caller says, asks the model, stores and meters the reply. What the caller said is kept
 * whatever happens then; with an idempotency key, a repetition goes on where a failed try stopped, and one that was
 * answered gets the same answer. Throws 404, 409, 422, 429 and the failures of the model (502, 504).
 */
export async function sendMessage(context: Context, input: TurnInput): Promise<TurnResult> {
  const addressed = await address(context, input);
  const key = addressed.turn.idempotencyKey;
  const claim = key ? await claimTurn(context, key, addressed.request) : null;
  if (claim && 'running' in claim) throw claim.busy;
  return claim?.answer ?? answer(context, addressed, claim, null);
}

/** Checks who asks whom for what. Throws 400, 403, 404 and 409. */
export async function address(context: Context, input: TurnInput): Promise<Addressed> {
  permit(context, 'messages.send');
  const turn = parseInput(turnInput, input);
  const agent = await findAgent(context, turn.agentId);
  if (agent.status === 'archived') throw conflict('The agent is archived: it takes no messages.');
  const { idempotencyKey: _, ...request } = turn;
  return { agent, turn, request };
}

/** Takes the turn and answers it; what it says goes to `delivery` while it is said, when there is one. */
export async function answer(
  context: Context,
  { agent, turn }: Addressed,
  claim: Claim | null,
  delivery: Delivery | null,
): Promise<TurnResult> {
  try {
    const opened = await open(context, agent, turn, claim);
    try {
      await delivery?.open(opened.conversation, opened.lease);
      return await reply(context, agent, turn, opened, claim, delivery);
    } finally {
      await opened.lease.release();
    }
  } catch (error) {
    if (claim) await releaseKey(context, claim);
    throw error;
  }
}

/** Finds or makes the conversation, takes its turn, and stores what the caller says unless an earlier try has. */
async function open(context: Context, agent: Agent, turn: Turn, claim: Claim | null): Promise<Opened> {
  const { database } = context;
  if (turn.leadId) await requireLead(context, turn.leadId);
  const id = claim?.conversationId ?? turn.id;
  if (!id) {
    const turnUntil = leaseEnd(context);
    const opened = await transact(database, async (tx) => {
      const conversation = await startConversation(context, tx, agent, turn, turnUntil);
      return { conversation, ...(await listen(tx, conversation, turn, claim)) };
    });
    return { ...opened, lease: leaseOf(context, opened.conversation.id, turnUntil) };
  }
  const conversation = await findConversation(context, agent, id);
  const lease = await takeTurn(context, id);
  try {
    if (claim?.conversationId)
      return { conversation, awaitsReply: true, metered: isMetered(conversation, turn), lease };
    const heard = await transact(database, (tx) => listen(tx, conversation, turn, claim));
    return { conversation, ...heard, lease };
  } catch (error) {
    await lease.release();
    throw error;
  }
}

async function findConversation({ database, viewer }: Context, agent: Agent, id: string): Promise<Conversation> {
  const where = { workspaceId: viewer.workspaceId, agentId: agent.id, id };
  const conversation = await database.conversation.findFirst({ where });
  if (!conversation) throw notFound('Conversation');
  if (conversation.status === 'archived') throw conflict('The conversation is archived: it takes no messages.');
  return conversation;
}

async function listen(
  tx: Parameters<Parameters<typeof transact>[1]>[0],
  conversation: Conversation,
  turn: Turn,
  claim: Claim | null,
): Promise<Pick<Opened, 'awaitsReply' | 'metered'>> {
  const heard = [...(turn.messages ?? []), ...(turn.message ? [turn.message] : [])];
  const { messages, pending } = hear(heard, await pendingCalls(tx, conversation));
  const reopened = conversation.status === 'resolved' ? { status: 'active' as const } : {};
  await appendMessages(tx, conversation, messages, { ...reopened, ...(turn.leadId && { leadId: turn.leadId }) });
  if (claim) {
    const where = { workspaceId_key: { workspaceId: conversation.workspaceId, key: claim.key } };
    await tx.idempotency.update({ where, data: { conversationId: conversation.id } });
  }
  const awaitsReply =
    heard.at(-1)?.role !== 'assistant' && pending.length === 0 && conversation.status !== 'waiting_human';
  return { awaitsReply, metered: isMetered(conversation, turn) };
}

/** Previews are free, and so is going on after a tool's result: the call was part of a reply that was counted. */
function isMetered({ preview }: Conversation, { message, messages }: Turn): boolean {
  return !preview && (message ?? messages?.at(-1))?.role !== 'tool';
}
