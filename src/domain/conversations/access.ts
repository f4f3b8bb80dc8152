import type { Viewer } from '../../core/viewer.ts';
import type { Transaction } from '../../database/client.ts';
import type { Conversation } from '../../database/generated/prisma/client.ts';

/** A call of a tool, as messages store it. */
export type ToolCall = { id: string; name: string; arguments: Record<string, unknown> };

/** Visitors may take part in their own conversations; everyone else in all of the workspace. */
export const mayJoin = ({ visitor }: Viewer, conversation: Conversation): boolean =>
  !visitor || (conversation.channelId === visitor.channelId && conversation.platformUserIdentifier === visitor.id);

/** Locks a conversation until the transaction ends. Resolves to undefined if it does not exist. */
export async function lockConversation(
  tx: Transaction,
  workspaceId: string,
  id: string,
): Promise<Conversation | undefined> {
  const [conversation] = await tx.$queryRaw<Conversation[]>`
    SELECT * FROM "Conversation" WHERE "workspaceId" = ${workspaceId} AND "id" = ${id} FOR UPDATE`;
  return conversation;
}
