import { z } from 'zod';
import type { Context } from '../../context.ts';
import { invalid, notFound } from '../../core/errors.ts';
import { change, removal } from '../../database/query/write.ts';
import { listRule } from '../../lists/list.ts';
import { findMessages } from '../../search/messages/find.ts';
import { optionalText, parseInput, requiredText } from '../shared/input.ts';
import { rowWithId, rowWrite } from '../shared/mutations.ts';
import { outcomeOfChange, outcomes, stageOfLead } from './outcomes.ts';

export { exportConversation } from './export.ts';

export const conversationList = listRule({
  model: 'Conversation',
  permission: 'conversations.read',
  analytics: { except: ['title', 'summary', 'context', 'platformUserIdentifier', 'satisfactionComment'] },
  orders: { createdAt: { type: 'date' }, updatedAt: { type: 'date' }, context: { type: 'key' } },
  filters: {
    status: { kind: 'in', column: 'status' },
    stage: { kind: 'in', column: 'stage' },
    outcome: { kind: 'in', column: 'outcome', nullable: true },
    platform: { kind: 'in', column: 'platform' },
    agentId: { kind: 'equals', column: 'agentId' },
    channelId: { kind: 'equals', column: 'channelId' },
    leadId: { kind: 'equals', column: 'leadId', nullable: true },
    platformUserIdentifier: { kind: 'equals', column: 'platformUserIdentifier' },
    preview: { kind: 'equals', column: 'preview' },
    hasLead: { kind: 'present', column: 'leadId' },
    handedOver: { kind: 'equals', column: 'handedOver', nullable: true },
    createdAt: { kind: 'range', column: 'createdAt' },
    updatedAt: { kind: 'range', column: 'updatedAt' },
    ids: { kind: 'in', column: 'id' },
    agentIds: { kind: 'in', column: 'agentId' },
    channelIds: { kind: 'in', column: 'channelId' },
    leadIds: { kind: 'in', column: 'leadId', nullable: true },
    title: { kind: 'text', column: 'title' },
    summary: { kind: 'text', column: 'summary', nullable: true },
    messageCount: { kind: 'number', column: 'messageCount' },
    duration: { kind: 'number', column: 'duration', nullable: true },
    satisfaction: { kind: 'number', column: 'satisfaction', nullable: true },
    takenOver: { kind: 'present', column: 'takenOverBy' },
    context: { kind: 'keys', column: 'context' },
    agent: { kind: 'relation', relation: 'agent', model: 'Agent' },
    channel: { kind: 'relation', relation: 'channel', model: 'Channel' },
    lead: { kind: 'relation', relation: 'lead', model: 'Lead' },
    stages: { kind: 'relation', relation: 'stages', model: 'ReachedStage', isMany: true },
  },
  ranked: { column: 'conversationId', find: findMessages },
  groups: {
    moments: ['createdAt', 'updatedAt'],
    by: {
      status: { kind: 'value', column: 'status' },
      stage: { kind: 'value', column: 'stage' },
      outcome: { kind: 'value', column: 'outcome' },
      satisfaction: { kind: 'value', column: 'satisfaction' },
      platform: { kind: 'value', column: 'platform' },
      platformUserIdentifier: { kind: 'value', column: 'platformUserIdentifier' },
      preview: { kind: 'value', column: 'preview' },
      hasLead: { kind: 'present', column: 'leadId' },
      takenOver: { kind: 'present', column: 'takenOverBy' },
      handedOver: { kind: 'value', column: 'handedOver' },
      agent: { kind: 'related', column: 'agentId', model: 'Agent', allowed: ['name'] },
      channel: { kind: 'related', column: 'channelId', model: 'Channel', allowed: ['platform'] },
      lead: { kind: 'related', column: 'leadId', model: 'Lead' },
    },
    numbers: ['messageCount', 'duration', 'satisfaction'],
    units: { duration: 's' },
    distinct: ['agentId', 'channelId', 'leadId', 'platformUserIdentifier'],
  },
});

const changes = z.object({
  title: requiredText().optional(),
  summary: optionalText(20_000).optional(),
  status: z.enum(['active', 'waiting_human', 'resolved', 'archived']).optional(),
  outcome: z.enum(outcomes).optional(),
  stage: z.enum(['identify', 'qualify', 'assist', 'handoff', 'completed']).optional(),
  context: z.record(z.string(), z.unknown()).optional(),
  leadId: z.string().nullable().optional(),
});

/** Updates the given fields of a conversation. Throws 400, and 404 for the conversation or the lead. */
export const updateConversation = rowWrite({
  model: 'Conversation',
  permission: 'conversations.write',
  prepare: async (context, { id, ...input }: z.input<typeof changes> & { id: string }) => {
    const { context: conversationContext, ...data } = parseInput(changes, input);
    if (data.outcome && data.status !== 'resolved')
      throw invalid('outcome: can only be given with the status resolved');
    // A takeover lasts only while the conversation waits for a person.
    const endTakeover = data.status && data.status !== 'waiting_human' && { takenOverBy: null, takenOverAt: null };
    const handOver = data.status === 'waiting_human' && { handedOver: true };
    const values = {
      ...data,
      ...(await stageOfLead(context, id, data)),
      ...(await outcomeOfChange(context, id, data)),
      ...endTakeover,
      ...handOver,
      ...(conversationContext && { context: conversationContext as object }),
    };
    return change('Conversation', rowWithId(context, id), values);
  },
});

/** Deletes a conversation with its messages; its lead is kept. Throws 404. */
export const deleteConversation = rowWrite({
  model: 'Conversation',
  permission: 'conversations.delete',
  prepare: (context, { id }: { id: string }) => {
    return removal('Conversation', rowWithId(context, id));
  },
});

/** Throws 404 `not_found` unless the workspace has this lead. */
export async function requireLead({ database, viewer }: Context, id: string): Promise<void> {
  const where = { workspaceId: viewer.workspaceId, id };
  if (!(await database.lead.findFirst({ where, select: { id: true } }))) throw notFound('Lead');
}
