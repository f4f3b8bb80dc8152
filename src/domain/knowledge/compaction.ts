import type { Services } from '../../context.ts';
import type { Job, JobData } from '../../queue/kinds.ts';
import { basesToCompact, compactPostings, wantsCompaction } from '../../search/compaction.ts';
import { basesToReindex, reindexBase, wantsReindexing } from '../../search/reindexing.ts';
import type { Home } from '../../search/segment-writer.ts';

const compactJob = (data: Home): Job => ({ name: 'compact', key: data.baseId, data });

/**
 * Has the passages of a source's base indexed anew in the background, where they have other titles now, and its postings joined,
 * where it has many: all of it can be found already.
 */
export async function compactLater(services: Services, { workspaceId, sourceId }: JobData['ingest']): Promise<void> {
  const where = { workspaceId, id: sourceId };
  const source = await services.database.source.findFirst({ where, select: { workspaceId: true, baseId: true } });
  if (source) await enqueue(services, [source]);
}

/** The same for all bases that have been waiting for it: since an upgrade, or for a job that was lost. */
export const resumeCompaction = async (services: Services): Promise<void> =>
  enqueue(services, [...(await basesToReindex(services.database)), ...(await basesToCompact(services.database))]);

/** Indexes the passages of a base anew that need it, and joins its postings, now. Rejects when something was in the way, so that the job is tried again. */
export async function compactBase({ database, log }: Services, home: Home, signal: AbortSignal): Promise<void> {
  try {
    await reindexBase(database, home, signal);
    await compactPostings(database, home, signal);
  } catch (error) {
    if (!signal.aborted)
      log.warn({ err: error, baseId: home.baseId }, 'The postings of a base could not be joined yet');
    throw error;
  }
}

async function enqueue({ database, queue }: Services, bases: Home[]): Promise<void> {
  const wanting: Home[] = [];
  for (const base of bases) {
    if ((await wantsReindexing(database, base)) || (await wantsCompaction(database, base))) wanting.push(base);
  }
  if (wanting.length > 0) await queue.transact((_tx, add) => add(wanting.map(compactJob)));
}
