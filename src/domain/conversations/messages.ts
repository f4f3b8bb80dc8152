import DataLoader from 'dataloader';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { memoize } from '../../core/lazy.ts';
import type { MessageAlternative as Alternative } from '../../database/generated/prisma/client.ts';
import { jsonNull } from '../../database/json.ts';
import { change } from '../../database/query/write.ts';
import { listRule } from '../../lists/list.ts';
import { findMessages } from '../../search/messages/find.ts';
import { optionalText, parseInput } from '../shared/input.ts';
import { rowWithId, rowWrite } from '../shared/mutations.ts';

export { shownAttachments } from '../attachments/attachments.ts';
export { shownFailure, shownTrace, type Trace } from './message-trace.ts';
export type { Alternative };

const via = { relation: 'conversation', model: 'Conversation' } as const;

export const messageList = listRule({
  model: 'Message',
  permission: 'conversations.read',
  analytics: { except: ['name', 'content', 'feedback', 'metadata', 'attachments'] },
  guarded: { cost: 'analytics.read', replyTime: 'analytics.read', timeToFirstToken: 'analytics.read' },
  orders: { position: { type: 'number' }, createdAt: { type: 'date' }, metadata: { type: 'key' } },
  defaultDirection: 'asc',
  filters: {
    role: { kind: 'in', column: 'role' },
    conversationId: { kind: 'equals', column: 'conversationId' },
    agentId: { kind: 'equals', column: 'agentId', nullable: true },
    channelId: { kind: 'equals', column: 'channelId', nullable: true },
    model: { kind: 'in', column: 'model', nullable: true },
    rating: { kind: 'in', column: 'rating', nullable: true },
    createdAt: { kind: 'range', column: 'createdAt' },
    ids: { kind: 'in', column: 'id' },
    conversationIds: { kind: 'in', column: 'conversationId' },
    byPerson: { kind: 'present', column: 'createdBy' },
    hasContent: { kind: 'present', column: 'content' },
    position: { kind: 'number', column: 'position' },
    promptTokens: { kind: 'number', column: 'promptTokens', nullable: true },
    completionTokens: { kind: 'number', column: 'completionTokens', nullable: true },
    cachedTokens: { kind: 'number', column: 'cachedTokens', nullable: true },
    updatedAt: { kind: 'range', column: 'updatedAt' },
    cost: { kind: 'number', column: 'cost', nullable: true },
    replyTime: { kind: 'number', column: 'replyTime', nullable: true },
    timeToFirstToken: { kind: 'number', column: 'timeToFirstToken', nullable: true },
    metadata: { kind: 'keys', column: 'metadata' },
    conversation: { kind: 'relation', relation: 'conversation', model: 'Conversation' },
  },
  ranked: { column: 'id', find: findMessages },
  groups: {
    moments: ['createdAt', 'updatedAt'],
    by: {
      role: { kind: 'value', column: 'role' },
      byPerson: { kind: 'present', column: 'createdBy' },
      rating: { kind: 'value', column: 'rating' },
      model: { kind: 'value', column: 'model' },
      agent: { kind: 'related', column: 'agentId', model: 'Agent', allowed: ['name'] },
      channel: { kind: 'related', column: 'channelId', model: 'Channel', allowed: ['platform'] },
      conversation: { kind: 'related', column: 'conversationId', model: 'Conversation' },
      platform: { kind: 'value', column: 'platform', via },
      platformUserIdentifier: { kind: 'value', column: 'platformUserIdentifier', via },
      metadata: { kind: 'key', column: 'metadata' },
    },
    numbers: ['promptTokens', 'completionTokens', 'cachedTokens', 'cost', 'replyTime', 'timeToFirstToken'],
    units: {
      promptTokens: 'tokens',
      completionTokens: 'tokens',
      cachedTokens: 'tokens',
      cost: 'USD',
      replyTime: 'ms',
      timeToFirstToken: 'ms',
    },
    distinct: ['conversationId', 'agentId', 'channelId', 'model'],
  },
});

/** A position orders messages within one conversation only. */
export const allMessages = listRule({
  ...messageList,
  orders: { createdAt: { type: 'date' }, metadata: { type: 'key' } },
});

const feedback = z.object({ rating: z.enum(['like', 'dislike']), comment: optionalText().optional() }).nullable();

type FeedbackOf = { id: string; feedback?: z.input<typeof feedback> };

/** Sets the feedback of a message; null removes it. Throws 404. */
export const setFeedback = rowWrite({
  model: 'Message',
  permission: 'conversations.write',
  prepare: (context, { id, feedback: given = null }: FeedbackOf) => {
    const value = parseInput(feedback, given);
    const stored = value ? { rating: value.rating, comment: value.comment ?? null } : jsonNull;
    return change('Message', rowWithId(context, id), { feedback: stored, rating: value?.rating ?? null });
  },
});

/** One loader per request: the alternatives of many messages are read with one statement. */
const loaderOf = memoize(
  (context: Context) => new DataLoader<string, Alternative[]>((ids) => readAlternatives(context, ids)),
);

/** Returns the replies that a regenerated message replaced, newest first. */
export function findAlternatives(context: Context, messageId: string): Promise<Alternative[]> {
  // Not cached: a mutation in the same request may have changed them.
  return loaderOf(context).clear(messageId).load(messageId);
}

async function readAlternatives({ database, viewer }: Context, ids: readonly string[]): Promise<Alternative[][]> {
  const rows = await database.messageAlternative.findMany({
    where: { workspaceId: viewer.workspaceId, messageId: { in: [...ids] } },
    orderBy: [{ replacedAt: 'desc' }, { id: 'desc' }],
  });
  return ids.map((id) => rows.filter(({ messageId }) => messageId === id));
}
