import { type DatabaseHandle, type Transaction, transact } from '../database/client.ts';
import { analyze, type Content } from './analysis.ts';
import { withNames } from './names.ts';
import { type BaseScope, indexPassages } from './segment-writer.ts';

type Queries = Pick<Transaction, '$queryRaw' | '$executeRaw' | '$executeRawUnsafe'>;

/** Smaller segments are merged, once their base has enough of them. */
export const small = 256;
const fanIn = 16;
/** The maximum number of passages per merge; the rest waits for the next one. */
const maxMerged = fanIn * small;

/**
 * Merges small segments of a base if it has many, so that a search reads few; each passage is reindexed about twice in
 * its life. Skips what another transaction has locked.
 */
export async function mergeSegments(tx: Queries, base: BaseScope): Promise<void> {
  const kinds = await tx.$queryRaw<Kind[]>`
    SELECT array_agg("number") AS numbers, sum("live")::int AS live,
      CASE WHEN count("sourceId") = count(*) AND count(DISTINCT "sourceId") = 1 THEN min("sourceId") END AS "sourceId"
    FROM (
      SELECT *, sum("live") OVER (PARTITION BY "live" < ${fanIn} ORDER BY "number") AS together FROM "PassageSegment"
      WHERE "workspaceId" = ${base.workspaceId} AND "baseId" = ${base.baseId} AND "live" < ${small} AND "draft" IS NULL
    ) AS part WHERE together <= ${maxMerged}
    GROUP BY "live" < ${fanIn} HAVING count(*) >= ${fanIn} ORDER BY live`;
  for (const kind of kinds) await merge(tx, base, kind);
}

type Kind = { numbers: bigint[]; live: number; sourceId: string | null };

async function merge(tx: Queries, base: BaseScope, { numbers, sourceId }: Kind): Promise<void> {
  const { workspaceId } = base;
  // Locks passages before segments, in the order of the trigger that removes them.
  const passages = await tx.$queryRaw<Moved[]>`
    SELECT "id", "sourceId", "text", "place" FROM "Passage" WHERE "workspaceId" = ${workspaceId} AND "segment" = ANY (${numbers}::bigint[])
    ORDER BY "segment", "slot" FOR UPDATE SKIP LOCKED`;
  const [whole] = await tx.$queryRaw<{ live: number }[]>`
    SELECT sum("live")::int AS live FROM "PassageSegment"
    WHERE "workspaceId" = ${workspaceId} AND "number" = ANY (${numbers}::bigint[])`;
  if (!passages.length || passages.length !== whole?.live) return;
  await moveToSegment(tx, { ...base, sourceId }, passages);
  await tx.$executeRaw`
    DELETE FROM "PassageSegment" WHERE "workspaceId" = ${workspaceId} AND "number" = ANY (${numbers}::bigint[])`;
}

export type Moved = Content & { id: string; sourceId: string };

async function moveToSegment(
  tx: Queries,
  base: BaseScope & { sourceId: string | null },
  passages: Moved[],
): Promise<void> {
  const analyzed = await analyze(await withNames(tx, base, passages));
  const number = await indexPassages(tx, { ...base, draft: null }, analyzed);
  await movePassages(tx, base, number, passages, analyzed);
}

/** Moves passages to a segment that was written, in order; returns how many there were. */
export function movePassages(
  tx: Queries,
  { workspaceId }: BaseScope,
  number: bigint,
  passages: Moved[],
  analyzed: { words: number }[],
): Promise<number> {
  const [ids, words] = [passages.map(({ id }) => id), analyzed.map((each) => each.words)];
  return tx.$executeRaw`
    UPDATE "Passage" SET "segment" = ${number}, "slot" = n - 1, "words" = row.words
    FROM unnest(${ids}::text[], ${words}::int[]) WITH ORDINALITY AS row(id, words, n)
    WHERE "workspaceId" = ${workspaceId} AND "Passage"."id" = row.id`;
}

const batchSize = 2_000;

/** Indexes passages from before this index existed, base by base; `onStep` is called if there are any. */
export async function indexWaitingPassages(
  { client, pool }: Pick<DatabaseHandle, 'client' | 'pool'>,
  onStep: (text: string) => void = () => {},
): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<BaseScope>(
      'SELECT "workspaceId", "baseId" FROM "Passage" WHERE "segment" IS NULL LIMIT 1',
    );
    if (!rows[0]) return;
    onStep('Indexing passages');
    const { workspaceId, baseId } = rows[0];
    const done = await transact(client, async (tx) => {
      const passages = await tx.$queryRaw<Moved[]>`
        SELECT "id", "sourceId", "text", "place" FROM "Passage"
        WHERE "workspaceId" = ${workspaceId} AND "baseId" = ${baseId} AND "segment" IS NULL
        ORDER BY "sourceId", "position" LIMIT ${batchSize} FOR UPDATE SKIP LOCKED`;
      if (passages.length) await moveToSegment(tx, { workspaceId, baseId, sourceId: null }, passages);
      return passages.length;
    });
    // Another replica is indexing them.
    if (!done) return;
  }
}
