import type { Services } from '../../context.ts';
import { transact } from '../../database/client.ts';
import type { Source } from '../../database/generated/prisma/client.ts';
import type { Job, JobData } from '../../queue/kinds.ts';
import { lockBase } from '../../search/base-lock.ts';
import {
  copyEmbeddings,
  insertEmbeddings,
  removeStrays,
  type UnembeddedPassage,
  unembeddedPassages,
} from '../../search/passage-vectors.ts';
import type { Embeddings } from '../../search/types.ts';

/** How many passages one request to the model embeds. */
const batchSize = 64;

type EmbedJob = JobData['embed'];

const embedJob = (data: EmbedJob): Job => ({ name: 'embed', key: `${data.sourceId}:${data.revision}`, data });

/**
 * Queues the embedding of a source's passages, which full-text search finds already. Without a model, removes the
 * vectors of replaced passages, which are kept only to be copied.
 */
export async function embedLater({ embeddings, queue, database }: Services, job: EmbedJob): Promise<void> {
  if (await embeddings?.ready()) return queue.transact((_tx, enqueue) => enqueue([embedJob(job)]));
  await removeStrays(database, { workspaceId: job.workspaceId, id: job.sourceId }, null);
}

/**
 * Embeds the passages of a source that have no vector of the model. Each batch is stored at once, so that a retry
 * continues where the last one stopped. Vectors of earlier passages with the same text are copied. Rejects if the model
 * fails, and the job is retried.
 */
export async function embedSource(services: Services, job: EmbedJob, signal: AbortSignal): Promise<void> {
  const { database, embeddings } = services;
  if (!embeddings || !(await embeddings.ready())) return;
  const where = { workspaceId: job.workspaceId, id: job.sourceId };
  const source = await database.source.findFirst({ where });
  if (!source) return;
  for (let after = -1; ; ) {
    signal.throwIfAborted();
    const batch = await unembeddedPassages(database, source, embeddings.model, { after, limit: batchSize });
    const last = batch.at(-1);
    if (!last) break;
    after = last.position;
    await embedBatch(services, embeddings, source, batch, signal);
  }
  await settleSource(services, embeddings, source);
}

async function embedBatch(
  { database, log }: Services,
  embeddings: Embeddings,
  source: Source,
  batch: UnembeddedPassage[],
  signal: AbortSignal,
): Promise<void> {
  const copied = await copyEmbeddings(database, source, embeddings.model, batch);
  const rest = batch.filter(({ id }) => !copied.has(id));
  const contents = new Map(rest.map(({ hash, content }) => [hash, content]));
  if (contents.size === 0) return;
  const hashes = [...contents.keys()];
  const vectors = await embeddings.embed([...contents.values()], signal).catch((error: unknown) => {
    if (!signal.aborted)
      log.warn({ err: error, sourceId: source.id }, 'Passages could not be embedded; trying again later');
    throw error;
  });
  const dimensions = vectors[0]?.length ?? 0;
  await embeddings.index(dimensions);
  const vectorOf = new Map(hashes.map((hash, index) => [hash, vectors[index] ?? []]));
  const rows = rest.map(({ id, hash }) => ({ id, hash, vector: vectorOf.get(hash) ?? [] }));
  await insertEmbeddings(database, source, { model: embeddings.model, dimensions }, rows);
}

/** Marks the source as embedded if all of its passages are, and removes its unused vectors. */
async function settleSource({ database }: Services, { model }: Embeddings, source: Source): Promise<void> {
  const { workspaceId, baseId, id } = source;
  await transact(database, async (tx) => {
    // Writers of passages hold this lock, so none are added between the check and the mark.
    if (!(await lockBase(tx, { workspaceId, id: baseId }))) return;
    const [lacking] = await unembeddedPassages(tx, source, model, { after: -1, limit: 1 });
    if (lacking) return;
    await removeStrays(tx, source, model);
    await tx.$executeRaw`
      UPDATE "Source" SET "embeddedAs" = ${model} || '#' || "revision"
      WHERE "workspaceId" = ${workspaceId} AND "id" = ${id} AND "status" <> 'in_progress'`;
  });
}

const sweepSize = 500;

/**
 * Queues the embedding of all sources that have no vectors of the current model, as after the model was set or changed.
 * If there are none, cleans up after earlier models.
 */
export async function resumeEmbedding({ database, queue, embeddings }: Services): Promise<void> {
  if (!embeddings || !(await embeddings.ready())) return;
  let found = 0;
  for (let after = { workspaceId: '', id: '' }; ; ) {
    const sources = await database.$queryRaw<Pick<Source, 'workspaceId' | 'id' | 'revision'>[]>`
      SELECT "workspaceId", "id", "revision" FROM "Source"
      WHERE ("workspaceId", "id") > (${after.workspaceId}, ${after.id}) AND ("status" <> 'in_progress' OR "type" = 'site')
        AND "embeddedAs" IS DISTINCT FROM ${embeddings.model} || '#' || "revision"
      ORDER BY "workspaceId", "id" LIMIT ${sweepSize}`;
    const jobs = sources.map(({ id, ...source }) => embedJob({ ...source, sourceId: id }));
    if (jobs.length > 0) await queue.transact((_tx, enqueue) => enqueue(jobs));
    found += jobs.length;
    const last = sources.at(-1);
    if (!last || sources.length < sweepSize) break;
    after = last;
  }
  if (found === 0) await embeddings.settle();
}
