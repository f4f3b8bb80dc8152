import type { Context } from '../../context.ts';
import { type ErrorBody, invalid, notFound } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import type { Turn } from '../../database/generated/prisma/client.ts';
import { findAgent } from '../agents/agents.ts';
import { findChat } from '../conversations/chats.ts';
import { IdempotencyKeyTaken } from '../shared/idempotency/turns.ts';
import type { PreparedTurn } from './attempt.ts';
import { resultOf } from './delivery.ts';
import type { TurnInput } from './input.ts';
import { asSent, endOf, eventOf, startOf } from './parts.ts';
import { startTurn } from './run.ts';
import { findTurn } from './store.ts';
import { readParts } from './stream-store.ts';
import { failOrphanedTurn } from './sweep.ts';
import { findAttempt, prepareTurn } from './turn.ts';
import type { Part, TurnEvent, TurnKey, TurnStream } from './types.ts';

export type { TurnEvent };

/** Beyond any position in a stream. */
const lastPosition = 2 ** 31 - 1;

/**
 * Runs the turn of `sendMessage` and returns its events, the last of which has its result. The turn runs to its end
 * whether it is read or not. `after`, an event id, resumes the stream of the same request after that event, on any
 * replica and up to an hour after its end; a repeated request with the same key joins a running turn from its start.
 * Rejects if the turn fails before its reply begins and within `streamPingMs`; a later failure is the last event.
 * Throws what `sendMessage` throws, and 404 for a stream that has expired.
 */
export async function streamMessage(
  context: Context,
  input: TurnInput,
  after?: string | null,
): Promise<AsyncIterable<TurnEvent>> {
  const prepared = await prepareTurn(context, input);
  if (after) {
    const resumed = await resume(context, prepared.fingerprint, after, Boolean(prepared.turn.idempotencyKey));
    if (resumed) return resumed;
  }
  return begin(context, prepared);
}

/**
 * Returns the events of the open turn of a chat, from its start; none if no turn is open. Throws 403, and 404 for the
 * agent.
 */
export async function resumeChat(
  context: Context,
  { agentId, chat }: { agentId: string; chat: string },
): Promise<AsyncIterable<TurnEvent>> {
  permit(context, 'messages.send');
  const { id } = await findAgent(context, agentId);
  const conversationId = await findChat(context, context.database, id, chat);
  const where = { workspaceId: context.viewer.workspaceId, conversationId, state: 'open' as const };
  const turn = conversationId && (await context.database.turn.findFirst({ where }));
  return turn ? follow(context, turn, 0) : noEvents();
}

async function* noEvents(): AsyncGenerator<TurnEvent, void> {}

/** Starts a turn, or follows an earlier attempt at the same request. */
async function begin(context: Context, prepared: PreparedTurn): Promise<AsyncIterable<TurnEvent>> {
  const earlier = await findAttempt(context, prepared);
  if (earlier && earlier.state !== 'failed') return follow(context, earlier, 0);
  const { stream } = startTurn(context, prepared, true, earlier);
  try {
    await stream.waitForStart(context.config.streamPingMs);
  } catch (error) {
    if (error instanceof IdempotencyKeyTaken) return begin(context, prepared);
    throw error;
  }
  return readOrFollow(context, prepared, stream);
}

/** The events of a turn that waits for earlier ones, or of an attempt on another replica that claimed its key first. */
async function* readOrFollow(
  context: Context,
  prepared: PreparedTurn,
  stream: TurnStream,
): AsyncGenerator<TurnEvent, void> {
  try {
    yield* stream.read(0);
  } catch (error) {
    if (!(error instanceof IdempotencyKeyTaken)) throw error;
    yield* await begin(context, prepared);
  }
}

/**
 * Returns the stream after an event; null if the request with its key is to be answered again, since the stream has
 * expired or its attempt failed and was read to the end.
 */
async function resume(context: Context, fingerprint: string, after: string, hasKey: boolean) {
  const [, id, digits] = /^(msg_[0-9a-z]{26})\.(\d{1,9})$/.exec(after) ?? [];
  if (!id) throw invalid('after: must be the id of an event of this request');
  const where = { workspaceId: context.viewer.workspaceId, id, streamUntil: { gt: new Date() } };
  const turn = await context.database.turn.findFirst({ where });
  if (!turn && hasKey) return null;
  if (!turn) throw notFound('The stream to resume, available for an hour, was');
  if (turn.fingerprint !== fingerprint) throw invalid('after: is the id of an event of another request');
  const position = Number(digits) + 1;
  if (turn.state === 'failed' && hasKey && (await readParts(context, turn, position)).length === 0) return null;
  return follow(context, turn, position);
}

/** The events of a turn from a position on: from memory if this process runs it, else from the database. */
function follow(context: Context, turn: Turn, position: number): AsyncGenerator<TurnEvent, void> {
  if (!turn.streamUntil || turn.streamUntil <= new Date()) return readEnd(context, turn);
  return context.turns.find(turn.id)?.stream.read(position) ?? read(context, turn, position);
}

/** The events of a turn that runs on another replica. */
async function* read(context: Context, { workspaceId, id }: TurnKey, from: number): AsyncGenerator<TurnEvent, void> {
  for (let position = from; ; ) {
    const update = await context.turns.follow({ workspaceId, id, position });
    if (!update) return;
    yield* update.events;
    if (update.state !== 'open') return;
    const last = update.events.at(-1);
    if (last) position = last.position + 1;
    else await failIfOrphaned(context, { workspaceId, id });
  }
}

/** The events of a turn that was not streamed, or whose stream has expired: built from its result. */
async function* readEnd(context: Context, { workspaceId, id }: TurnKey): AsyncGenerator<TurnEvent, void> {
  // No part ever has this position: only the end of the turn is waited for.
  for (;;) {
    const update = await context.turns.follow({ workspaceId, id, position: lastPosition });
    if (update?.state !== 'open') break;
    await failIfOrphaned(context, { workspaceId, id });
  }
  const turn = await findTurn(context, { workspaceId, id });
  if (turn) yield* eventsOf(turn.id, await partsOf(context, turn));
}

async function failIfOrphaned(context: Context, key: TurnKey): Promise<void> {
  const turn = await findTurn(context, key);
  if (turn) await failOrphanedTurn(context, turn);
}

async function partsOf({ database }: Context, turn: Turn): Promise<Part[]> {
  const { workspaceId, conversationId } = turn;
  const start = startOf(turn.id, conversationId);
  if (turn.state === 'failed') {
    const body = turn.failure as unknown as ErrorBody;
    return [...start, { type: 'error', errorText: body.message, ...body }];
  }
  const where = { workspaceId, id: turn.id };
  const reply = (await database.message.findFirst({ where })) as Parameters<typeof endOf>[1];
  return [...start, ...endOf(resultOf(turn), reply, false)];
}

function* eventsOf(id: string, parts: Part[]): Generator<TurnEvent, void> {
  for (const [position, part] of parts.entries()) yield eventOf(id, position, asSent(part));
}
