import type { Services } from '../../context.ts';
import type { Job, JobData } from '../../queue/kinds.ts';
import { basesToCompact, compactPostings, wantsCompaction } from '../../search/compaction.ts';
import { basesToReindex, reindexBase, wantsReindexing } from '../../search/reindexing.ts';
import type { BaseScope } from '../../search/segment-writer.ts';

const compactJob = (data: BaseScope): Job => ({ name: 'compact', key: data.baseId, data });

/**
 * Queues a job for a source's base if its passages need to be indexed again, since their titles changed, or it has many
 * posting segments to merge. Search works meanwhile.
 */
export async function compactLater(services: Services, { workspaceId, sourceId }: JobData['ingest']): Promise<void> {
  const where = { workspaceId, id: sourceId };
  const source = await services.database.source.findFirst({ where, select: { workspaceId: true, baseId: true } });
  if (source) await enqueue(services, [source]);
}

/** The same for all bases that need it: after an upgrade, or if a job was lost. */
export const resumeCompaction = async (services: Services): Promise<void> =>
  enqueue(services, [...(await basesToReindex(services.database)), ...(await basesToCompact(services.database))]);

/**
 * Indexes passages of a base again where needed, and merges its postings. Rejects if it cannot, and the job is retried.
 */
export async function compactBase({ database, log }: Services, base: BaseScope, signal: AbortSignal): Promise<void> {
  try {
    await reindexBase(database, base, signal);
    await compactPostings(database, base, signal);
  } catch (error) {
    if (!signal.aborted)
      log.warn({ err: error, baseId: base.baseId }, 'The postings of a base could not be merged; trying again later');
    throw error;
  }
}

async function enqueue({ database, queue }: Services, bases: BaseScope[]): Promise<void> {
  const wanting: BaseScope[] = [];
  for (const base of bases) {
    if ((await wantsReindexing(database, base)) || (await wantsCompaction(database, base))) wanting.push(base);
  }
  if (wanting.length > 0) await queue.transact((_tx, add) => add(wanting.map(compactJob)));
}
