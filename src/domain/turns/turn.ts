import type { Context } from '../../context.ts';
import { conflict, invalid, notFound } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import { untilDeadline } from '../../database/deadline.ts';
import type { Turn as Row } from '../../database/generated/prisma/client.ts';
import { findAgent } from '../agents/agents.ts';
import { findChat } from '../conversations/chats.ts';
import { findTry, fingerprintOf, IdempotencyKeyTaken, inProgress } from '../shared/idempotency.ts';
import { parseInput } from '../shared/input.ts';
import type { PreparedTurn } from './attempt.ts';
import { resultOf } from './delivery.ts';
import { type TurnInput, turnInput } from './input.ts';
import { startTurn } from './run.ts';
import { failOrphanedTurn } from './sweep.ts';
import type { TurnResult } from './types.ts';

export type { TurnInput } from './input.ts';

/**
 * One turn: stores what the caller says, asks the model, stores and meters the reply. What the caller said is kept
 * whatever happens then; with an idempotency key, a repetition goes on where a failed try stopped, and one that was
 * answered gets the same answer. Whoever waits too long for the database is told, and the turn goes on. Throws 404, 409, 422, 429 and the failures of the model (502, 504).
 */
export async function sendMessage(context: Context, input: TurnInput): Promise<TurnResult> {
  const addressed = await prepareTurn(context, input);
  for (;;) {
    const known = await findAttempt(context, addressed);
    if (known?.state === 'open') throw inProgress();
    if (known && known.state !== 'failed') return resultOf(known);
    try {
      return await untilDeadline(startTurn(context, addressed, false, known).done);
    } catch (error) {
      if (!(error instanceof IdempotencyKeyTaken)) throw error;
    }
  }
}

/** Checks who asks whom for what. Throws 400, 403, 404 and 409. */
export async function prepareTurn(context: Context, input: TurnInput): Promise<PreparedTurn> {
  permit(context, 'messages.send');
  const turn = parseInput(turnInput, input);
  // A key of the whole request makes its turn one too; no caller can name it, since theirs begin with no space.
  if (context.keyed) turn.idempotencyKey ??= ` ${context.keyed.key}`;
  if (turn.jsonSchema) await checkJsonSchema(turn.jsonSchema);
  const agent = await findAgent(context, turn.agentId);
  if (agent.status === 'archived') throw conflict('The agent is archived: it takes no messages.');
  const { idempotencyKey: _, ...request } = turn;
  const fingerprint = fingerprintOf(request);
  if (turn.chat) turn.id = await findChat(context, context.database, agent.id, turn.chat);
  if (turn.regenerate && !turn.id) throw notFound('Conversation');
  return { agent, turn, fingerprint };
}

/** Throws 400 for a schema that a reply could not be checked by. */
async function checkJsonSchema(schema: Record<string, unknown>): Promise<void> {
  const { checkSchema, SchemaError } = await import('../../model/reply/json-schema.ts');
  try {
    checkSchema(schema);
  } catch (error) {
    throw error instanceof SchemaError ? invalid(`jsonSchema: ${error.message}`) : error;
  }
}

/** The last try of the same request, a dead one ended; null without a key or a try. Throws 422. */
export async function findAttempt(context: Context, { turn, fingerprint }: PreparedTurn): Promise<Row | null> {
  const key = turn.idempotencyKey;
  if (!key) return null;
  const known = await findTry(context, key, fingerprint);
  if (!known || !(await failOrphanedTurn(context, known))) return known;
  return findTry(context, key, fingerprint);
}
