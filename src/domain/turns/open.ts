import type { Context } from '../../context.ts';
import { conflict, invalid, notFound, ParleyError } from '../../core/errors.ts';
import { type Transaction, transact } from '../../database/client.ts';
import type { Agent, Conversation, Turn } from '../../database/generated/prisma/client.ts';
import { writeInOneStatement } from '../../database/query/joint-writes.ts';
import { lockStoredFiles } from '../attachments/stored-files.ts';
import { lockConversation, mayJoin } from '../conversations/access.ts';
import { createBranch } from '../conversations/branch.ts';
import { findChat } from '../conversations/chats.ts';
import { reopened } from '../conversations/outcomes.ts';
import { noteProposal } from '../knowledge/gap-proposals.ts';
import { claimKey } from '../shared/idempotency/turns.ts';
import { recordEvents } from '../shared/outbox.ts';
import { type Reservation, reserveInteraction } from '../workspace/usage.ts';
import type { OpenedTurn, PreparedTurn, StoredInput, TurnAttempt } from './attempt.ts';
import type { TurnRequest } from './input.ts';
import { openInOneStatement } from './open-statement.ts';
import { startRegeneration } from './regenerate.ts';
import { newChannel, pendingCalls } from './store.ts';
import { inputOf, isMetered, turnRow } from './stored-input.ts';

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
 * Opens a turn: with one statement if it is of the common kind, otherwise in one transaction, which locks the
 * conversation, claims the idempotency key, stores the caller's messages, reserves an interaction and creates the turn.
 * If the reservation is refused, the messages are stored all the same. Throws `ConversationLocked`,
 * `IdempotencyKeyTaken`, 400, 404 and 409.
 */
export const openTurn = async (context: Context, prepared: PreparedTurn, attempt: TurnAttempt): Promise<OpenedTurn> =>
  (await openInOneStatement(context, prepared, attempt)) ?? (await openInTransaction(context, prepared, attempt));

function openInTransaction(context: Context, prepared: PreparedTurn, attempt: TurnAttempt): Promise<OpenedTurn> {
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
          : await storeInput(context, tx, prepared, existing, id);
    const { conversation, silent } = stored;
    // A person may be able to open what the agent's model cannot read.
    if (prepared.unread?.length && !silent && agent.status !== 'paused') throw invalid(prepared.unread);
    const costs = !silent && agent.status !== 'paused' && isMetered(conversation, request);
    const { month, events, refusal } = costs ? await reserve(context, tx) : { ...nothingReserved, refusal: null };
    const row = turnRow(prepared, attempt, stored, month);
    const turn = await writeInOneStatement<Turn>(tx, [...stored.writes, { model: 'Turn', rows: [row] }]);
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
  if (conversation.status === 'archived')
    throw conflict('The conversation is archived and accepts no messages: begin another one.');
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
  const conversation = await tx.conversation.update({
    where: keyOf(existing),
    data: { turnId, ...reopened(existing) },
  });
  const silent = earlier.silent || existing.status === 'waiting_human';
  return { conversation, from: earlier.inputFrom, to: earlier.inputTo, silent, called: earlier.messageIds, writes: [] };
}

const keyOf = ({ workspaceId, id }: Conversation) => ({ workspaceId_id: { workspaceId, id } });

/** Stores the caller's messages, or returns the writes that do, in a new conversation if there is no existing one. */
async function storeInput(
  context: Context,
  tx: Transaction,
  { agent, turn: request, channel }: PreparedTurn,
  existing: Conversation | null,
  turnId: string,
): Promise<StoredInput> {
  const pending = existing ? await pendingCalls(tx, existing) : [];
  const target = existing ?? channel ?? (await newChannel(context, tx, agent));
  const { rows, ...input } = inputOf(context.viewer, { request, target, pending, turnId });
  await lockStoredFiles(tx, agent.workspaceId, rows.files);
  const written = request.message?.written;
  const { id = '', content = null, position = 0 } = rows.messages.at(-1) ?? {};
  if (!written || !content) return input;
  await writeInOneStatement(tx, input.writes);
  const message = { id, content, position, createdBy: written.createdBy ?? null };
  await noteProposal(tx, input.conversation, agent.name, message);
  return { ...input, writes: [] };
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
