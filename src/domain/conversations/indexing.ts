import type { Services } from '../../context.ts';
import type { JobData } from '../../queue/kinds.ts';
import { joinMessageSegments, workspacesToClean } from '../../search/messages/joining.ts';
import { indexMessages, workspacesToIndex } from '../../search/messages/writer.ts';

/** Has messages indexed in the background where enough wait for it: those that few searches read are cheap as they are. */
export const indexLater = async (services: Services): Promise<void> =>
  enqueue(services, await workspacesToIndex(services.database));

/** The same where the index holds words of messages that are gone. */
export const cleanIndexLater = async (services: Services): Promise<void> =>
  enqueue(services, await workspacesToClean(services.database));

/** Indexes the messages of a workspace now. Rejects when something was in the way, so that the job is tried again. */
export async function indexWorkspace(
  { database }: Services,
  { workspaceId }: JobData['index'],
  signal: AbortSignal,
): Promise<void> {
  await indexMessages(database, workspaceId, { signal });
  await joinMessageSegments(database, workspaceId, signal);
}

async function enqueue({ queue }: Services, workspaces: JobData['index'][]): Promise<void> {
  if (workspaces.length === 0) return;
  const jobs = workspaces.map((data) => ({ name: 'index' as const, key: data.workspaceId, data }));
  await queue.transact((_tx, add) => add(jobs));
}
