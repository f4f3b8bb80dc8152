import { permit } from '../auth/permissions.ts';
import { actorOf, type Context } from '../context.ts';
import type { Transaction } from '../database/client.ts';
import { findAgent } from './agents.ts';
import type { TurnEvent } from './turn-parts.ts';
import { followOpen } from './turn-stream.ts';

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

/** The events of the turn that is open in a chat, from its start; none when no turn is. Throws 403 and 404 for the agent. */
export async function resumeChat(
  context: Context,
  { agentId, chat }: { agentId: string; chat: string },
): Promise<AsyncIterable<TurnEvent>> {
  permit(context, 'messages.send');
  const { id } = await findAgent(context, agentId);
  const conversationId = await findChat(context, context.database, id, chat);
  return followOpen(context, conversationId);
}
