import type { Context } from '../../context.ts';
import { invalid, notFound } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import { Deadline } from '../../net/deadline.ts';
import { abortable } from '../shared/abortable-generator.ts';
import type { NewMessage } from './types.ts';

/** How long a subscription lasts, in milliseconds: reconnecting checks the credentials again. */
const maxListenMs = 15 * 60_000;

type Followed = { conversationId: string; after?: number | null };

/**
 * Yields the messages of a conversation after a position, or only the last one, and then new messages from anyone on
 * any replica, for 15 minutes. Throws 400 and 404.
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

/** The same for a conversation to which the caller has checked the access. */
export function listenTo(
  { messageWatch, viewer: { workspaceId } }: Context,
  conversationId: string,
  after: number | null,
): AsyncGenerator<NewMessage, void> {
  return abortable(async function* (generatorClosed) {
    const deadline = new Deadline(maxListenMs, generatorClosed);
    try {
      yield* messageWatch.follow({ workspaceId, conversationId }, after, deadline.signal);
    } finally {
      deadline.end();
    }
  });
}
