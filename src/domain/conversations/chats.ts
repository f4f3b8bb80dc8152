import type { Context } from '../../context.ts';
import { actorOf } from '../../core/viewer.ts';
import type { Transaction } from '../../database/client.ts';

/**
 * Returns the id of the conversation to which the viewer gave this name; undefined if there is none. Names are scoped
 * to their caller.
 */
export async function findChat(
  { viewer }: Context,
  database: Pick<Transaction, 'conversation'>,
  agentId: string,
  chatId: string,
): Promise<string | undefined> {
  const { workspaceId } = viewer;
  const where = { workspaceId, agentId, chatOwner: actorOf(viewer), chatId };
  return (await database.conversation.findFirst({ where, select: { id: true } }))?.id;
}
