import type { Context } from '../../context.ts';
import { conflict, invalid, notFound, ParleyError } from '../../core/errors.ts';
import { type Transaction, transact } from '../../database/client.ts';
import type { Agent, Conversation, Turn } from '../../database/generated/prisma/client.ts';
import { branchOff } from '../conversations/branch.ts';
import { findChat } from '../conversations/chats.ts';
import { noteProposal } from '../knowledge/gap-proposals.ts';
import { claimKey, keptMs } from '../shared/idempotency.ts';
import { reserveInteraction } from '../workspace/usage.ts';
import type { OpenedTurn, PreparedTurn, StoredInput, TurnAttempt } from './attempt.ts';
import type { Turn as Asked } from './input.ts';
import { takeLastMessage } from './regenerate.ts';
import {
  durationOf,
  insertMessages,
  lockConversation,
  mayJoin,
  pendingCalls,
  startConversation,
  storeMessages,
} from './store.ts';

/** How long a stream is kept after its end, in milliseconds. */
const streamMs = 3_600_000;

export const streamUntil = (): Date => new Date(Date.now() + streamMs);

/** The conversation already has an open turn. Never shown to a caller. */
export class ConversationLocked extends Error {
  override name = 'Occupied';
  readonly turnId: string;

  constructor(turnId: string) {
    super('The conversation has an open turn.');
    this.turnId = turnId;
  }
}

/**
 * Opens a turn, in one transaction: locks the conversation, claims the idempotency key, stores the caller's messages,
 * reserves an interaction and creates the turn. If the reservation is refused, the messages are stored all the same.
 * Throws `ConversationLocked`, `IdempotencyKeyTaken`, 400, 404 and 409.
 */
export function openTurn(context: Context, addressed: PreparedTurn, ticket: TurnAttempt): Promise<OpenedTurn> {
  const { agent, turn: asked, fingerprint } = addressed;
  const { id, earlier } = ticket;
  const { workspaceId } = context.viewer;
  const key = asked.idempotencyKey ?? null;
  return transact(context.database, async (tx) => {
    const into = earlier?.conversationId ?? asked.id ?? (await chatOf(context, tx, agent, asked));
    const taken = into ? await takeConversation(context, tx, agent, into) : null;
    const found = asked.edit && !taken ? await branchOff(context, tx, agent, asked.edit) : taken;
    if (key) await claimKey(context, tx, { key, fingerprint, turnId: id }, earlier);
    const heard =
      asked.regenerate && found
        ? await takeLastMessage(tx, agent, found, asked.regenerate, id)
        : earlier && found
          ? await hearAgain(tx, found, earlier, id)
          : await listen(context, tx, agent, asked, found, id);
    const { conversation, silent } = heard;
    // A person may be able to open what the agent's model cannot read.
    if (addressed.unread?.length && !silent && agent.status !== 'paused') throw invalid(addressed.unread);
    const costs = !silent && agent.status !== 'paused' && isMetered(conversation, asked);
    const { month, refusal } = costs ? await reserve(context, tx) : { month: null, refusal: null };
    const turn = await tx.turn.create({
      data: {
        id,
        workspaceId,
        agentId: agent.id,
        conversationId: conversation.id,
        fingerprint,
        heardFrom: heard.from,
        heardTo: heard.to,
        regenerates: Boolean(asked.regenerate),
        silent,
        messageIds: heard.called ?? [],
        month,
        streamUntil: ticket.streamed ? streamUntil() : null,
        expiresAt: new Date(Date.now() + keptMs),
      },
    });
    return { turn, conversation, refusal };
  });
}

/** Reserves the interaction of an open turn that was refused before. Resolves to the refusal if it is refused again. */
export const reserveAgain = (context: Context, { id }: Turn): Promise<ParleyError | null> =>
  transact(context.database, async (tx) => {
    const { month, refusal } = await reserve(context, tx);
    if (month) await tx.turn.update({ where: { id }, data: { month } });
    return refusal;
  });

/** The chat may have been created since the request was prepared. */
const chatOf = (context: Context, tx: Transaction, { id }: Agent, { chat }: Asked) =>
  chat ? findChat(context, tx, id, chat) : undefined;

async function takeConversation({ viewer }: Context, tx: Transaction, agent: Agent, id: string): Promise<Conversation> {
  const conversation = await lockConversation(tx, agent.workspaceId, id);
  if (conversation?.agentId !== agent.id || !mayJoin(viewer, conversation)) throw notFound('Conversation');
  if (conversation.status === 'archived') throw conflict('The conversation is archived and accepts no messages.');
  if (conversation.turnId) throw new ConversationLocked(conversation.turnId);
  return conversation;
}

/** Answers the messages that an earlier attempt stored; later messages are not part of the turn. */
async function hearAgain(tx: Transaction, found: Conversation, earlier: Turn, turnId: string): Promise<StoredInput> {
  const conversation = await tx.conversation.update({ where: { id: found.id }, data: { turnId } });
  const silent = earlier.silent || found.status === 'waiting_human';
  return { conversation, from: earlier.heardFrom, to: earlier.heardTo, silent, called: earlier.messageIds };
}

/** Stores the caller's messages, in a new conversation if none is given. */
async function listen(
  context: Context,
  tx: Transaction,
  agent: Agent,
  asked: Asked,
  found: Conversation | null,
  turnId: string,
): Promise<StoredInput> {
  const said = [...(asked.messages ?? []), ...(asked.message ? [asked.message] : [])];
  const { messages, pending } = storeMessages(said, found ? await pendingCalls(tx, found) : []);
  const from = found?.messageCount ?? 0;
  const messageCount = from + messages.length;
  const changes = {
    ...(found?.status === 'resolved' && { status: 'active' as const }),
    ...(asked.leadId && asked.leadId !== found?.leadId && { leadId: asked.leadId }),
  };
  const conversation = found
    ? await tx.conversation.update({
        where: { id: found.id },
        data: { ...changes, turnId, messageCount, duration: durationOf(found) },
      })
    : await startConversation(context, tx, agent, asked, { turnId, messageCount, duration: 0 });
  const ids = await insertMessages(tx, conversation, from, messages);
  const written = asked.message?.written;
  const content = messages.at(-1)?.content ?? null;
  if (written && content) {
    const message = { id: ids.at(-1) ?? '', content, position: messageCount - 1, createdBy: written.createdBy ?? null };
    await noteProposal(tx, conversation, agent.name, message);
  }
  const silent = said.at(-1)?.role === 'assistant' || pending.length > 0 || conversation.status === 'waiting_human';
  return { conversation, from, to: messageCount - 1, silent };
}

/** Previews are free. So is continuing after a tool result: the call was part of a reply that was already counted. */
function isMetered({ preview }: Conversation, { message, messages }: Asked): boolean {
  return !preview && (message ?? messages?.at(-1))?.role !== 'tool';
}

type Reserved = { month: string | null; refusal: ParleyError | null };

async function reserve(context: Context, tx: Transaction): Promise<Reserved> {
  try {
    return { month: await reserveInteraction(context, tx), refusal: null };
  } catch (error) {
    if (error instanceof ParleyError) return { month: null, refusal: error };
    throw error;
  }
}
