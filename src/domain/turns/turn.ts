import type { Context } from '../../context.ts';
import { conflict, invalid, notFound, ParleyError } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import { actorOf } from '../../core/viewer.ts';
import { untilDeadline } from '../../database/deadline.ts';
import type { Message, Turn as Row } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import { findChat } from '../conversations/chats.ts';
import { fingerprintOf, inProgress } from '../shared/idempotency/keys.ts';
import { findAttemptByKey, IdempotencyKeyTaken } from '../shared/idempotency/turns.ts';
import { parseInput } from '../shared/input.ts';
import { findTurnAgent } from './agent.ts';
import type { PreparedTurn } from './attempt.ts';
import { resultOf } from './delivery.ts';
import { type TurnInput, turnInput } from './input.ts';
import { startTurn } from './run.ts';
import { failOrphanedTurn } from './sweep.ts';
import type { TurnResult } from './types.ts';

export type { TurnInput } from './input.ts';

/**
 * Runs one turn: stores the caller's messages, calls the model, stores and meters the reply. The messages are kept even
 * if the turn fails. With an idempotency key, a repeated request continues after a failed attempt, and returns the
 * result of one that was answered. When the request's deadline passes, the turn goes on without it. Throws 404, 409,
 * 422, 429 and the failures of the model (502, 504).
 */
export async function sendMessage(context: Context, input: TurnInput): Promise<TurnResult> {
  const prepared = await prepareTurn(context, input);
  for (;;) {
    const earlier = await findAttempt(context, prepared);
    if (earlier?.state === 'open') throw inProgress();
    if (earlier && earlier.state !== 'failed') return resultOf(earlier);
    try {
      return await untilDeadline(startTurn(context, prepared, false, earlier).done);
    } catch (error) {
      if (!(error instanceof IdempotencyKeyTaken)) throw error;
    }
  }
}

/** A turn whose message is not validated yet. */
type UnvalidatedTurn = Omit<TurnInput, 'message'> & { message?: object | null | undefined };

/** Validates the input and resolves its agent and chat. Throws 400, 403, 404 and 409. */
export async function prepareTurn(context: Context, input: UnvalidatedTurn): Promise<PreparedTurn> {
  permit(context, 'messages.send');
  const turn = parseInput(turnInput, input);
  // The key of the whole request covers its turn. The space keeps it apart from callers' keys, which never start with
  // one.
  if (context.idempotencyKey) turn.idempotencyKey ??= ` ${context.idempotencyKey}`;
  if (turn.jsonSchema) await checkJsonSchema(turn.jsonSchema);
  const found = await findTurnAgent(context, turn.agentId);
  const { agent } = found;
  if (agent.status === 'archived') throw conflict('The agent is archived and accepts no messages: use another one.');
  const { idempotencyKey: _, ...request } = turn;
  // As version 0.1 did: the keys of its turns stay known across an upgrade.
  const fingerprint = fingerprintOf(request, true);
  if (turn.chat) turn.id = await findChat(context, context.database, agent.id, turn.chat);
  if (turn.regenerate && !turn.id) throw notFound('Conversation');
  return { ...found, turn, fingerprint };
}

/** Throws 400 for a schema that replies cannot be validated against. */
async function checkJsonSchema(schema: Record<string, unknown>): Promise<void> {
  const { checkSchema, SchemaError } = await import('../../model/reply/json-schema.ts');
  try {
    checkSchema(schema);
  } catch (error) {
    throw error instanceof SchemaError ? invalid(`jsonSchema: ${error.message}`) : error;
  }
}

/**
 * Returns the latest attempt at the same request, failed first if it is orphaned; null without a key or an attempt.
 * Throws 422.
 */
export async function findAttempt(context: Context, { turn, fingerprint }: PreparedTurn): Promise<Row | null> {
  const key = turn.idempotencyKey;
  if (!key) return null;
  const earlier = await findAttemptByKey(context, key, fingerprint);
  if (!earlier || !(await failOrphanedTurn(context, earlier))) return earlier;
  return findAttemptByKey(context, key, fingerprint);
}

/** A message that a person writes in the agent's place. */
type PersonInput = {
  conversationId: string;
  content?: string | null | undefined;
  attachments?: readonly object[] | null | undefined;
  metadata?: object | null | undefined;
  idempotencyKey?: string | null | undefined;
};

/**
 * Sends a message as a person in the agent's place: a turn without reply or cost, queued behind earlier turns. A
 * repeated request with the same key returns the same message. Throws 400, 403 for a key, 404, 409 and 422.
 */
export async function sendAsPerson(context: Context, input: PersonInput): Promise<Message> {
  permit(context, 'conversations.answer');
  const { conversationId, idempotencyKey, content, attachments, metadata } = input;
  const { workspaceId } = context.viewer;
  const where = { workspaceId, id: conversationId };
  const conversation = await context.database.conversation.findFirst({ where, select: { agentId: true } });
  if (!conversation) throw notFound('Conversation');
  const message = { role: 'assistant' as const, content, attachments, metadata: { ...metadata, person: true } };
  const request = {
    agentId: conversation.agentId,
    id: conversationId,
    message,
    idempotencyKey: idempotencyKey ?? null,
  };
  const prepared = await prepareTurn(context, request).catch((error: unknown) => {
    throw ownKeys(error);
  });
  return writeOnce(context, prepared);
}

/** A turn has the text in its `message`; here it is an argument of its own, so the issues drop that prefix. */
function ownKeys(error: unknown): unknown {
  if (!(error instanceof ParleyError) || error.code !== 'invalid_request') return error;
  return invalid((error.issues ?? []).map(({ message }) => message.replace(/^message\./, '')));
}

async function writeOnce(context: Context, { turn, fingerprint, ...rest }: PreparedTurn): Promise<Message> {
  const createdBy = actorOf(context.viewer);
  const written = { id: newId('message'), createdBy };
  const message = turn.message && { ...turn.message, written };
  const prepared = {
    ...rest,
    turn: { ...turn, message },
    fingerprint: fingerprintOf(['person', createdBy, fingerprint]),
  };
  for (;;) {
    const earlier = await findAttempt(context, prepared);
    if (earlier?.state === 'open')
      throw new ParleyError(
        'request_in_progress',
        'The reply to this message is still being written: wait until it ends.',
      );
    const position = earlier && { conversationId: earlier.conversationId, position: earlier.inputTo };
    try {
      if (!earlier || earlier.state === 'failed') await startTurn(context, prepared, false, earlier).done;
      return await context.database.message.findFirstOrThrow({
        where: { workspaceId: context.viewer.workspaceId, ...(position ?? { id: written.id }) },
      });
    } catch (error) {
      if (!(error instanceof IdempotencyKeyTaken)) throw error;
    }
  }
}
