import type { Context } from '../../context.ts';
import { invalid, notFound } from '../../core/errors.ts';
import type { Transaction } from '../../database/client.ts';
import type { Agent, Conversation } from '../../database/generated/prisma/client.ts';
import { newId } from '../../database/ids.ts';
import { mayJoin } from '../turns/store.ts';

/** How many messages a branch begins with at most. */
const mostCopies = 1_000;

/**
 * A new conversation that branches off before a message of the visitor, with copies of what was said until then: without
 * feedback, traces and tokens, which are of the first one. They share nothing afterwards. Throws 400 and 404.
 */
export async function branchOff({ viewer }: Context, tx: Transaction, agent: Agent, id: string): Promise<Conversation> {
  const { workspaceId } = viewer;
  const edited = await tx.message.findFirst({ where: { workspaceId, id }, include: { conversation: true } });
  if (edited?.conversation.agentId !== agent.id || !mayJoin(viewer, edited.conversation)) throw notFound('Message');
  const { position, conversation: from, role } = edited;
  if (role !== 'user') throw invalid('edit: must be a message of the visitor');
  if (position > mostCopies) throw invalid(`edit: at most ${mostCopies} messages may stand before it`);
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
      // A summary of what is said in the other one alone would be wrong here.
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
