import type { Services } from '../../context.ts';
import type { JobData } from '../../queue/kinds.ts';
import { mergeMessageSegments, workspacesToClean } from '../../search/messages/merging.ts';
import { indexMessages, workspacesToIndex } from '../../search/messages/writer.ts';

/**
 * Queues indexing for workspaces where enough messages wait for it: a few of them are cheap to search without an index.
 */
export const indexLater = async (services: Services): Promise<void> =>
  enqueue(services, await workspacesToIndex(services.database));

/**
 * Queues indexing for workspaces whose segments hold postings of deleted messages, are incomplete, or come from an
 * older analysis.
 */
export const cleanIndexLater = async (services: Services): Promise<void> =>
  enqueue(services, await workspacesToClean(services.database));

/** Indexes the messages of a workspace and merges its segments. Rejects if it cannot, and the job is retried. */
export async function indexWorkspace(
  { database }: Services,
  { workspaceId }: JobData['index'],
  signal: AbortSignal,
): Promise<void> {
  await indexMessages(database, workspaceId, { signal });
  await mergeMessageSegments(database, workspaceId, signal);
}

async function enqueue({ queue }: Services, workspaces: JobData['index'][]): Promise<void> {
  if (workspaces.length === 0) return;
  const jobs = workspaces.map((data) => ({ name: 'index' as const, key: data.workspaceId, data }));
  await queue.transact((_tx, add) => add(jobs));
}
