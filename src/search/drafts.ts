import { randomUUID } from 'node:crypto';
import { setImmediate as pause } from 'node:timers/promises';
import type { Database, Transaction } from '../database/client.ts';
import { mostOfSegment, writePassages } from './segment-writer.ts';
import { mergeSegments } from './segments.ts';
import type { PassageRow } from './types.ts';

type SourceKey = { workspaceId: string; baseId: string; id: string };
/** Passages that are written, and that nobody sees yet. */
export type Draft = { name: string; segments: number };

/** The name of what was shown and waits to be removed. */
const gone = 'gone';

/**
 * Writes passages of a source that nobody sees before `publishStaged`, in small steps: none keeps others from the embedded
 * database for long. Removes what an earlier try has left. `title`: what the source will be called when they are shown.
 */
export async function draftPassages(
  database: Database,
  source: SourceKey & { title?: string | null },
  passages: Omit<PassageRow, 'workspaceId' | 'baseId' | 'sourceId'>[],
): Promise<Draft> {
  await purgeStale(database, source);
  const { workspaceId, baseId, id: sourceId, title } = source;
  const draft: Draft = { name: randomUUID(), segments: 0 };
  for (let start = 0; start < passages.length; start += mostOfSegment) {
    const rows = passages.slice(start, start + mostOfSegment);
    await writePassages(
      database,
      { draft: draft.name, title },
      rows.map((row) => ({ ...row, workspaceId, baseId, sourceId })),
    );
    draft.segments++;
  }
  return draft;
}

/** Puts a draft in the place of all that is shown of the source, in one moment; `removeHidden` then takes that away. */
export async function publishStaged(
  tx: Transaction,
  { workspaceId, baseId, id: sourceId }: SourceKey,
  draft: Draft,
): Promise<void> {
  await tx.passageSegment.updateMany({ where: { workspaceId, sourceId, draft: null }, data: { draft: gone } });
  // Those that share a segment with passages of other sources, which are few.
  await tx.$executeRaw`
    DELETE FROM "Passage" WHERE "workspaceId" = ${workspaceId} AND "sourceId" = ${sourceId} AND (
      "segment" IS NULL OR "segment" IN (
        SELECT "number" FROM "PassageSegment"
        WHERE "workspaceId" = ${workspaceId} AND "baseId" = ${baseId} AND "sourceId" IS NULL
      ))`;
  const where = { workspaceId, sourceId, draft: draft.name };
  const { count } = await tx.passageSegment.updateMany({ where, data: { draft: null } });
  if (count !== draft.segments)
    throw new Error('The passages that were written were taken for left behind and removed');
  await mergeSegments(tx, { workspaceId, baseId });
}

/** Removes the passages of a source that nobody sees: those that were replaced and those of one draft, or of all. */
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
  // One by one; its passages and terms go with it.
  for (const { number } of segments) {
    await database.passageSegment.deleteMany({ where: { workspaceId, number, draft: hidden } });
    await pause();
  }
}

/** Removes what nobody sees of sources that are not being read: processes have died before they did it. */
export async function purgeAllStale(database: Database): Promise<void> {
  const sources = await database.source.findMany({
    where: { status: { not: 'in_progress' }, segments: { some: { draft: { not: null } } } },
    select: { workspaceId: true, baseId: true, id: true },
  });
  for (const source of sources) await purgeStale(database, source);
}
