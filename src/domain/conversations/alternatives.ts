import DataLoader from 'dataloader';
import type { Context } from '../../context.ts';
import { memoize } from '../../core/lazy.ts';
import type { MessageAlternative as Alternative } from '../../database/generated/prisma/client.ts';

export type { Alternative };

/** One loader per request: the alternatives of many messages are read with one statement. */
const loaderOf = memoize((context: Context) => new DataLoader<string, Alternative[]>((ids) => read(context, ids)));

/** Returns the replies that a regenerated message replaced, newest first. */
export function findAlternatives(context: Context, messageId: string): Promise<Alternative[]> {
  // Not cached: a mutation in the same request may have changed them.
  return loaderOf(context).clear(messageId).load(messageId);
}

async function read({ database, viewer }: Context, ids: readonly string[]): Promise<Alternative[][]> {
  const rows = await database.messageAlternative.findMany({
    where: { workspaceId: viewer.workspaceId, messageId: { in: [...ids] } },
    orderBy: [{ replacedAt: 'desc' }, { id: 'desc' }],
  });
  return ids.map((id) => rows.filter(({ messageId }) => messageId === id));
}
