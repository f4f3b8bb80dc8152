import { randomUUID } from 'node:crypto';
import { setImmediate as pause } from 'node:timers/promises';
import type { Database, Transaction } from '../database/client.ts';
import { maxSegmentSize, writePassages } from './segment-writer.ts';
import { mergeSegments } from './segments.ts';
import type { PassageRow } from './types.ts';

type SourceKey = { workspaceId: string; baseId: string; id: string };
/** Passages that are written but not visible yet. */
export type Draft = { name: string; segments: number };

/** The draft name of segments that were visible and are to be removed. */
const gone = 'gone';

/**
 * Writes passages of a source that stay invisible until `publishStaged`, in small steps, so that none blocks the
 * embedded database for long. Removes the remains of an earlier attempt first. `title`: the source's title once they
 * are visible.
 */
export async function draftPassages(
  database: Database,
  source: SourceKey & { title?: string | null },
  passages: Omit<PassageRow, 'workspaceId' | 'baseId' | 'sourceId'>[],
): Promise<Draft> {
  await purgeStale(database, source);
  const { workspaceId, baseId, id: sourceId, title } = source;
  const draft: Draft = { name: randomUUID(), segments: 0 };
  for (let start = 0; start < passages.length; start += maxSegmentSize) {
    const rows = passages.slice(start, start + maxSegmentSize);
    await writePassages(
      database,
      { draft: draft.name, title },
      rows.map((row) => ({ ...row, workspaceId, baseId, sourceId })),
    );
    draft.segments++;
  }
  return draft;
}

/** Atomically replaces all visible passages of the source with a draft; `purgeStale` then removes the old ones. */
export async function publishStaged(
  tx: Transaction,
  { workspaceId, baseId, id: sourceId }: SourceKey,
  draft: Draft,
): Promise<void> {
  await tx.passageSegment.updateMany({ where: { workspaceId, sourceId, draft: null }, data: { draft: gone } });
  // Passages in segments that are shared with other sources, which are few.
  await tx.$executeRaw`
    DELETE FROM "Passage" WHERE "workspaceId" = ${workspaceId} AND "sourceId" = ${sourceId} AND (
      "segment" IS NULL OR "segment" IN (
        SELECT "number" FROM "PassageSegment"
        WHERE "workspaceId" = ${workspaceId} AND "baseId" = ${baseId} AND "sourceId" IS NULL
      ))`;
  const where = { workspaceId, sourceId, draft: draft.name };
  const { count } = await tx.passageSegment.updateMany({ where, data: { draft: null } });
  if (count !== draft.segments) throw new Error('The staged passages were considered abandoned and removed');
  await mergeSegments(tx, { workspaceId, baseId });
}

/** Removes the invisible passages of a source: replaced ones, and those of one draft, or of all drafts. */
export async function purgeStale(
  database: Pick<Transaction, 'passageSegment'>,
  { workspaceId, id: sourceId }: SourceKey,
  draft?: Draft,
): Promise<void> {
  const hidden = draft ? { in: [gone, draft.name] } : { not: null };
  const segments = await database.passageSegment.findMany({
    where: { workspaceId, sourceId, draft: hidden },
    select: { number: true },
  });
  // One by one; passages and terms are removed by cascade.
  for (const { number } of segments) {
    await database.passageSegment.deleteMany({ where: { workspaceId, number, draft: hidden } });
    await pause();
  }
}

/** Removes the invisible passages of sources that are not being read, left behind by processes that died. */
export async function purgeAllStale(database: Database): Promise<void> {
  const sources = await database.source.findMany({
    where: { status: { not: 'in_progress' }, segments: { some: { draft: { not: null } } } },
    select: { workspaceId: true, baseId: true, id: true },
  });
  for (const source of sources) await purgeStale(database, source);
}
