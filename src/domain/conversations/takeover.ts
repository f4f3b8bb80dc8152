import type { Context } from '../../context.ts';
import { conflict, notFound } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import { actorOf } from '../../core/viewer.ts';
import { afterCommit, transact } from '../../database/client.ts';
import type { Conversation } from '../../database/generated/prisma/client.ts';
import { lockConversation } from './access.ts';

/**
 * Lets a person answer in the agent's place: the agent stays silent, its reply in progress is stopped on whichever
 * replica, and the text so far is kept. The latest takeover wins. Throws 403 for a key, 404, and 409 for an archived conversation.
 */
export async function takeOverConversation(context: Context, id: string): Promise<Conversation> {
  permit(context, 'conversations.answer');
  const takenOverBy = actorOf(context.viewer);
  const updated = await changeConversation(context, id, ({ status, takenOverBy: holder }) => {
    if (status === 'archived') throw conflict('The conversation is archived: nobody can take it over.');
    if (status === 'waiting_human' && holder === takenOverBy) return null;
    return {
      ...(status !== 'waiting_human' && { status: 'waiting_human' }),
      takenOverBy,
      takenOverAt: new Date(),
      handedOver: true,
    };
  });
  // A trigger has marked the turn as stopped; if it runs in this process, abort it at once.
  const { turnId } = updated;
  if (turnId) await afterCommit(context.database, () => context.turns.find(turnId)?.abort('stopped'));
  return updated;
}

/**
 * Lets the agent answer again. Does nothing if it already does. Throws 404, and 409 for a resolved or archived
 * conversation.
 */
export const handBackConversation = (context: Context, id: string): Promise<Conversation> =>
  changeConversation(context, id, ({ status }) => {
    if (status === 'active') return null;
    if (status !== 'waiting_human') throw conflict(`The conversation is ${status}: nobody has taken it over.`);
    return { status: 'active', takenOverBy: null, takenOverAt: null };
  });

type Change = Partial<Pick<Conversation, 'status' | 'takenOverBy' | 'takenOverAt' | 'handedOver'>>;

/** Changes a locked conversation; null leaves it as it is. */
function changeConversation(
  context: Context,
  id: string,
  decide: (found: Conversation) => Change | null,
): Promise<Conversation> {
  permit(context, 'conversations.write');
  const { workspaceId } = context.viewer;
  return transact(context.database, async (tx) => {
    const found = await lockConversation(tx, workspaceId, id);
    if (!found) throw notFound('Conversation');
    const data = decide(found);
    if (!data) return found;
    return tx.conversation.update({ where: { workspaceId_id: { workspaceId, id } }, data });
  });
}
