import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { ParleyError } from '../../core/errors.ts';
import { inSpan } from '../../core/tracing.ts';
import { actorOf } from '../../core/viewer.ts';
import { withoutRequestDeadline } from '../../database/deadline.ts';
import { databaseError } from '../../database/errors.ts';
import type { Turn } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import { storeAttachments } from '../attachments/intake.ts';
import { FilesGone } from '../attachments/stored-files.ts';
import { requireLead } from '../conversations/conversations.ts';
import { summarizeWhenFull } from '../conversations/summary.ts';
import { startLeadExtraction } from '../leads/capture.ts';
import type { OpenedTurn, PreparedTurn, TurnAttempt } from './attempt.ts';
import { createCallLog } from './calls.ts';
import { createTurnStream, resultOf } from './delivery.ts';
import { answerTurn, failTurn } from './end.ts';
import { busy, interrupted, leaving } from './failure.ts';
import { saveLateLead, withCapture } from './lead.ts';
import { ConversationLocked, openTurn, reserveAgain } from './open.ts';
import { generateReply } from './reply.ts';
import { findTurn } from './store.ts';
import { readParts } from './stream-store.ts';
import { failOrphanedTurn, sweepTurns } from './sweep.ts';
import type { AbortReason, RunningTurn, TurnResult, TurnStream } from './types.ts';

/** How long a turn waits for earlier turns of its conversation, in milliseconds. */
const maxWaitMs = 30_000;

/** Starts a turn, which runs to its end by itself. `earlier`: the failed attempt at the same request. */
export function startTurn(
  context: Context,
  prepared: PreparedTurn,
  streamed: boolean,
  earlier: Turn | null,
): RunningTurn {
  const id = newId('message');
  const stream = createTurnStream(context, id, streamed);
  const controller = new AbortController();
  const abort = (reason: AbortReason) => controller.abort(reason);
  const start = Promise.withResolvers<void>();
  const turn = () => run(context, prepared, { id, streamed, earlier }, stream, controller);
  const done = start.promise.then(() => withoutRequestDeadline(turn));
  done.catch((error: unknown) => stream.fail(error));
  const running = { stream, abort, done };
  context.turns.add(id, running);
  start.resolve();
  return running;
}

async function run(
  context: Context,
  prepared: PreparedTurn,
  attempt: TurnAttempt,
  stream: TurnStream,
  controller: AbortController,
): Promise<TurnResult> {
  const conversationId = attempt.earlier?.conversationId ?? prepared.turn.id;
  const deadline = Date.now() + maxWaitMs;
  // Scoped by workspace: naming another workspace's conversation must not hold up its turns.
  const name = conversationId ?? (prepared.turn.chat && `${actorOf(context.viewer)}/${prepared.turn.chat}`);
  const conversationKey = name && `${context.viewer.workspaceId}/${name}`;
  const release = conversationKey ? await context.turns.waitForConversation(conversationKey, maxWaitMs) : () => {};
  try {
    const { complete, opened } = await openWithFiles(context, prepared, attempt, controller.signal, deadline);
    return await answerOpened(context, complete, opened, stream, controller);
  } finally {
    release();
  }
}

/** Stores the attachments and opens the turn. A retry has its attachments stored already. */
async function openWithFiles(
  context: Context,
  prepared: PreparedTurn,
  attempt: TurnAttempt,
  signal: AbortSignal,
  deadline: number,
): Promise<{ complete: PreparedTurn; opened: OpenedTurn }> {
  for (;;) {
    const complete = attempt.earlier ? prepared : await withAttachments(context, prepared, signal);
    try {
      return { complete, opened: await openWhenFree(context, complete, attempt, signal, deadline) };
    } catch (error) {
      // A file was stored before, and was deleted meanwhile with the last message that had it.
      if (!(error instanceof FilesGone) || attempt.earlier || Date.now() > deadline) throw error;
    }
  }
}

async function withAttachments(context: Context, prepared: PreparedTurn, signal: AbortSignal): Promise<PreparedTurn> {
  return { ...prepared, ...(await storeAttachments(context, prepared.agent, prepared.turn, signal)) };
}

/** Opens the turn once its conversation has no other open turn on any replica. An orphaned one is failed first. */
async function openWhenFree(
  context: Context,
  prepared: PreparedTurn,
  attempt: TurnAttempt,
  signal: AbortSignal,
  deadline: number,
): Promise<OpenedTurn> {
  if (prepared.turn.leadId) await requireLead(context, prepared.turn.leadId);
  for (let wait = 10; ; wait = Math.min(wait * 2, 250)) {
    if (signal.aborted) throw leaving();
    try {
      return await openTurn(context, prepared, attempt);
    } catch (error) {
      if (isChatTaken(error, prepared)) {
        // Another request has just created the chat of this name: the next attempt finds it.
        if (Date.now() > deadline) throw busy();
        continue;
      }
      if (!(error instanceof ConversationLocked)) throw error;
      const holder = await findTurn(context, { workspaceId: context.viewer.workspaceId, id: error.turnId });
      if (holder && (await failOrphanedTurn(context, holder))) continue;
      if (Date.now() > deadline) throw busy();
    }
    await sleep(wait);
  }
}

const isChatTaken = (error: unknown, { turn }: PreparedTurn): boolean =>
  Boolean(turn.chat && !turn.id) && !(error instanceof ParleyError) && databaseError(error)?.code === 'conflict';

/** Answers an open turn, or releases what it holds. */
async function answerOpened(
  context: Context,
  { agent, baseIds, plugins, turn: request }: PreparedTurn,
  opened: OpenedTurn,
  stream: TurnStream,
  controller: AbortController,
): Promise<TurnResult> {
  const { turn, conversation, history } = opened;
  const { signal } = controller;
  const calls = createCallLog();
  const extraction = startLeadExtraction(context, { agent, request, conversation, turn, signal });
  const unwatch = context.turns.watch({
    workspaceId: turn.workspaceId,
    id: turn.id,
    abort: (reason) => controller.abort(reason),
  });
  try {
    stream.open(conversation.id);
    if (opened.refusal) turn.month = await reserveAfterSweep(context, turn, opened.refusal);
    const callbacks = { onText: stream.sendText, onPart: stream.sendPart, calls };
    const generated = await inSpan(
      () => describeTurn(turn),
      () =>
        generateReply(context, {
          agent,
          baseIds,
          plugins,
          request,
          conversation,
          turn,
          history,
          signal,
          extraction,
          ...callbacks,
        }),
    );
    if (signal.aborted && signal.reason !== 'stopped') throw interrupted();
    const unwritten = await stream.settle();
    const extracted = extraction.soFar();
    const messages = withCapture(generated.messages, extracted);
    const textStarted = stream.hasSentText();
    const answer = { messages, conversation, captured: extracted.captured, textStarted, unwritten };
    const { result, parts } = await answerTurn(context, turn, answer);
    stream.end(parts);
    if (generated.reply) context.turns.waitUntil(summarizeWhenFull(context, conversation, generated.reply));
    return result;
  } catch (error) {
    const { captured } = extraction.soFar();
    const unwritten = await stream.settle();
    const answered = await failUnlessAnswered(context, turn, { error, captured, unwritten, called: calls.messages() });
    if (!answered) throw error;
    const position = unwritten.position + unwritten.parts.length;
    stream.end((await readParts(context, turn, position)).map(({ part }) => part));
    return resultOf(answered);
  } finally {
    unwatch();
    context.turns.waitUntil(saveLateLead(context, turn, extraction));
  }
}

/** Releases the interactions of orphaned turns and reserves one of them. Throws the refusal if there is still none. */
async function reserveAfterSweep(context: Context, turn: Turn, refusal: ParleyError): Promise<string | null> {
  const where = { workspaceId: turn.workspaceId, month: { not: null } };
  if (refusal.code !== 'usage_limit_exceeded' || (await sweepTurns(context, where)) === 0) throw refusal;
  const refusedAgain = await reserveAgain(context, turn);
  if (refusedAgain) throw refusedAgain;
  return (await findTurn(context, turn))?.month ?? null;
}

/**
 * Fails a turn. Resolves to the turn if it was answered after all: a commit may succeed without being acknowledged.
 * What cannot be released now is left to the sweep.
 */
async function failUnlessAnswered(
  context: Context,
  turn: Turn,
  failure: Parameters<typeof failTurn>[2],
): Promise<Turn | null> {
  try {
    if (await failTurn(context, turn, failure)) return null;
    const ended = await findTurn(context, turn);
    return ended?.state === 'answered' || ended?.state === 'stopped' ? ended : null;
  } catch (error) {
    context.log.error({ err: error, turnId: turn.id }, 'a failed turn could not be ended and is left to the sweep');
    return null;
  }
}

const describeTurn = ({ id, workspaceId, agentId, conversationId }: Turn) => ({
  name: 'invoke_agent',
  attributes: {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.id': agentId,
    'gen_ai.conversation.id': conversationId,
    'parley.turn.id': id,
    'parley.workspace.id': workspaceId,
  },
});
