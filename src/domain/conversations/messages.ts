import { z } from 'zod';
import { jsonNull } from '../../database/json.ts';
import { listRule } from '../../database/query/list.ts';
import { change } from '../../database/query/write.ts';
import { optionalText, parseInput } from '../shared/input.ts';
import { rowWithId, writing } from '../shared/mutations.ts';

export { shownAttachments } from '../attachments/attachments.ts';
export { type Alternative, findAlternatives } from './alternatives.ts';
export { shownFailure, shownTrace, type Trace } from './message-trace.ts';

export const messageList = listRule({
  model: 'Message',
  permission: 'conversations.read',
  orders: { position: { type: 'number' }, createdAt: { type: 'date' } },
  defaultDirection: 'asc',
  filters: {
    role: { kind: 'in', column: 'role' },
    conversationId: { kind: 'equals', column: 'conversationId' },
    createdAt: { kind: 'range', column: 'createdAt' },
  },
  groups: {
    moments: ['createdAt', 'updatedAt'],
    by: {
      role: { kind: 'value', column: 'role' },
      byPerson: { kind: 'present', column: 'createdBy' },
      conversation: { kind: 'related', column: 'conversationId', model: 'Conversation' },
      metadata: { kind: 'key', column: 'metadata' },
    },
    numbers: ['promptTokens', 'completionTokens', 'cachedTokens'],
    distinct: ['conversationId'],
  },
});

/** Of all conversations together: a place in one of them says nothing there. */
export const allMessages = listRule({ ...messageList, orders: { createdAt: { type: 'date' } } });

const feedback = z.object({ rating: z.enum(['like', 'dislike']), comment: optionalText().optional() }).nullable();

type FeedbackOf = { id: string; feedback?: z.input<typeof feedback> };

/** Records what a person thinks of a message; null takes it back. Throws 404. */
export const setFeedback = writing({
  model: 'Message',
  permission: 'conversations.write',
  prepare: (context, { id, feedback: given = null }: FeedbackOf) => {
    const value = parseInput(feedback, given);
    const kept = value ? { rating: value.rating, comment: value.comment ?? null } : jsonNull;
    return change('Message', rowWithId(context, id), { feedback: kept });
  },
});
