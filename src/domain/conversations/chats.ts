import type { Context } from '../../context.ts';
import { actorOf } from '../../core/viewer.ts';
import type { Transaction } from '../../database/client.ts';

/** The id of the conversation that the viewer calls so; undefined while there is none. Other callers have names of their own. */
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
