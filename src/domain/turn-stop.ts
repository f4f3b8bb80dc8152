import { permit } from '../auth/permissions.ts';
import type { Context } from '../context.ts';
import type { Conversation } from '../database/generated/prisma/client.ts';
import { notFound } from '../errors.ts';
import type { ModelService } from '../model/service.ts';
import type { Lease } from './turn-lease.ts';

/** How soon a turn sees that it was stopped on another replica, in milliseconds. */
const lookMs = 250;

/** The turns that the model of this process is speaking in, by conversation. */
const speaking = new WeakMap<ModelService, Map<string, AbortController>>();

/**
 * Stops the reply that is being generated in a conversation, on whichever replica: what was said so far is stored. A
 * conversation without one stays as it is. Throws 404.
 */
export async function stopTurn(context: Context, conversationId: string): Promise<Conversation> {
  permit(context, 'messages.send');
  const { database, viewer, model } = context;
  const where = { workspaceId: viewer.workspaceId, id: conversationId };
  const conversation = await database.conversation.findFirst({ where });
  if (!conversation) throw notFound('Conversation');
  const { turnUntil } = conversation;
  if (!turnUntil || turnUntil.getTime() <= Date.now()) return conversation;
  // The mark names the turn, so that it cannot stop the next one.
  await database.conversation.updateMany({ where: { ...where, turnUntil }, data: { turnStop: turnUntil } });
  speaking.get(model)?.get(conversationId)?.abort();
  return conversation;
}

/** A signal that says when the turn of this lease is stopped; `close` ends the watch. */
export function watchStop({ database, viewer, model, log }: Context, conversationId: string, { until }: Lease) {
  const controller = new AbortController();
  const here = speaking.get(model) ?? new Map<string, AbortController>();
  speaking.set(model, here.set(conversationId, controller));
  const where = { workspaceId: viewer.workspaceId, id: conversationId, turnStop: until };
  const look = async () => {
    if (await database.conversation.findFirst({ where, select: { id: true } })) controller.abort();
  };
  const looking = setInterval(() => {
    look().catch((error: unknown) => log.warn({ err: error }, 'could not look whether a turn is to stop'));
  }, lookMs).unref();
  return {
    signal: controller.signal,
    close() {
      clearInterval(looking);
      if (here.get(conversationId) === controller) here.delete(conversationId);
    },
  };
}
