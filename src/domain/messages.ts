import { z } from 'zod';
import { permit } from '../auth/permissions.ts';
import type { Context } from '../context.ts';
import { orNotFound } from '../database/found.ts';
import type { Message } from '../database/generated/prisma/client.ts';
import { jsonNull } from '../database/json.ts';
import { listRule } from '../database/list.ts';
import { optionalText, parseInput } from './input.ts';

export { shownTrace, type Trace } from './message-trace.ts';

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
});

/** Of all conversations together: a place in one of them says nothing there. */
export const allMessages = listRule({ ...messageList, orders: { createdAt: { type: 'date' } } });

const feedback = z.object({ rating: z.enum(['like', 'dislike']), comment: optionalText().optional() }).nullable();

/** Records what a person thinks of a message; null takes it back. */
export async function setFeedback(context: Context, id: string, input: z.input<typeof feedback>): Promise<Message> {
  permit(context, 'conversations.write');
  const value = parseInput(feedback, input);
  const change = context.database.message.update({
    where: { workspaceId_id: { workspaceId: context.viewer.workspaceId, id } },
    data: { feedback: value ? { rating: value.rating, comment: value.comment ?? null } : jsonNull },
  });
  return orNotFound('Message', change);
}
