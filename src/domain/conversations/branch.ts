import type { Context } from '../../context.ts';
import { invalid, notFound } from '../../core/errors.ts';
import { grouped } from '../../core/validation.ts';
import type { Transaction } from '../../database/client.ts';
import type { Agent, Conversation } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import { mayJoin } from './access.ts';

/** How many messages a branch may start with. */
const maxCopies = 1_000;

/**
 * Creates a conversation that branches off before one of the user's messages. The messages before it are copied without
 * feedback, traces and token counts, which belong to the original. Throws 400 and 404.
 */
export async function createBranch(
  { viewer }: Context,
  tx: Transaction,
  agent: Agent,
  id: string,
): Promise<Conversation> {
  const { workspaceId } = viewer;
  const edited = await tx.message.findFirst({ where: { workspaceId, id }, include: { conversation: true } });
  if (edited?.conversation.agentId !== agent.id || !mayJoin(viewer, edited.conversation)) throw notFound('Message');
  const { position, conversation: from, role } = edited;
  if (role !== 'user') throw invalid('edit: must be a message from the visitor');
  if (position > maxCopies)
    throw invalid(
      `edit: this message has more than ${grouped(maxCopies)} messages before it, so it cannot be edited: send a new one`,
    );
  const { channelId, platform, title, platformUserIdentifier, preview, leadId, stage, summary, summarizedTo } = from;
  const conversation = await tx.conversation.create({
    data: {
      id: newId('conversation'),
      workspaceId,
      agentId: agent.id,
      channelId,
      platform,
      title,
      platformUserIdentifier,
      preview,
      leadId,
      stage,
      context: from.context as object,
      // A summary must not cover messages that are not in the branch.
      ...(summarizedTo <= position && { summary, summarizedTo }),
      messageCount: position,
      duration: 0,
      handedOver: false,
      branchedFromId: from.id,
      branchedAtId: id,
    },
  });
  const ids = Array.from({ length: position }, () => newId('message'));
  await tx.$executeRaw`
    INSERT INTO "Message" ("id", "workspaceId", "conversationId", "position", "role", "name", "content", "toolCallId",
      "toolCalls", "metadata", "attachments", "createdBy", "createdAt", "updatedAt", "agentId", "channelId")
    SELECT copy.id, m."workspaceId", ${conversation.id}, m."position", m."role", m."name", m."content", m."toolCallId",
      m."toolCalls", m."metadata", m."attachments", m."createdBy", m."createdAt", ${conversation.createdAt},
      ${conversation.agentId}, ${conversation.channelId}
    FROM "Message" m JOIN unnest(${ids}::text[]) WITH ORDINALITY AS copy(id, place) ON copy.place = m."position" + 1
    WHERE m."workspaceId" = ${workspaceId} AND m."conversationId" = ${from.id} AND m."position" < ${position}`;
  return conversation;
}
