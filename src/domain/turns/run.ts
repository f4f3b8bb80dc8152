import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { ParleyError } from '../../core/errors.ts';
import { actorOf } from '../../core/viewer.ts';
import { beyondDeadline } from '../../database/deadline.ts';
import { databaseError } from '../../database/errors.ts';
import type { Turn } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import { storeAttachments } from '../attachments/intake.ts';
import { requireLead } from '../conversations/conversations.ts';
import { summarizeWhenFull } from '../conversations/summary.ts';
import { startLeadExtraction } from '../leads/capture.ts';
import type { OpenedTurn, PreparedTurn, TurnAttempt } from './attempt.ts';
import { createCallLog } from './calls.ts';
import { createTurnStream, resultOf } from './delivery.ts';
import { answerTurn, failTurn } from './end.ts';
import { busy, interrupted } from './failure.ts';
import { keepLater, withCapture } from './lead.ts';
import { ConversationLocked, openTurn, reserveAgain } from './open.ts';
import { generateReply } from './reply.ts';
import { readParts } from './stream-store.ts';
import { failOrphanedTurn, sweepTurns } from './sweep.ts';
import type { AbortReason, RunningTurn, TurnResult, TurnStream } from './types.ts';

/** How long a turn waits for earlier turns of its conversation, in milliseconds. */
const patienceMs = 30_000;

/** Starts a turn, which runs to its end by itself. `earlier`: the failed attempt at the same request. */
export function startTurn(
  context: Context,
  addressed: PreparedTurn,
  streamed: boolean,
  earlier: Turn | null,
): RunningTurn {
  const id = newId('message');
  const live = createTurnStream(context, id, streamed);
  const controller = new AbortController();
  const abort = (reason: AbortReason) => controller.abort(reason);
  const start = Promise.withResolvers<void>();
  const turn = () => run(context, addressed, { id, streamed, earlier }, live, controller);
  const done = start.promise.then(() => beyondDeadline(turn));
  done.catch((error: unknown) => live.fail(error));
  const running = { live, abort, done };
  context.turns.add(id, running);
  start.resolve();
  return running;
}

async function run(
  context: Context,
  addressed: PreparedTurn,
  ticket: TurnAttempt,
  live: TurnStream,
  controller: AbortController,
): Promise<TurnResult> {
  const conversationId = ticket.earlier?.conversationId ?? addressed.turn.id;
  const deadline = Date.now() + patienceMs;
  // Scoped by workspace: naming another workspace's conversation must not hold up its turns.
  const name = conversationId ?? (addressed.turn.chat && `${actorOf(context.viewer)}/${addressed.turn.chat}`);
  const place = name && `${context.viewer.workspaceId}/${name}`;
  const leave = place ? await context.turns.enter(place, patienceMs) : () => {};
  try {
    // A retry has its attachments stored already.
    const kept = ticket.earlier ? addressed : await withAttachments(context, addressed, controller.signal);
    const opened = await openWhenFree(context, kept, ticket, controller.signal, deadline);
    return await conclude(context, kept, opened, live, controller);
  } finally {
    leave();
  }
}

async function withAttachments(context: Context, addressed: PreparedTurn, signal: AbortSignal): Promise<PreparedTurn> {
  return { ...addressed, ...(await storeAttachments(context, addressed.agent, addressed.turn, signal)) };
}

/** Opens the turn once its conversation has no other open turn on any replica. An orphaned one is failed first. */
async function openWhenFree(
  context: Context,
  addressed: PreparedTurn,
  ticket: TurnAttempt,
  signal: AbortSignal,
  deadline: number,
): Promise<OpenedTurn> {
  if (addressed.turn.leadId) await requireLead(context, addressed.turn.leadId);
  for (let wait = 10; ; wait = Math.min(wait * 2, 250)) {
    if (signal.aborted) throw interrupted();
    try {
      return await openTurn(context, addressed, ticket);
    } catch (error) {
      if (isTaken(error, addressed)) {
        // Another request has just created the chat of this name: the next attempt finds it.
        if (Date.now() > deadline) throw busy();
        continue;
      }
      if (!(error instanceof ConversationLocked)) throw error;
      const holder = await context.database.turn.findUnique({ where: { id: error.turnId } });
      if (holder && (await failOrphanedTurn(context, holder))) continue;
      if (Date.now() > deadline) throw busy();
    }
    await sleep(wait);
  }
}

const isTaken = (error: unknown, { turn }: PreparedTurn): boolean =>
  Boolean(turn.chat && !turn.id) && !(error instanceof ParleyError) && databaseError(error)?.code === 'conflict';

/** Answers an open turn, or releases what it holds. */
async function conclude(
  context: Context,
  { agent, turn: asked }: PreparedTurn,
  opened: OpenedTurn,
  live: TurnStream,
  controller: AbortController,
): Promise<TurnResult> {
  const { turn, conversation } = opened;
  const { signal } = controller;
  const calls = createCallLog();
  const hearing = startLeadExtraction(context, { agent, asked, conversation, turn, signal });
  const unwatch = context.turns.watch({ id: turn.id, abort: (reason) => controller.abort(reason) });
  try {
    live.open(conversation.id);
    if (opened.refusal) turn.month = await reserveAfterDead(context, turn, opened.refusal);
    const telling = { say: live.say, tell: live.tell, calls };
    const speech = await generateReply(context, { agent, asked, conversation, turn, signal, hearing, ...telling });
    if (signal.aborted && signal.reason !== 'stopped') throw interrupted();
    const unwritten = await live.settle();
    const heard = hearing.soFar();
    const spoken = withCapture(speech.spoken, heard);
    const answer = { spoken, captured: heard.captured, told: live.told(), unwritten };
    const { result, parts } = await answerTurn(context, turn, answer);
    live.end(parts);
    if (speech.reply) context.turns.hold(summarizeWhenFull(context, conversation, speech.reply));
    return result;
  } catch (error) {
    const { captured } = hearing.soFar();
    const unwritten = await live.settle();
    const answered = await giveUp(context, turn, { error, captured, unwritten, called: calls.messages() });
    if (!answered) throw error;
    const told = unwritten.position + unwritten.parts.length;
    live.end((await readParts(context, turn.id, told)).map(({ part }) => part));
    return resultOf(answered);
  } finally {
    unwatch();
    context.turns.hold(keepLater(context, turn, hearing));
  }
}

/** Releases the interactions of orphaned turns and reserves one of them. Throws the refusal if there is still none. */
async function reserveAfterDead(context: Context, turn: Turn, refusal: ParleyError): Promise<string | null> {
  const where = { workspaceId: turn.workspaceId, month: { not: null } };
  if (refusal.code !== 'usage_limit_exceeded' || (await sweepTurns(context, where)) === 0) throw refusal;
  const again = await reserveAgain(context, turn);
  if (again) throw again;
  return (await context.database.turn.findUniqueOrThrow({ where: { id: turn.id } })).month;
}

/**
 * Fails a turn. Resolves to the turn if it was answered after all: a commit may succeed without being acknowledged.
 * What cannot be released now is left to the sweep.
 */
async function giveUp(context: Context, turn: Turn, failure: Parameters<typeof failTurn>[2]): Promise<Turn | null> {
  try {
    if (await failTurn(context, turn, failure)) return null;
    const ended = await context.database.turn.findUnique({ where: { id: turn.id } });
    return ended?.state === 'answered' || ended?.state === 'stopped' ? ended : null;
  } catch (error) {
    context.log.error({ err: error, turnId: turn.id }, 'a failed turn could not be ended and is left to the sweep');
    return null;
  }
}
