import { permit } from '../auth/permissions.ts';
import type { Context } from '../context.ts';
import type { Agent, Turn as Row } from '../database/generated/prisma/client.ts';
import { conflict, invalid, notFound, ParleyError } from '../errors.ts';
import { findAgent } from './agents.ts';
import { findChat } from './chats.ts';
import { findTry, fingerprintOf, KeyTaken } from './idempotency.ts';
import { parseInput } from './input.ts';
import { resultOf } from './turn-delivery.ts';
import { type Turn, type TurnInput, turnInput } from './turn-input.ts';
import { startTurn } from './turn-run.ts';
import { buryTurn } from './turn-sweep.ts';

export type { TurnInput } from './turn-input.ts';
/** What a turn made: the conversation, and the messages that the agent generated, oldest first. */
export type TurnResult = { conversationId: string; messageIds: string[] };
/**
 * A message that is allowed and understood, to an agent that takes it. `fingerprint`: the same for the same request;
 * `unread`: why its attachments could not be read by the agent's model.
 */
export type Addressed = { agent: Agent; turn: Turn; fingerprint: string; unread?: string[] };

/**
 * One turn: stores what the caller says, asks the model, stores and meters the reply. What the caller said is kept
 * whatever happens then; with an idempotency key, a repetition goes on where a failed try stopped, and one that was
 * answered gets the same answer. Throws 404, 409, 422, 429 and the failures of the model (502, 504).
 */
export async function sendMessage(context: Context, input: TurnInput): Promise<TurnResult> {
  const addressed = await address(context, input);
  for (;;) {
    const known = await knownTry(context, addressed);
    if (known?.state === 'open') throw inProgress();
    if (known && known.state !== 'failed') return resultOf(known);
    try {
      return await startTurn(context, addressed, false, known).done;
    } catch (error) {
      if (!(error instanceof KeyTaken)) throw error;
    }
  }
}

/** Checks who asks whom for what. Throws 400, 403, 404 and 409. */
export async function address(context: Context, input: TurnInput): Promise<Addressed> {
  permit(context, 'messages.send');
  const turn = parseInput(turnInput, input);
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
  const { checkSchema, SchemaError } = await import('../model/json-schema.ts');
  try {
    checkSchema(schema);
  } catch (error) {
    throw error instanceof SchemaError ? invalid(`jsonSchema: ${error.message}`) : error;
  }
}

/** The last try of the same request, a dead one ended; null without a key or a try. Throws 422. */
export async function knownTry(context: Context, { turn, fingerprint }: Addressed): Promise<Row | null> {
  const key = turn.idempotencyKey;
  if (!key) return null;
  const known = await findTry(context, key, fingerprint);
  if (!known || !(await buryTurn(context, known))) return known;
  return findTry(context, key, fingerprint);
}

const inProgress = (): ParleyError =>
  new ParleyError('request_in_progress', 'The request with this Idempotency-Key is still being worked on.', {
    headers: { 'retry-after': '2' },
  });
