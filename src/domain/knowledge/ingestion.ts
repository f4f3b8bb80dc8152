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
import { ReaderDeath } from '../../sandbox/failures.ts';
import type { OnProgress } from '../../sandbox/task.ts';
import { lockBase } from '../../search/base-lock.ts';
import { draftPassages, publishStaged, purgeAllStale, purgeStale } from '../../search/drafts.ts';
import { refreshBase } from './base-status.ts';
import { crawlSite } from './site-crawl.ts';
import { described, foundBefore } from './source-description.ts';
import { failedEnd, readEnd, type Scheduled } from './source-refresh.ts';
import { ingestJob } from './sources.ts';

/** How often a source is tried when the fault may pass. */
const maxTries = 3;
/** How often work on a source may begin, kills of the process included: one that brings it down must not do so for ever. */
const maxStarts = 10;

type IngestJob = JobData['ingest'];

/**
 * Reads a source into passages. It ends succeeded or failed, with its base's status; a fault that may pass rejects, so
 * that the job is tried again. For a source that was written, removed or read since the job was added, does nothing.
 */
export async function ingestSource(services: Services, told: IngestJob, signal: AbortSignal): Promise<void> {
  const source = await beginSource(services, told);
  if (!source) return;
  try {
    // A site goes on where it was cut off, and counts the tries of each page.
    if (isCrawled(source)) return await crawlSite(services, source, signal);
    if (source.attempts > maxStarts) throw new ExtractFailure(`Work on it was cut off ${maxStarts} times`);
    const { guardedFetch, transcribe } = services;
    const onProgress = progressOf(services, source);
    const { workspaceId } = source;
    const known = knownOf(source);
    const opened = await openSource(source, { workspaceId, guardedFetch, transcribe, signal, onProgress, known });
    if (opened.hash === source.contentHash) return await keepAsItIs(services, source, opened);
    const extracted = await opened.read();
    await keepPassages(services, source, opened, extracted);
  } catch (error) {
    // The job was taken away: whoever has it now goes on.
    if (signal.aborted) throw error;
    const { reason, mayPass } = explain(error);
    if (mayPass && source.attempts < maxTries) throw error;
    const { cause } = error as Error;
    const isFault = !isFailure(error) || cause instanceof ReaderDeath;
    if (isFault) services.log.error({ err: cause ?? error, sourceId: source.id }, 'A source could not be ingested');
    await failSource(services, source, reason);
  }
}

/** Counts the try, and gives the source unless it waits no more for this job. */
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

/** The content that its passages were read from, and how its server knows it. */
const knownOf = ({ contentHash, validators }: Source): Known | undefined =>
  contentHash && validators ? { hash: contentHash, validators: validators as Validators } : undefined;

/** The content is the one that the passages were read from: they stay. */
async function keepAsItIs(services: Services, source: Source, { validators }: Opened): Promise<void> {
  await settle(services, source, async (_tx, current) => ({
    ...readEnd(current, services.now()),
    ...(validators && { validators }),
    ...described(source, foundBefore(source)),
  }));
  services.log.debug({ sourceId: source.id, workspaceId: source.workspaceId }, 'A source is unchanged');
}

const tellMs = 1_000;

/** Writes down how far the reading is, at most once a second. */
function progressOf({ database }: Services, { workspaceId, id, revision }: Source): OnProgress {
  let told = performance.now();
  return (done, total) => {
    if (performance.now() - told < tellMs) return;
    told = performance.now();
    const where = { workspaceId, id, revision, status: 'in_progress' as const };
    // It is for people to look at: what cannot be written now is written the next time.
    database.source.updateMany({ where, data: { done, total } }).catch(() => {});
  };
}

/** Writes the new passages, step by step, and puts them in the place of the old ones in one moment. */
async function keepPassages(
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
    // Before they are shown: what is shown when a title changes is indexed anew.
    if (title !== source.title) await tx.source.updateMany({ where: { workspaceId, id }, data: { title } });
    await tx.sourcePage.deleteMany({ where: { workspaceId, sourceId: id } });
    await publishStaged(tx, source, draft);
    return {
      ...readEnd(current, services.now()),
      contentHash: hash,
      validators: validators ?? jsonNull,
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

/** `current`: how it is scheduled, which may have been changed since the reading began. */
type Write = (tx: Prisma.TransactionClient, current: Scheduled) => Promise<Prisma.SourceUpdateManyMutationInput>;

/** Ends the work on a source and tells its base; nothing is kept when the source was written or removed meanwhile. */
async function settle({ database, now }: Services, source: Source, write: Write): Promise<void> {
  const { workspaceId, baseId, id, revision } = source;
  const base = { workspaceId, id: baseId };
  await transact(
    database,
    async (tx) => {
      if (!(await lockBase(tx, base))) return;
      const where = { workspaceId, id, revision, status: 'in_progress' as const };
      const current = await tx.source.findFirst({ where, select: { refreshing: true, refreshEvery: true } });
      if (!current) return;
      await tx.source.updateMany({ where, data: await write(tx, current) });
      await refreshBase(tx, base, now());
    },
    { timeoutMs: 120_000 },
  );
}

const isFailure = (error: unknown): error is ExtractFailure | FetchFailure | TranscriptionFailure =>
  error instanceof ExtractFailure || error instanceof FetchFailure || error instanceof TranscriptionFailure;

function explain(error: unknown): { reason: string; mayPass: boolean } {
  if (isFailure(error)) {
    return { reason: error.message, mayPass: error.retryable };
  }
  return { reason: 'It could not be read, through a fault of the service', mayPass: true };
}

const sweepSize = 500;

/** Adds the job of every source in progress; those that have one stay as they are. So no source waits for ever. */
export async function resumeIngestion({ database, queue }: Services): Promise<void> {
  await purgeAllStale(database);
  for (let after = ''; ; ) {
    const sources = await database.source.findMany({
      where: { status: 'in_progress', id: { gt: after } },
      select: { workspaceId: true, id: true, revision: true, type: true },
      orderBy: { id: 'asc' },
      take: sweepSize,
    });
    if (sources.length > 0) await queue.transact((_tx, enqueue) => enqueue(sources.map(ingestJob)));
    const last = sources.at(-1);
    if (!last || sources.length < sweepSize) return;
    after = last.id;
  }
}
