import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { notFound, ParleyError } from '../errors.ts';
import { buryDead } from './turn-stream-store.ts';

/** How long a turn waits for the one before it, in milliseconds. */
const patienceMs = 30_000;

/** The right to be the one turn of a conversation. `until`: when it ends by itself, which also tells turns apart. */
export type Lease = { until: Date; release: () => Promise<void> };

/** When a lease that begins now ends by itself: after the model's time and some for the rest. */
export const leaseEnd = ({ config }: Pick<Context, 'config'>, time = Date.now()): Date =>
  new Date(time + config.modelTimeoutMs + 30_000);

/** The lease of a conversation whose `turnUntil` is ours. */
export function leaseOf({ database, viewer }: Context, conversationId: string, until: Date): Lease {
  // Only our own lease is given up: it may have run out and be another's by now.
  const where = { workspaceId: viewer.workspaceId, id: conversationId, turnUntil: until };
  return {
    until,
    release: async () => void (await database.conversation.updateMany({ where, data: { turnUntil: null } })),
  };
}

/**
 * Waits until this conversation has no other turn, on this or any other replica, and takes it until `release`. A
 * process that dies gives it up when its time is over, and when it streamed, some seconds after its death. Throws 404, or 409 `conversation_busy` after 30 seconds.
 */
export async function takeTurn(context: Context, conversationId: string): Promise<Lease> {
  const { database, viewer } = context;
  const row = { workspaceId: viewer.workspaceId, id: conversationId };
  const deadline = Date.now() + patienceMs;
  for (let wait = 10; ; wait = Math.min(wait * 2, 250)) {
    const time = Date.now();
    const turnUntil = leaseEnd(context, time);
    const free = [{ turnUntil: null }, { turnUntil: { lte: new Date(time) } }];
    const taken = await database.conversation.updateMany({ where: { ...row, OR: free }, data: { turnUntil } });
    if (taken.count === 1) return leaseOf(context, conversationId, turnUntil);
    if (!(await database.conversation.findFirst({ where: row, select: { id: true } }))) throw notFound('Conversation');
    if (time > deadline) {
      throw new ParleyError('conversation_busy', 'Another message of this conversation is still being answered.', {
        headers: { 'retry-after': '5' },
      });
    }
    await buryDead(context, conversationId);
    await sleep(wait);
  }
}
