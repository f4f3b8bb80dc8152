import type { Context } from '../../context.ts';
import { conflict, notFound } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import { actorOf } from '../../core/viewer.ts';
import { afterCommit, transact } from '../../database/client.ts';
import type { Conversation } from '../../database/generated/prisma/client.ts';
import { ConversationStatus } from '../../database/generated/prisma/enums.ts';
import { change } from '../../database/query/write.ts';
import { rowWithId, rowWrite } from '../shared/mutations.ts';
import { lockConversation } from './access.ts';

/**
 * Lets a person answer in the agent's place: the agent stays silent, its reply in progress is stopped on whichever
 * replica, and the text so far is kept. The latest takeover wins. Throws 403 for a key, 404, and 409 for an archived
 * conversation.
 */
export const takeOverConversation = rowWrite({
  model: 'Conversation',
  permission: 'conversations.answer',
  prepare: (context, { conversationId }: Taken) => {
    permit(context, 'conversations.write');
    // No reply is in progress that would have to be stopped.
    const where = { ...rowWithId(context, conversationId), status: { in: withAgent }, turnId: null };
    return change('Conversation', where, { status: 'waiting_human', ...takenOver(context) });
  },
  fallback: async (context, { conversationId }) => {
    const { takenOverBy, ...taken } = takenOver(context);
    const updated = await changeConversation(context, conversationId, ({ status, takenOverBy: holder }) => {
      if (status === 'archived') throw conflict('The conversation is archived: nobody can take it over.');
      if (status === 'waiting_human' && holder === takenOverBy) return null;
      return { ...(status !== 'waiting_human' && { status: 'waiting_human' }), takenOverBy, ...taken };
    });
    // A trigger has marked the turn as stopped; if it runs in this process, abort it at once.
    const { turnId } = updated;
    if (turnId) await afterCommit(context.database, () => context.turns.find(turnId)?.abort('stopped'));
    return updated;
  },
});

type Taken = { conversationId: string };
const withAgent: ConversationStatus[] = Object.values(ConversationStatus).filter(
  (status) => status !== 'waiting_human' && status !== 'archived',
);
const takenOver = ({ viewer }: Context) => ({
  takenOverBy: actorOf(viewer),
  takenOverAt: new Date(),
  handedOver: true,
  outcome: null,
});

/**
 * Lets the agent answer again. Does nothing if it already does. Throws 404, and 409 for a resolved or archived
 * conversation.
 */
export const handBackConversation = rowWrite({
  model: 'Conversation',
  permission: 'conversations.write',
  prepare: (context, { conversationId }: Taken) => {
    const where = { ...rowWithId(context, conversationId), status: 'waiting_human' };
    return change('Conversation', where, handedBack);
  },
  fallback: (context, { conversationId }) =>
    changeConversation(context, conversationId, ({ status }) => {
      if (status === 'active') return null;
      if (status !== 'waiting_human') throw conflict(`The conversation is ${status}: nobody has taken it over.`);
      return handedBack;
    }),
});

const handedBack = { status: 'active', takenOverBy: null, takenOverAt: null } as const;

type Change = Partial<Pick<Conversation, 'status' | 'takenOverBy' | 'takenOverAt' | 'handedOver' | 'outcome'>>;

/** Changes a locked conversation; null leaves it as it is. */
function changeConversation(
  context: Context,
  id: string,
  decide: (found: Conversation) => Change | null,
): Promise<Conversation> {
  const { workspaceId } = context.viewer;
  return transact(context.database, async (tx) => {
    const found = await lockConversation(tx, workspaceId, id);
    if (!found) throw notFound('Conversation');
    const data = decide(found);
    if (!data) return found;
    return tx.conversation.update({ where: { workspaceId_id: { workspaceId, id } }, data });
  });
}
