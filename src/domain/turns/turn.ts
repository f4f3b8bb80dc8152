import type { Context } from '../../context.ts';
import { conflict, invalid, notFound } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import { untilDeadline } from '../../database/deadline.ts';
import type { Turn as Row } from '../../database/generated/prisma/client.ts';
import { findChat } from '../conversations/chats.ts';
import { findAttemptByKey, fingerprintOf, IdempotencyKeyTaken, inProgress } from '../shared/idempotency.ts';
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

/** Validates the input and resolves its agent and chat. Throws 400, 403, 404 and 409. */
export async function prepareTurn(context: Context, input: TurnInput): Promise<PreparedTurn> {
  permit(context, 'messages.send');
  const turn = parseInput(turnInput, input);
  // The key of the whole request covers its turn. The space keeps it apart from callers' keys, which never start with
  // one.
  if (context.keyed) turn.idempotencyKey ??= ` ${context.keyed.key}`;
  if (turn.jsonSchema) await checkJsonSchema(turn.jsonSchema);
  const found = await findTurnAgent(context, turn.agentId);
  const { agent } = found;
  if (agent.status === 'archived') throw conflict('The agent is archived and accepts no messages.');
  const { idempotencyKey: _, ...request } = turn;
  const fingerprint = fingerprintOf(request);
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
