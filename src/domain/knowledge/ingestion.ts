import { setTimeout as wait } from 'node:timers/promises';
import type { Services } from '../../context.ts';
import { transact } from '../../database/client.ts';
import type { Prisma, Source } from '../../database/generated/prisma/client.ts';
import { jsonNull } from '../../database/json.ts';
import { splitPassages } from '../../knowledge/chunk.ts';
import { isCrawled, openSource } from '../../knowledge/extract/extract.ts';
import type { Extracted, Known, Opened, Validators } from '../../knowledge/extract/types.ts';
import { TranscriptionFailure } from '../../model/transcribe.ts';
import { FetchFailure } from '../../net/fetch-failure.ts';
import type { JobData } from '../../queue/kinds.ts';
import { ExtractFailure } from '../../sandbox/extract-failure.ts';
import { ReaderCrash } from '../../sandbox/failures.ts';
import type { OnProgress } from '../../sandbox/task.ts';
import { lockBase } from '../../search/base-lock.ts';
import { draftPassages, publishStaged, purgeAllStale, purgeStale } from '../../search/drafts.ts';
import { refreshBase } from './base-status.ts';
import { crawlSite, maxWaitMs } from './site-crawl.ts';
import { described, storedDescription } from './source-description.ts';
import { failedEnd, readEnd, type Scheduled } from './source-refresh.ts';
import { ingestJob } from './sources.ts';

/** How many attempts a source gets after failures that a retry may fix. */
const maxTries = 3;
/**
 * How many attempts it gets in all, including those that ended with the process: a source that crashes the process must
 * not do so forever.
 */
const maxStarts = 10;

type IngestJob = JobData['ingest'];

/**
 * Reads a source into passages. The source ends as succeeded or failed, and its base's status follows. Rejects on
 * failures that a retry may fix, and the job is retried. Does nothing if the source was updated, deleted or read since
 * the job was queued.
 */
export async function ingestSource(services: Services, job: IngestJob, signal: AbortSignal): Promise<void> {
  const source = await beginSource(services, job);
  if (!source) return;
  try {
    // A crawl resumes where it stopped, and counts the attempts of each page.
    if (isCrawled(source)) return await crawlSite(services, source, signal);
    if (source.attempts > maxStarts) throw new ExtractFailure(`It was interrupted ${maxStarts} times`);
    const { guardedFetch, transcribe, readPage } = services;
    const opened = await openSource(source, {
      workspaceId: source.workspaceId,
      guardedFetch,
      transcribe,
      readPage,
      signal,
      onProgress: progressOf(services, source),
      known: knownOf(source),
    });
    if (opened.hash === source.contentHash) return await markUnchanged(services, source, opened);
    const extracted = await opened.read();
    await storePassages(services, source, opened, extracted);
  } catch (error) {
    // This worker has lost the job; the next one continues.
    if (signal.aborted) throw error;
    const { reason, isTransient } = explain(error);
    if (isTransient && source.attempts < maxTries) {
      const asked = error instanceof FetchFailure ? error.retryAfterMs : null;
      if (asked) await wait(Math.min(asked, maxWaitMs), undefined, { signal });
      throw error;
    }
    const { cause } = error as Error;
    const isFault = !isFailure(error) || cause instanceof ReaderCrash;
    if (isFault) services.log.error({ err: cause ?? error, sourceId: source.id }, 'A source could not be ingested');
    else if (cause) services.log.info({ err: error, sourceId: source.id }, 'A source could not be read');
    await failSource(services, source, reason);
  }
}

/** Counts the attempt. Resolves to undefined if this job is obsolete. */
async function beginSource(
  { database }: Services,
  { workspaceId, sourceId, revision }: IngestJob,
): Promise<Source | undefined> {
  const [source] = await database.source.updateManyAndReturn({
    where: { workspaceId, id: sourceId, revision, status: 'in_progress' },
    data: { attempts: { increment: 1 } },
  });
  return source;
}

/** The hash of the content that was read last, and the server's validators for it. */
const knownOf = ({ contentHash, validators }: Source): Known | undefined =>
  contentHash && validators ? { hash: contentHash, validators: validators as Validators } : undefined;

/** The content has not changed: its passages stay. */
async function markUnchanged(services: Services, source: Source, { validators }: Opened): Promise<void> {
  await settle(services, source, async (_tx, current) => ({
    ...allRead(current, services.now()),
    ...(validators && { validators }),
    ...described(source, storedDescription(source)),
  }));
  services.log.debug({ sourceId: source.id, workspaceId: source.workspaceId }, 'A source is unchanged');
}

const progressIntervalMs = 1_000;

/** Stores the progress of the reading, at most once a second. */
function progressOf({ database }: Services, { workspaceId, id, revision }: Source): OnProgress {
  let storedAt = performance.now();
  return (done, total) => {
    if (performance.now() - storedAt < progressIntervalMs) return;
    storedAt = performance.now();
    const where = { workspaceId, id, revision, status: 'in_progress' as const };
    // Only for display: a failed write does not matter, the next one follows.
    database.source.updateMany({ where, data: { done, total } }).catch(() => {});
  };
}

/** Stores the new passages in steps as a draft, and then replaces the old ones in one transaction. */
async function storePassages(
  services: Services,
  source: Source,
  { hash, validators }: Opened,
  extracted: Extracted,
): Promise<void> {
  const { workspaceId, id } = source;
  const passages = splitPassages(extracted.sections);
  const { title } = described(source, extracted);
  const draft = await draftPassages(services.database, { ...source, title }, passages);
  await settle(services, source, async (tx, current) => {
    // Before publishing: a change of title after it would have the passages indexed again.
    if (title !== source.title) await tx.source.updateMany({ where: { workspaceId, id }, data: { title } });
    await tx.sourcePage.deleteMany({ where: { workspaceId, sourceId: id } });
    await publishStaged(tx, source, draft);
    return {
      ...allRead(current, services.now()),
      // What was read in part is read again by the next refresh, though it has not changed.
      contentHash: extracted.isPartial ? null : hash,
      validators: (!extracted.isPartial && validators) || jsonNull,
      warnings: extracted.warnings ?? [],
      ...described(source, extracted),
    };
  });
  await purgeStale(services.database, source, draft);
  services.log.debug({ sourceId: id, workspaceId, passages: passages.length }, 'A source was ingested');
}

async function failSource(services: Services, source: Source, reason: string): Promise<void> {
  await settle(services, source, async (_tx, current) => failedEnd(current, reason, services.now()));
  services.log.info({ sourceId: source.id, workspaceId: source.workspaceId, reason }, 'A source failed');
}

/** The schedule, which may have changed since the reading began, and how many parts were found. */
type Current = Scheduled & Pick<Source, 'total'>;
type Write = (tx: Prisma.TransactionClient, current: Current) => Promise<Prisma.SourceUpdateManyMutationInput>;

/** The columns to update when all parts were read: progress, which is stored now and then, stays behind. */
const allRead = (current: Current, now: Date) => ({
  ...readEnd(current, now),
  ...(current.total !== null && { done: current.total }),
});

/** Ends the work on a source and updates its base. Does nothing if the source was updated or deleted meanwhile. */
async function settle({ database, now }: Services, source: Source, write: Write): Promise<void> {
  const { workspaceId, baseId, id, revision } = source;
  const base = { workspaceId, id: baseId };
  await transact(
    database,
    async (tx) => {
      if (!(await lockBase(tx, base))) return;
      const where = { workspaceId, id, revision, status: 'in_progress' as const };
      const current = await tx.source.findFirst({
        where,
        select: { refreshing: true, refreshEvery: true, total: true },
      });
      if (!current) return;
      await tx.source.updateMany({ where, data: await write(tx, current) });
      await refreshBase(tx, base, now());
    },
    { timeoutMs: 120_000 },
  );
}

const isFailure = (error: unknown): error is ExtractFailure | FetchFailure | TranscriptionFailure =>
  error instanceof ExtractFailure || error instanceof FetchFailure || error instanceof TranscriptionFailure;

function explain(error: unknown): { reason: string; isTransient: boolean } {
  if (isFailure(error)) {
    return { reason: error.message, isTransient: error.retryable };
  }
  return { reason: 'It could not be read because of an internal error', isTransient: true };
}

const sweepSize = 500;

/** Queues a job for every source in progress that has none, so that no source is stuck. */
export async function resumeIngestion({ database, queue }: Services): Promise<void> {
  await purgeAllStale(database);
  for (let after = { workspaceId: '', id: '' }; ; ) {
    const sources = await database.source.findMany({
      where: {
        status: 'in_progress',
        OR: [{ workspaceId: { gt: after.workspaceId } }, { workspaceId: after.workspaceId, id: { gt: after.id } }],
      },
      select: { workspaceId: true, id: true, revision: true, type: true },
      orderBy: [{ workspaceId: 'asc' }, { id: 'asc' }],
      take: sweepSize,
    });
    if (sources.length > 0) await queue.transact((_tx, enqueue) => enqueue(sources.map(ingestJob)));
    const last = sources.at(-1);
    if (!last || sources.length < sweepSize) return;
    after = last;
  }
}
