import { setImmediate as pause } from 'node:timers/promises';
import type { Database } from '../database/client.ts';
import { inBase } from './base-lock.ts';
import type { BaseScope } from './segment-writer.ts';
import { small } from './segments.ts';
import { mergeInto } from './stored-postings.ts';
import { fanIn, levelOf, maxSlots, passageIndex } from './word-index.ts';

/**
 * What the postings of a base are stored under: a run, or a single segment. `size`: its slots; `slots`: those of
 * segments that still exist; `live`: those of existing passages.
 */
type Unit = { number: bigint; size: number; slots: number; live: number };

/**
 * Merges the postings of a base into runs if it has many segments, so that a search reads few rows. Search results are
 * the same before, during and after; the connection is released between steps. Of two concurrent calls for a base, at
 * most one succeeds.
 */
export async function compactPostings(database: Database, base: BaseScope, signal?: AbortSignal): Promise<void> {
  await removeUnused(database, base, await unusedNumbers(database, base));
  for (;;) {
    const units = await chooseUnits(database, base);
    if (!units) return;
    await mergeUnits(database, base, units, signal);
  }
}

/** Whether `compactPostings` has anything to do. */
export const wantsCompaction = async (database: Database, base: BaseScope): Promise<boolean> =>
  (await chooseUnits(database, base)) !== null || (await unusedNumbers(database, base)).length > 0;

/** Returns bases that may need compaction: they were filled before runs existed, or their job was lost. */
export const basesToCompact = (database: Database): Promise<BaseScope[]> => database.$queryRaw<BaseScope[]>`
  SELECT "workspaceId", "baseId" FROM "PassageSegment" WHERE "run" IS NULL AND "draft" IS NULL AND "live" >= ${small}
  GROUP BY 1, 2 HAVING count(*) >= ${fanIn}
  UNION
  SELECT "workspaceId", "baseId" FROM "PassageRun" AS run
  WHERE "size" > 2 * (SELECT coalesce(sum("size"), 0) FROM "PassageSegment" AS part
    WHERE part."workspaceId" = run."workspaceId" AND part."run" = run."number")`;

async function chooseUnits(database: Database, { workspaceId, baseId }: BaseScope): Promise<bigint[] | null> {
  const units = await database.$queryRaw<Unit[]>`
    SELECT coalesce("run", "number") AS number, coalesce(max("whole"), sum("size"))::int AS size, sum("size")::int AS slots,
      sum("live")::int AS live
    FROM (
      SELECT *, (
        SELECT "size" FROM "PassageRun" WHERE "workspaceId" = ${workspaceId} AND "PassageRun"."number" = part."run"
      ) AS whole
      FROM "PassageSegment" AS part
      WHERE "workspaceId" = ${workspaceId} AND "baseId" = ${baseId} AND "draft" IS NULL
    ) AS part GROUP BY 1 ORDER BY 3, 1`;
  // Most of a run may belong to segments that were removed.
  const sparse = units.find(({ size, slots }) => slots * 2 < size);
  if (sparse) return [sparse.number];
  const levels = Map.groupBy(
    units.filter(({ live }) => live >= small),
    ({ slots }) => levelOf(slots, small),
  );
  for (const level of levels.values()) {
    let slots = 0;
    const fitting = level.filter((unit) => (slots += unit.slots) <= maxSlots);
    // If fewer units already fill a run, more will never fit.
    if (fitting.length >= fanIn || (fitting.length > 1 && fitting.length < level.length)) {
      return fitting.map(({ number }) => number);
    }
  }
  return null;
}

/** A segment, with its slots' current start (`from`, in the unit `of`) and the one in the new run (`start`). */
type Part = { number: bigint; of: bigint; from: number; size: number; start: number };

async function mergeUnits(database: Database, base: BaseScope, units: bigint[], signal?: AbortSignal): Promise<void> {
  const { workspaceId, baseId } = base;
  const found = await database.$queryRaw<Omit<Part, 'start'>[]>`
    SELECT "number", coalesce("run", "number") AS of, "start" AS from, "size" FROM "PassageSegment"
    WHERE "workspaceId" = ${workspaceId} AND "baseId" = ${baseId} AND "draft" IS NULL
      AND coalesce("run", "number") = ANY (${units}::bigint[])
    ORDER BY "number"`;
  if (!found.length) return;
  let size = 0;
  const parts = found.map((part) => ({ ...part, start: (size += part.size) - part.size }));
  const [made] = await database.$queryRaw<{ number: bigint }[]>`
    INSERT INTO "PassageRun" ("number", "workspaceId", "baseId", "size")
    VALUES (nextval('"PassageSegment_number_seq"'), ${workspaceId}, ${baseId}, ${size}) RETURNING "number"`;
  const { number } = made as { number: bigint };
  try {
    const merged = units.map((of) => ({ postings: of, moves: parts.filter((part) => part.of === of) }));
    await mergeInto(database, passageIndex, { workspaceId, number }, merged, signal);
    await replaceUnits(database, base, number, parts);
  } finally {
    // Whether the run is in use is read from the database, since even a successful handover may have ended in an error.
    await removeUnused(database, base, [...units, number]);
  }
}

/** Switches the remaining segments to the run atomically. Throws if the run or all of them are gone. */
async function replaceUnits(database: Database, base: BaseScope, number: bigint, parts: Part[]): Promise<void> {
  await inBase(database, base, async (tx) => {
    const runs = await tx.$queryRaw<object[]>`
      SELECT FROM "PassageRun" WHERE "workspaceId" = ${base.workspaceId} AND "number" = ${number} FOR UPDATE`;
    const moved = await tx.$executeRaw`
      UPDATE "PassageSegment" AS part SET "run" = ${number}, "start" = new.start
      FROM unnest(${parts.map((part) => part.number)}::bigint[], ${parts.map((part) => part.of)}::bigint[],
        ${parts.map((part) => part.start)}::int[]) AS new(number, of, start)
      WHERE part."workspaceId" = ${base.workspaceId} AND part."number" = new.number
        AND coalesce(part."run", part."number") = new.of`;
    if (!runs.length || moved === 0) throw new Error('What was joined to a run has changed: nothing uses the run');
  });
}

/** Returns numbers whose postings no segment uses: runs of the base, and segments that were merged into a run. */
async function unusedNumbers(database: Database, { workspaceId, baseId }: BaseScope): Promise<bigint[]> {
  const rows = await database.$queryRaw<{ number: bigint }[]>`
    SELECT "number" FROM "PassageRun" AS run WHERE "workspaceId" = ${workspaceId} AND "baseId" = ${baseId}
      AND NOT EXISTS (
        SELECT FROM "PassageSegment" AS part WHERE part."workspaceId" = ${workspaceId} AND part."run" = run."number"
      )
    UNION ALL
    SELECT "number" FROM "PassageSegment" AS part
    WHERE "workspaceId" = ${workspaceId} AND "baseId" = ${baseId} AND "run" IS NOT NULL
      AND EXISTS (SELECT FROM "PassageTerm" WHERE "workspaceId" = ${workspaceId} AND "segment" = part."number")`;
  return rows.map(({ number }) => number);
}

/** Removes the postings of those numbers that no segment uses, one transaction each. */
async function removeUnused(database: Database, base: BaseScope, numbers: bigint[]): Promise<void> {
  const { workspaceId } = base;
  for (const number of numbers) {
    await inBase(database, base, async (tx) => {
      // A trigger removes the run's postings with it.
      await tx.$executeRaw`
        DELETE FROM "PassageRun" WHERE "workspaceId" = ${workspaceId} AND "number" = ${number} AND NOT EXISTS (
          SELECT FROM "PassageSegment" AS part WHERE part."workspaceId" = ${workspaceId} AND part."run" = ${number}
        )`;
      await tx.$executeRaw`
        DELETE FROM "PassageTerm" WHERE "workspaceId" = ${workspaceId} AND "segment" = ${number}
          AND NOT EXISTS (
            SELECT FROM "PassageSegment" AS part
            WHERE part."workspaceId" = ${workspaceId} AND part."number" = ${number} AND part."run" IS NULL
          ) AND NOT EXISTS (
            SELECT FROM "PassageRun" WHERE "workspaceId" = ${workspaceId} AND "number" = ${number}
          )`;
    });
    await pause();
  }
}
