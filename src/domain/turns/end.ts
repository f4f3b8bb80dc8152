import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { notFound, ParleyError } from '../../core/errors.ts';
import { type TurnEvent, telemetry } from '../../core/telemetry.ts';
import { type Transaction, transact } from '../../database/client.ts';
import { databaseError } from '../../database/errors.ts';
import type { Conversation, Turn } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import { attemptsBefore } from '../../model/attempts/attempts-before.ts';
import { noteFailure } from '../conversations/message-trace.ts';
import { noteGap } from '../knowledge/gap-notes.ts';
import type { Captured } from '../leads/captured-lead.ts';
import { recordInteraction, releaseInteraction } from '../workspace/usage.ts';
import type { EndedTurn, ReplyMessage, TurnAnswer } from './attempt.ts';
import { failureOf, interrupted } from './failure.ts';
import { keepLead, LeadFailure } from './lead.ts';
import { streamUntil } from './open.ts';
import { endOf } from './parts.ts';
import { hideReplaced } from './regenerate.ts';
import { durationOf, insertMessages, lockConversation, type NewMessage } from './store.ts';
import { behindAll, saveParts } from './stream-store.ts';
import type { UnwrittenParts } from './types.ts';

/**
 * Ends a turn with its answer, in one transaction: stores the messages, the usage, the lead and the end of the stream,
 * and unlocks the conversation. Throws 503 if the turn is no longer open, and 404 if the conversation was deleted.
 */
export async function answerTurn(
  context: Context,
  turn: Turn,
  { spoken, captured, told, unwritten }: TurnAnswer,
): Promise<EndedTurn> {
  const { id, workspaceId, conversationId } = turn;
  // The reply, which has the turn's id, is the last message that is not a tool result.
  const place = spoken.findLastIndex(({ role }) => role !== 'tool');
  const stopped = spoken[place]?.stopped === true;
  // A reply that was stopped before its first word is free.
  const free = stopped && spoken.every(({ content }) => !content);
  // An empty reply must not replace the existing one.
  const answers = turn.regenerates && free ? [] : spoken;
  const messages = answers.map(({ stopped: _, gap: __, ...message }, index) => ({
    role: 'assistant' as const,
    ...message,
    id: index === place ? id : newId('message'),
  }));
  const result = { conversationId, messageIds: [...turn.messageIds, ...messages.map((message) => message.id)] };
  const ended = await withLead(context, captured, async (tx, keep) => {
    const conversation = await hideReplaced(tx, turn, messages.length > 0);
    const data = {
      state: stopped ? ('stopped' as const) : ('answered' as const),
      messageIds: result.messageIds,
      endedAt: new Date(),
      ...(free && { month: null }),
      ...(turn.streamUntil && { streamUntil: streamUntil() }),
    };
    const ours = await tx.turn.updateMany({ where: { id, state: 'open' }, data });
    if (!conversation) throw notFound('Conversation');
    if (ours.count === 0) throw interrupted();
    const changes = await keepLead(context, tx, conversation, turn, keep);
    await release(tx, conversation, { ...changes, ...grown(conversation, messages) });
    await insertMessages(tx, conversation, conversation.messageCount, messages);
    const gap = answers[place]?.gap;
    if (gap !== undefined) await noteGap(tx, turn, conversation, gap);
    const parts = endOf(result, messages[place] ?? null, told);
    if (turn.streamUntil) await saveParts(tx, workspaceId, id, unwritten.position, [...unwritten.parts, ...parts]);
    if (free && turn.month) await releaseInteraction(context, turn.month, tx);
    if (!free && turn.month) await recordInteraction(tx, turn, turn.month, conversation, answers[place]);
    return { result, parts };
  });
  publishEnd(turn, stopped ? 'stopped' : 'answered', answers);
  return ended;
}

function publishEnd({ createdAt }: Turn, state: TurnEvent['state'], messages: ReplyMessage[] = []): void {
  telemetry.turn.publish(() => ({ state, seconds: (Date.now() - createdAt.getTime()) / 1_000 }));
  for (const { model, promptTokens, completionTokens, cachedTokens, cost } of messages) {
    if (model === null || model === undefined) continue;
    telemetry.modelUsage.publish(() => ({
      model,
      promptTokens: promptTokens ?? null,
      completionTokens: completionTokens ?? null,
      cachedTokens: cachedTokens ?? null,
      cost: cost == null ? null : Number(cost),
    }));
  }
}

/**
 * Why a turn failed, its tool calls, and the unwritten rest of its stream: null if its process died and the rest is
 * unknown.
 */
type Failure = { error: unknown; captured: Captured | null; called: NewMessage[]; unwritten: UnwrittenParts | null };

/**
 * Ends a turn without an answer and releases its conversation, idempotency key and interaction. The caller's messages,
 * the lead and the tool calls are kept, and a retry continues after them. Resolves to false if the turn has already
 * ended, or if an orphaned turn turns out to be alive.
 */
export async function failTurn(
  context: Context,
  turn: Turn,
  { error, captured, called, unwritten }: Failure,
): Promise<boolean> {
  const { id, workspaceId, conversationId } = turn;
  const { body } = failureOf(error, context.log);
  const attempts = attemptsBefore(error);
  const ended = await withLead(context, captured, async (tx, keep) => {
    const conversation = await lockConversation(tx, workspaceId, conversationId);
    const over = !unwritten && { aliveUntil: { lte: await context.leaseTime(tx) } };
    const where = { id, state: 'open' as const, ...over };
    const data = { state: 'failed' as const, failure: body as object, endedAt: new Date() };
    const [ended] = await tx.turn.updateManyAndReturn({ where, data });
    if (!ended) return false;
    if (conversation) {
      const changes = await keepLead(context, tx, conversation, turn, keep);
      // A failed regeneration leaves the conversation unchanged.
      const kept = turn.regenerates ? [] : called;
      await release(tx, conversation, { ...changes, ...grown(conversation, kept) });
      const messageIds = await insertMessages(tx, conversation, conversation.messageCount, kept);
      if (messageIds.length > 0) await tx.turn.update({ where: { id }, data: { messageIds: { push: messageIds } } });
    }
    if (conversation && attempts.length > 0) await noteFailure(tx, turn, attempts);
    if (ended.streamUntil) {
      const last = { type: 'error', errorText: body.message, ...body };
      const { position, parts } = unwritten ?? { position: await behindAll(tx, id), parts: [] };
      await saveParts(tx, workspaceId, id, position, [...parts, last]);
    }
    if (ended.month) await releaseInteraction(context, ended.month, tx);
    return true;
  });
  if (ended) publishEnd(turn, 'failed');
  return ended;
}

/** The fields of a conversation that change when messages are added. */
const grown = (conversation: Conversation, { length }: unknown[]) => ({
  messageCount: conversation.messageCount + length,
  ...(length > 0 && { duration: durationOf(conversation) }),
});

const release = (tx: Transaction, { id }: Conversation, changes: object) =>
  tx.conversation.update({ where: { id }, data: { ...changes, turnId: null }, select: { id: true } });

/** Delays in milliseconds before the end of a turn is retried while the database is unavailable. */
const pausesMs = [100, 500, 1_000, 2_000, 3_000, 4_000];

/**
 * Runs `work` in a transaction and retries it while the database is unavailable, so that a generated reply is not lost.
 * If the lead cannot be saved, runs it without the lead: lead capture must never break a reply.
 */
async function withLead<T>(
  { database, log }: Context,
  captured: Captured | null,
  work: (tx: Transaction, captured: Captured | null) => Promise<T>,
): Promise<T> {
  for (let failures = 0, keep = captured; ; failures++) {
    try {
      return await transact(database, (tx) => work(tx, keep));
    } catch (thrown) {
      const cause = thrown instanceof LeadFailure ? thrown.cause : thrown;
      const pause = isPassing(cause) ? pausesMs[failures] : undefined;
      if (pause === undefined && (thrown === cause || !keep)) throw thrown;
      if (pause === undefined) log.error({ err: cause }, 'the lead of a turn could not be stored');
      if (pause === undefined) keep = null;
      else await sleep(pause);
    }
  }
}

/** Whether the database failed in a way that a retry may fix. */
const isPassing = (error: unknown): boolean =>
  !(error instanceof ParleyError) && databaseError(error)?.code === 'unavailable';
