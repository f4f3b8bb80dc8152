import type { Context } from '../../context.ts';
import { invalid, notFound } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import { abortable } from '../shared/abortable-generator.ts';
import type { NewMessage } from './types.ts';

/** How long a listener is told, in milliseconds: then its bearer is checked anew. */
const listenMs = 15 * 60_000;

type Followed = { conversationId: string; after?: number | null };

/**
 * The messages of a conversation behind a place, or the last one, and each that is said from then on, by whomever and on
 * whichever replica, for a quarter of an hour. Throws 400 and 404.
 */
export async function followMessages(
  context: Context,
  { conversationId: id, after }: Followed,
): Promise<AsyncGenerator<NewMessage, void>> {
  permit(context, 'conversations.read');
  if (after != null && after < -1) throw invalid('after: must be the position of a message, or -1 for all of them');
  const { workspaceId } = context.viewer;
  const conversation = await context.database.conversation.findFirst({ where: { workspaceId, id } });
  if (!conversation) throw notFound('Conversation');
  return listenTo(context, id, after ?? null);
}

/** The same of a conversation that the caller has checked. */
export function listenTo(
  { messageWatch, viewer: { workspaceId } }: Context,
  conversationId: string,
  after: number | null,
): AsyncGenerator<NewMessage, void> {
  return abortable((left) => {
    const signal = AbortSignal.any([left, AbortSignal.timeout(listenMs)]);
    return messageWatch.follow({ workspaceId, conversationId }, after, signal);
  });
}
