import { z } from 'zod';
import { permit } from '../auth/permissions.ts';
import type { Context } from '../context.ts';
import { orNotFound } from '../database/found.ts';
import type { Conversation } from '../database/generated/prisma/client.ts';
import { listRule } from '../database/list.ts';
import { notFound } from '../errors.ts';
import { optionalText, parseInput, requiredText } from './input.ts';

export const conversationList = listRule({
  model: 'Conversation',
  permission: 'conversations.read',
  orders: { createdAt: { type: 'date' }, updatedAt: { type: 'date' } },
  filters: {
    status: { kind: 'in', column: 'status' },
    stage: { kind: 'in', column: 'stage' },
    platform: { kind: 'in', column: 'platform' },
    agentId: { kind: 'equals', column: 'agentId' },
    channelId: { kind: 'equals', column: 'channelId' },
    leadId: { kind: 'equals', column: 'leadId' },
    platformUserIdentifier: { kind: 'equals', column: 'platformUserIdentifier' },
    preview: { kind: 'equals', column: 'preview' },
    hasLead: { kind: 'present', column: 'leadId' },
    createdAt: { kind: 'range', column: 'createdAt' },
    updatedAt: { kind: 'range', column: 'updatedAt' },
  },
});

const changes = z.object({
  title: requiredText().optional(),
  summary: optionalText(20_000).optional(),
  status: z.enum(['active', 'waiting_human', 'resolved', 'archived']).optional(),
  stage: z.enum(['identify', 'qualify', 'assist', 'handoff', 'completed']).optional(),
  context: z.record(z.string(), z.unknown()).optional(),
  leadId: z.string().nullable().optional(),
});

/** Changes what is given of a conversation; the rest stays. Throws 404 for it or for the lead. */
export async function updateConversation(
  context: Context,
  id: string,
  input: z.input<typeof changes>,
): Promise<Conversation> {
  permit(context, 'conversations.write');
  const { context: about, ...data } = parseInput(changes, input);
  if (data.leadId) await requireLead(context, data.leadId);
  const change = context.database.conversation.update({
    where: { workspaceId_id: { workspaceId: context.viewer.workspaceId, id } },
    data: { ...data, ...(about && { context: about as object }) },
  });
  return orNotFound('Conversation', change);
}

/** Removes a conversation with its messages; its lead stays. */
export async function deleteConversation(context: Context, id: string): Promise<void> {
  permit(context, 'conversations.delete');
  const { database, viewer } = context;
  const removed = await database.conversation.deleteMany({ where: { workspaceId: viewer.workspaceId, id } });
  if (removed.count === 0) throw notFound('Conversation');
}

/** Throws 404 `not_found` unless the workspace has this lead. */
export async function requireLead({ database, viewer }: Context, id: string): Promise<void> {
  const where = { workspaceId: viewer.workspaceId, id };
  if (!(await database.lead.findFirst({ where, select: { id: true } }))) throw notFound('Lead');
}
