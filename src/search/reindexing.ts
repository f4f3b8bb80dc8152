import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Database, Transaction } from '../database/client.ts';
import { analysisVersion, analyze } from './analysis.ts';
import { inBase } from './base-lock.ts';
import { type Home, writeSegment } from './segment-writer.ts';
import { type Moved, movePassages, withNames } from './segments.ts';

/** What a segment is a draft for that will stand in the place of another one. */
const anew = 'anew';

/** Bases with passages that were indexed in an older way, or under other titles than they have now. */
export const basesToReindex = (database: Database): Promise<Home[]> => database.$queryRaw<Home[]>`
  SELECT DISTINCT "workspaceId", "baseId" FROM "PassageSegment" WHERE "draft" IS NULL AND "analysis" < ${analysisVersion}`;

/** Whether `reindexBase` has something to do. */
export const wantsReindexing = async (database: Database, home: Home): Promise<boolean> =>
  (await staleSegment(database, home)) !== null;

/**
 * Indexes the passages of a base anew that need it, segment by segment. What there was answers until, in one moment, the new
 * stands in its place; the connection is free in between. What is done when it is cut off stays.
 */
export async function reindexBase(database: Database, home: Home, signal?: AbortSignal): Promise<void> {
  const { workspaceId, baseId } = home;
  await database.passageSegment.deleteMany({ where: { workspaceId, baseId, draft: anew } });
  for (;;) {
    signal?.throwIfAborted();
    const started = performance.now();
    const number = await staleSegment(database, home);
    if (number === null) return;
    await reindexSegment(database, home, number);
    // Many wait, as after an upgrade: requests have the processor for as long as the index had it.
    await setTimeout(performance.now() - started, undefined, { signal });
  }
}

async function staleSegment(database: Database, { workspaceId, baseId }: Home): Promise<bigint | null> {
  const stale = await database.passageSegment.findFirst({
    where: { workspaceId, baseId, draft: null, analysis: { lt: analysisVersion } },
    orderBy: { number: 'asc' },
    select: { number: true },
  });
  return stale?.number ?? null;
}

async function reindexSegment(database: Database, home: Home, old: bigint): Promise<void> {
  const passages = await readNamed(database, home, old);
  const analyzed = await analyze(passages);
  // Of no source until it is shown: whoever reads one removes its drafts.
  const number = await writeSegment(database, { ...home, sourceId: null, draft: anew }, analyzed);
  try {
    await inBase(database, home, (tx) => handOver(tx, home, { old, number, passages, analyzed }));
  } finally {
    await database.passageSegment.deleteMany({ where: { workspaceId: home.workspaceId, number, draft: anew } });
  }
}

const readNamed = async (queries: Pick<Transaction, '$queryRaw'>, home: Home, number: bigint): Promise<Moved[]> =>
  withNames(
    queries,
    home,
    await queries.$queryRaw<Moved[]>`
      SELECT "id", "sourceId", "text", "place" FROM "Passage"
      WHERE "workspaceId" = ${home.workspaceId} AND "segment" = ${number} ORDER BY "slot"`,
  );

type Rewritten = { old: bigint; number: bigint; passages: Moved[]; analyzed: { words: number }[] };

/** Shows the new segment in the place of the old one, unless that has changed meanwhile: then it is read once more. */
async function handOver(tx: Transaction, home: Home, { old, number, passages, analyzed }: Rewritten): Promise<void> {
  const { workspaceId } = home;
  const [held] = await tx.$queryRaw<{ sourceId: string | null }[]>`
    SELECT "sourceId" FROM "PassageSegment"
    WHERE "workspaceId" = ${workspaceId} AND "number" = ${old} AND "draft" IS NULL FOR UPDATE`;
  if (!held || !isDeepStrictEqual(await readNamed(tx, home, old), passages)) return;
  await movePassages(tx, home, number, passages, analyzed);
  await tx.passageSegment.deleteMany({ where: { workspaceId, number: old } });
  const data = { draft: null, sourceId: held.sourceId };
  const { count } = await tx.passageSegment.updateMany({ where: { workspaceId, number, draft: anew }, data });
  if (count === 0) throw new Error('What was indexed anew was taken for left behind and removed');
}
