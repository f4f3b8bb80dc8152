import type { Context } from '../../context.ts';
import { notFound } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import { afterCommit } from '../../database/client.ts';
import type { Conversation } from '../../database/generated/prisma/client.ts';
import { mayJoin } from '../conversations/access.ts';

/**
 * Stops the reply that is being generated in a conversation, on whichever replica; the text so far is stored. Does
 * nothing if there is none. Throws 404.
 */
export async function stopTurn(context: Context, conversationId: string): Promise<Conversation> {
  permit(context, 'messages.send');
  const { database, viewer, turns } = context;
  const where = { workspaceId: viewer.workspaceId, id: conversationId };
  const conversation = await database.conversation.findFirst({ where });
  if (!conversation || !mayJoin(viewer, conversation)) throw notFound('Conversation');
  const { turnId } = conversation;
  if (!turnId) return conversation;
  await database.turn.updateMany({
    where: { workspaceId: viewer.workspaceId, id: turnId, state: 'open' },
    data: { stopAsked: true },
  });
  await afterCommit(database, () => turns.find(turnId)?.abort('stopped'));
  return conversation;
}
