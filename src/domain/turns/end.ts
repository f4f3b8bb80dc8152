import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { notFound, ParleyError } from '../../core/errors.ts';
import { type TurnMeasurement, telemetry } from '../../core/telemetry.ts';
import { transact } from '../../database/client.ts';
import { databaseError } from '../../database/errors.ts';
import type { Conversation, Turn } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import { writeInOneStatement } from '../../database/query/joint-writes.ts';
import { attemptsBefore } from '../../model/attempts/attempts-before.ts';
import { lockStoredFiles } from '../attachments/stored-files.ts';
import { lockConversation } from '../conversations/access.ts';
import { recordFailure } from '../conversations/message-trace.ts';
import { gapWrites, lockGaps, recordGap } from '../knowledge/gap-notes.ts';
import type { Captured } from '../leads/captured-lead.ts';
import { interactionOf, releaseInteraction } from '../workspace/usage.ts';
import { answerInOneStatement, rememberRows } from './answer-statement.ts';
import type { EndedTurn, ReplyMessage, TurnAnswer } from './attempt.ts';
import { failureOf, interrupted } from './failure.ts';
import { LeadFailure, saveLead } from './lead.ts';
import { endOf } from './parts.ts';
import { hideReplaced } from './regenerate.ts';
import { durationOf, insertionsOf, messageRows, type NewMessage } from './store.ts';
import { streamUntil } from './stored-input.ts';
import { nextPosition, saveParts } from './stream-store.ts';
import type { UnwrittenParts } from './types.ts';

/**
 * Ends a turn with its answer, in one statement or transaction: stores the messages, the usage, the lead and the end of
 * the stream, and unlocks the conversation. Throws 503 if the turn is no longer open, and 404 if the conversation was
 * deleted.
 */
export async function answerTurn(
  context: Context,
  turn: Turn,
  { messages: replies, conversation: opened, captured, textStarted, unwritten }: TurnAnswer,
): Promise<EndedTurn> {
  const { id, workspaceId, conversationId } = turn;
  // The reply, which has the turn's id, is the last message that is not a tool result.
  const replyIndex = replies.findLastIndex(({ role }) => role !== 'tool');
  const stopped = replies[replyIndex]?.stopped === true;
  // A reply that was stopped before its first word is free.
  const isFree = stopped && replies.every(({ content }) => !content);
  // An empty reply must not replace the existing one.
  const answers = turn.regenerates && isFree ? [] : replies;
  const messages = answers.map(({ stopped: _, gap: __, question: ___, ...message }, index) => ({
    role: 'assistant' as const,
    ...message,
    id: index === replyIndex ? id : newId('message'),
  }));
  const result = { conversationId, messageIds: [...turn.messageIds, ...messages.map((message) => message.id)] };
  const parts = endOf(result, messages[replyIndex] ?? null, textStarted);
  const { gap, question } = answers[replyIndex] ?? {};
  const writesOf = (conversation: Conversation, changes: object) => {
    const rows = messageRows(conversation, conversation.messageCount, messages);
    const interaction =
      !isFree && turn.month ? [interactionOf(turn, turn.month, conversation, answers[replyIndex])] : [];
    return {
      conversation: freed(conversation, { ...changes, ...updatedCounts(conversation, messages) }),
      turn: {
        model: 'Turn' as const,
        where: { workspaceId, id, state: 'open' as const },
        update: {
          state: stopped ? ('stopped' as const) : ('answered' as const),
          messageIds: result.messageIds,
          endedAt: new Date(),
          ...(isFree && { month: null }),
          ...(turn.streamUntil && { streamUntil: streamUntil() }),
        },
      },
      rows,
      interaction,
      parts: turn.streamUntil ? { ...unwritten, parts: [...unwritten.parts, ...parts] } : null,
    };
  };
  const unanswered = opened.preview ? null : gap;
  const isCommon = !turn.regenerates && !(isFree && turn.month) && (!unanswered || question);
  const endAtOnce = async () => {
    const writes = writesOf(opened, {});
    if (!unanswered || !question) return answerInOneStatement(context.pool, turn, opened, writes);
    const { ifThere, recordThere, record } = gapWrites(turn, question, unanswered);
    return (
      (await answerInOneStatement(context.pool, turn, opened, { ...writes, gap: recordThere }, [ifThere])) ??
      (await transact(context.database, async (tx) => {
        await lockGaps(tx, turn);
        return answerInOneStatement(tx, turn, opened, { ...writes, gap: record });
      }))
    );
  };
  const atOnce = async (lead: Captured | null) => {
    if (!isCommon || (lead && !opened.preview)) return false;
    const rows = await endAtOnce();
    if (rows && turn.messageIds.length === 0) rememberRows(result, rows);
    return rows !== null;
  };
  await withLead(context, captured, async (leadData) => {
    if (await atOnce(leadData)) return;
    await transact(context.database, async (tx) => {
      const conversation = await hideReplaced(tx, turn, messages.length > 0);
      if (!conversation) throw notFound('Conversation');
      const writes = writesOf(conversation, await saveLead(context, tx, conversation, turn, leadData));
      await lockStoredFiles(tx, workspaceId, writes.rows.files);
      const all = [writes.conversation, ...insertionsOf(writes.rows), ...writes.interaction, writes.turn];
      if (!(await writeInOneStatement(tx, all))) throw interrupted();
      if (gap !== undefined) await recordGap(tx, turn, conversation, gap);
      if (writes.parts) await saveParts(tx, workspaceId, [{ turnId: id, ...writes.parts }]);
      if (isFree && turn.month) await releaseInteraction(context, turn.month, tx);
    });
  });
  publishEnd(turn, stopped ? 'stopped' : 'answered', answers);
  return { result, parts };
}

function publishEnd({ createdAt }: Turn, state: TurnMeasurement['state'], messages: ReplyMessage[] = []): void {
  telemetry.turn.publish(() => ({ state, seconds: (Date.now() - createdAt.getTime()) / 1_000 }));
  for (const { model, promptTokens, completionTokens, cachedTokens, cost } of messages) {
    if (model === null || model === undefined) continue;
    telemetry.modelUsage.publish(() => ({
      model,
      promptTokens: promptTokens ?? null,
      completionTokens: completionTokens ?? null,
      cachedTokens: cachedTokens ?? null,
      cost: cost ?? null,
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
  const ended = await withLead(context, captured, (leadData) =>
    transact(context.database, async (tx) => {
      const conversation = await lockConversation(tx, workspaceId, conversationId);
      const isOrphaned = !unwritten && { aliveUntil: { lte: await context.leaseTime(tx) } };
      const where = { workspaceId, id, state: 'open' as const, ...isOrphaned };
      const data = { state: 'failed' as const, failure: body as object, endedAt: new Date() };
      const [ended] = await tx.turn.updateManyAndReturn({ where, data });
      if (!ended) return false;
      if (conversation) {
        const changes = await saveLead(context, tx, conversation, turn, leadData);
        // A failed regeneration leaves the conversation unchanged.
        const messages = turn.regenerates ? [] : called;
        const rows = messageRows(conversation, conversation.messageCount, messages);
        await lockStoredFiles(tx, workspaceId, rows.files);
        await writeInOneStatement(tx, [
          ...insertionsOf(rows),
          freed(conversation, { ...changes, ...updatedCounts(conversation, messages) }),
        ]);
        const key = { workspaceId_id: { workspaceId, id } };
        const messageIds = rows.messages.map((message) => message.id);
        if (messageIds.length > 0) await tx.turn.update({ where: key, data: { messageIds: { push: messageIds } } });
      }
      if (conversation && attempts.length > 0) await recordFailure(tx, turn, attempts);
      if (ended.streamUntil) {
        const last = { type: 'error', errorText: body.message, ...body };
        const { position, parts } = unwritten ?? { position: await nextPosition(tx, turn), parts: [] };
        await saveParts(tx, workspaceId, [{ turnId: id, position, parts: [...parts, last] }]);
      }
      if (ended.month) await releaseInteraction(context, ended.month, tx);
      return true;
    }),
  );
  if (ended) publishEnd(turn, 'failed');
  return ended;
}

/** The fields of a conversation that change when messages are added. */
const updatedCounts = (conversation: Conversation, { length }: unknown[]) => ({
  messageCount: conversation.messageCount + length,
  ...(length > 0 && { duration: durationOf(conversation) }),
});

/** The change of a conversation whose turn has ended. */
const freed = ({ workspaceId, id }: Conversation, changes: object) => ({
  model: 'Conversation' as const,
  where: { workspaceId, id },
  update: { ...changes, turnId: null, updatedAt: new Date() },
});

/** Delays in milliseconds before the end of a turn is retried while the database is unavailable. */
const pausesMs = [100, 500, 1_000, 2_000, 3_000, 4_000];

/**
 * Runs `work`, which stores all or nothing, and retries it while the database is unavailable, so that a generated reply
 * is not lost. If the lead cannot be saved, runs it without the lead: lead capture must never break a reply.
 */
async function withLead<T>(
  { log }: Context,
  captured: Captured | null,
  work: (captured: Captured | null) => Promise<T>,
): Promise<T> {
  for (let failures = 0, leadData = captured; ; failures++) {
    try {
      return await work(leadData);
    } catch (error) {
      const cause = error instanceof LeadFailure ? error.cause : error;
      const pause = isTransient(cause) ? pausesMs[failures] : undefined;
      if (pause === undefined && (error === cause || !leadData)) throw error;
      if (pause === undefined) log.error({ err: cause }, 'the lead of a turn could not be stored');
      if (pause === undefined) leadData = null;
      else await sleep(pause);
    }
  }
}

/** Whether the database failed in a way that a retry may fix. */
const isTransient = (error: unknown): boolean =>
  !(error instanceof ParleyError) && databaseError(error)?.code === 'unavailable';
