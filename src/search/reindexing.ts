import { isDeepStrictEqual } from 'node:util';
import type { Database, Transaction } from '../database/client.ts';
import { analysisVersion, analyze } from './analysis.ts';
import { inBase } from './base-lock.ts';
import { withNames } from './names.ts';
import { type BaseScope, indexPassages } from './segment-writer.ts';
import { type Moved, movePassages } from './segments.ts';
import { rest } from './word-index.ts';

/** The draft name of a segment that will replace another one. */
const anew = 'anew';

/** Returns bases with passages that were indexed by an older version, or under outdated titles. */
export const basesToReindex = (database: Database): Promise<BaseScope[]> => database.$queryRaw<BaseScope[]>`
  SELECT DISTINCT "workspaceId", "baseId" FROM "PassageSegment" WHERE "draft" IS NULL AND "analysis" < ${analysisVersion}`;

/** Whether `reindexBase` has anything to do. */
export const wantsReindexing = async (database: Database, base: BaseScope): Promise<boolean> =>
  (await staleSegment(database, base)) !== null;

/**
 * Reindexes outdated passages of a base, segment by segment. Each old segment stays searchable until the new one
 * atomically replaces it; the connection is released between steps. Can be interrupted without losing finished
 * segments.
 */
export async function reindexBase(database: Database, base: BaseScope, signal?: AbortSignal): Promise<void> {
  const { workspaceId, baseId } = base;
  await database.passageSegment.deleteMany({ where: { workspaceId, baseId, draft: anew } });
  for (;;) {
    signal?.throwIfAborted();
    const started = performance.now();
    const number = await staleSegment(database, base);
    if (number === null) return;
    await reindexSegment(database, base, number);
    await rest(started, signal);
  }
}

async function staleSegment(database: Database, { workspaceId, baseId }: BaseScope): Promise<bigint | null> {
  const stale = await database.passageSegment.findFirst({
    where: { workspaceId, baseId, draft: null, analysis: { lt: analysisVersion } },
    orderBy: { number: 'asc' },
    select: { number: true },
  });
  return stale?.number ?? null;
}

async function reindexSegment(database: Database, base: BaseScope, old: bigint): Promise<void> {
  const passages = await readNamed(database, base, old);
  const analyzed = await analyze(passages);
  // Without a source until it is visible, since whoever reads a source removes its drafts.
  const number = await indexPassages(database, { ...base, sourceId: null, draft: anew }, analyzed);
  try {
    await inBase(database, base, (tx) => replaceSegment(tx, base, { old, number, passages, analyzed }));
  } finally {
    await database.passageSegment.deleteMany({ where: { workspaceId: base.workspaceId, number, draft: anew } });
  }
}

const readNamed = async (queries: Pick<Transaction, '$queryRaw'>, base: BaseScope, number: bigint): Promise<Moved[]> =>
  withNames(
    queries,
    base,
    await queries.$queryRaw<Moved[]>`
      SELECT "id", "sourceId", "text", "place" FROM "Passage"
      WHERE "workspaceId" = ${base.workspaceId} AND "segment" = ${number} ORDER BY "slot"`,
  );

type Rewritten = { old: bigint; number: bigint; passages: Moved[]; analyzed: { words: number }[] };

/** Replaces the old segment with the new one, unless the old one has changed meanwhile: then it is reindexed again. */
async function replaceSegment(
  tx: Transaction,
  base: BaseScope,
  { old, number, passages, analyzed }: Rewritten,
): Promise<void> {
  const { workspaceId } = base;
  const [held] = await tx.$queryRaw<{ sourceId: string | null }[]>`
    SELECT "sourceId" FROM "PassageSegment"
    WHERE "workspaceId" = ${workspaceId} AND "number" = ${old} AND "draft" IS NULL FOR UPDATE`;
  if (!held || !isDeepStrictEqual(await readNamed(tx, base, old), passages)) return;
  await movePassages(tx, base, number, passages, analyzed);
  await tx.passageSegment.deleteMany({ where: { workspaceId, number: old } });
  const data = { draft: null, sourceId: held.sourceId };
  const { count } = await tx.passageSegment.updateMany({ where: { workspaceId, number, draft: anew }, data });
  if (count === 0) throw new Error('The reindexed segment was considered abandoned and removed');
}
