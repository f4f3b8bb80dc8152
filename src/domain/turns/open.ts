import type { Context } from '../../context.ts';
import { conflict, invalid, notFound, ParleyError } from '../../core/errors.ts';
import { type Transaction, transact } from '../../database/client.ts';
import type { Agent, Conversation, Turn } from '../../database/generated/prisma/client.ts';
import { type JointWrite, writeTogether } from '../../database/query/write-together.ts';
import { createBranch } from '../conversations/branch.ts';
import { findChat } from '../conversations/chats.ts';
import { noteProposal } from '../knowledge/gap-proposals.ts';
import { claimKey, retentionMs } from '../shared/idempotency.ts';
import { recordEvents } from '../shared/outbox.ts';
import { type Reservation, reserveInteraction } from '../workspace/usage.ts';
import type { OpenedTurn, PreparedTurn, StoredInput, TurnAttempt } from './attempt.ts';
import type { TurnRequest } from './input.ts';
import { startRegeneration } from './regenerate.ts';
import {
  durationOf,
  insertionsOf,
  lockConversation,
  mayJoin,
  messageRows,
  newConversation,
  pendingCalls,
  storeMessages,
} from './store.ts';

/** How long a stream is kept after its end, in milliseconds. */
const streamMs = 3_600_000;

/** Until when the stream of a turn that ends now is kept. */
export const streamUntil = (): Date => new Date(Date.now() + streamMs);

/** The conversation already has an open turn. Never shown to a caller. */
export class ConversationLocked extends Error {
  override name = 'ConversationLocked';
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
export function openTurn(context: Context, prepared: PreparedTurn, attempt: TurnAttempt): Promise<OpenedTurn> {
  const { agent, turn: request, fingerprint } = prepared;
  const { id, earlier } = attempt;
  const { workspaceId } = context.viewer;
  const key = request.idempotencyKey ?? null;
  return transact(context.database, async (tx) => {
    const conversationId = earlier?.conversationId ?? request.id ?? (await chatOf(context, tx, agent, request));
    const locked = conversationId ? await lockForTurn(context, tx, agent, conversationId) : null;
    const existing = request.edit && !locked ? await createBranch(context, tx, agent, request.edit) : locked;
    if (key) await claimKey(context, tx, { key, fingerprint, turnId: id }, earlier);
    const stored =
      request.regenerate && existing
        ? await startRegeneration(tx, agent, existing, request.regenerate, id)
        : earlier && existing
          ? await reuseInput(tx, existing, earlier, id)
          : await storeInput(context, tx, { agent, request, existing, turnId: id });
    const { conversation, silent } = stored;
    // A person may be able to open what the agent's model cannot read.
    if (prepared.unread?.length && !silent && agent.status !== 'paused') throw invalid(prepared.unread);
    const costs = !silent && agent.status !== 'paused' && isMetered(conversation, request);
    const { month, events, refusal } = costs ? await reserve(context, tx) : { ...nothingReserved, refusal: null };
    const turn = await writeTogether<Turn>(tx, [
      ...stored.writes,
      {
        model: 'Turn',
        rows: [
          {
            id,
            workspaceId,
            agentId: agent.id,
            conversationId: conversation.id,
            fingerprint,
            heardFrom: stored.from,
            heardTo: stored.to,
            regenerates: Boolean(request.regenerate),
            silent,
            messageIds: stored.called ?? [],
            month,
            streamUntil: attempt.streamed ? streamUntil() : null,
            createdAt: new Date(),
            expiresAt: new Date(Date.now() + retentionMs),
          },
        ],
      },
    ]);
    if (!turn) throw new Error('A turn was not stored.');
    await recordEvents(tx, workspaceId, events);
    return { turn, conversation, refusal, history: stored.history };
  });
}

/** Reserves the interaction of an open turn that was refused before. Resolves to the refusal if it is refused again. */
export const reserveAgain = (context: Context, { workspaceId, id }: Turn): Promise<ParleyError | null> =>
  transact(context.database, async (tx) => {
    const { month, events, refusal } = await reserve(context, tx);
    await recordEvents(tx, workspaceId, events);
    if (month) await tx.turn.update({ where: { workspaceId_id: { workspaceId, id } }, data: { month } });
    return refusal;
  });

/** The chat may have been created since the request was prepared. */
const chatOf = (context: Context, tx: Transaction, { id }: Agent, { chat }: TurnRequest) =>
  chat ? findChat(context, tx, id, chat) : undefined;

async function lockForTurn({ viewer }: Context, tx: Transaction, agent: Agent, id: string): Promise<Conversation> {
  const conversation = await lockConversation(tx, agent.workspaceId, id);
  if (conversation?.agentId !== agent.id || !mayJoin(viewer, conversation)) throw notFound('Conversation');
  if (conversation.status === 'archived') throw conflict('The conversation is archived and accepts no messages.');
  if (conversation.turnId) throw new ConversationLocked(conversation.turnId);
  return conversation;
}

/** Answers the messages that an earlier attempt stored; later messages are not part of the turn. */
async function reuseInput(
  tx: Transaction,
  existing: Conversation,
  earlier: Turn,
  turnId: string,
): Promise<StoredInput> {
  const conversation = await tx.conversation.update({ where: keyOf(existing), data: { turnId } });
  const silent = earlier.silent || existing.status === 'waiting_human';
  return { conversation, from: earlier.heardFrom, to: earlier.heardTo, silent, called: earlier.messageIds, writes: [] };
}

const keyOf = ({ workspaceId, id }: Conversation) => ({ workspaceId_id: { workspaceId, id } });

type GivenInput = { agent: Agent; request: TurnRequest; existing: Conversation | null; turnId: string };

/** The writes that store the caller's messages, in a new conversation if there is no existing one. */
async function storeInput(context: Context, tx: Transaction, given: GivenInput): Promise<StoredInput> {
  const { agent, request, existing, turnId } = given;
  const inputs = [...(request.messages ?? []), ...(request.message ? [request.message] : [])];
  const { messages, pending } = storeMessages(inputs, existing ? await pendingCalls(tx, existing) : []);
  const from = existing?.messageCount ?? 0;
  const messageCount = from + messages.length;
  const changes = {
    ...(existing?.status === 'resolved' && { status: 'active' as const }),
    ...(request.leadId && request.leadId !== existing?.leadId && { leadId: request.leadId }),
  };
  const update = existing && {
    ...changes,
    turnId,
    messageCount,
    duration: durationOf(existing),
    updatedAt: new Date(),
  };
  const conversation = existing
    ? { ...existing, ...update }
    : await newConversation(context, tx, agent, request, { turnId, messageCount });
  const rows = await messageRows(tx, conversation, from, messages);
  const writes: JointWrite[] = [
    update
      ? { model: 'Conversation', where: { workspaceId: conversation.workspaceId, id: conversation.id }, update }
      : { model: 'Conversation', rows: [conversation] },
    ...insertionsOf(rows),
  ];
  const silent = inputs.at(-1)?.role === 'assistant' || pending.length > 0 || conversation.status === 'waiting_human';
  const input = { conversation, from, to: messageCount - 1, silent, ...(!existing && { history: rows.messages }) };
  const written = request.message?.written;
  const content = messages.at(-1)?.content ?? null;
  if (!written || !content) return { ...input, writes };
  await writeTogether(tx, writes);
  const id = rows.messages.at(-1)?.id ?? '';
  const message = { id, content, position: messageCount - 1, createdBy: written.createdBy ?? null };
  await noteProposal(tx, conversation, agent.name, message);
  return { ...input, writes: [] };
}

/** Previews are free. So is continuing after a tool result: the call was part of a reply that was already counted. */
function isMetered({ preview }: Conversation, { message, messages }: TurnRequest): boolean {
  return !preview && (message ?? messages?.at(-1))?.role !== 'tool';
}

type Reserved = { month: string | null; events: Reservation['events'] };
const nothingReserved: Reserved = { month: null, events: [] };

async function reserve(context: Context, tx: Transaction): Promise<Reserved & { refusal: ParleyError | null }> {
  try {
    return { ...(await reserveInteraction(context, tx)), refusal: null };
  } catch (error) {
    if (error instanceof ParleyError) return { ...nothingReserved, refusal: error };
    throw error;
  }
}
