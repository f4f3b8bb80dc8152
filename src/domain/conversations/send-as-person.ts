import type { Context } from '../../context.ts';
import { invalid, notFound, ParleyError } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import { actorOf } from '../../core/viewer.ts';
import type { Message } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import { fingerprintOf, IdempotencyKeyTaken } from '../shared/idempotency.ts';
import type { PreparedTurn } from '../turns/attempt.ts';
import type { TurnInput } from '../turns/input.ts';
import { startTurn } from '../turns/run.ts';
import { findAttempt, prepareTurn } from '../turns/turn.ts';

/** A message that a person writes in the agent's place. */
export type PersonInput = { conversationId: string; idempotencyKey?: string | null } & Pick<
  NonNullable<TurnInput['message']>,
  'content' | 'attachments' | 'metadata'
>;

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
      throw new ParleyError('request_in_progress', 'The same message is still being written.');
    const position = earlier && { conversationId: earlier.conversationId, position: earlier.heardTo };
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
