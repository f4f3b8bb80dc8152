import { setImmediate as pause } from 'node:timers/promises';
import { type Database, transact } from './client.ts';
import { joinPostings, type Moved, type Postings } from './postings.ts';
import { type Home, writePostings } from './segment-writer.ts';

/** Segments with fewer passages are merged instead. */
const small = 256;
/** So many of about the same size are joined: each posting is written once more each time that its run grows tenfold. */
const fanIn = 8;
/** The most slots of a run, which an entry tells in two bytes. */
const mostSlots = 65_536;

/** What postings of a base are kept under: a run, or a segment alone. `slots`: how many of a run segments still have. */
type Kept = { number: bigint; size: number; slots: number; live: number };

/**
 * Joins the postings of a base into runs where it has many segments, so that a search reads few rows. What can be found
 * is the same before, while and after; the connection is free in between. One at a time for each base: of two, one fails.
 */
export async function compactPostings(database: Database, home: Home): Promise<void> {
  await removeLeftovers(database, home);
  for (;;) {
    const chosen = await choose(database, home);
    if (!chosen) return;
    await join(database, home, chosen);
  }
}

/** Whether `compactPostings` has something to join. */
export const wantsCompaction = async (database: Database, home: Home): Promise<boolean> =>
  (await choose(database, home)) !== null;

async function choose(database: Database, { workspaceId, baseId }: Home): Promise<bigint[] | null> {
  const kept = await database.$queryRaw<Kept[]>`
    SELECT coalesce("run", "number") AS number, coalesce(max("whole"), sum("size"))::int AS size, sum("size")::int AS slots,
      sum("live")::int AS live
    FROM (
      SELECT *, (SELECT "size" FROM "PassageRun" WHERE "PassageRun"."number" = part."run") AS whole
      FROM "PassageSegment" AS part
      WHERE "workspaceId" = ${workspaceId} AND "baseId" = ${baseId} AND "draft" IS NULL
    ) AS part GROUP BY 1 ORDER BY 4, 1`;
  // Most of a run may be of segments that are gone.
  const sparse = kept.find(({ size, slots }) => slots * 2 < size);
  if (sparse) return [sparse.number];
  const levels = Map.groupBy(
    kept.filter(({ live }) => live >= small),
    ({ live }) => Math.floor(Math.log(live / small) / Math.log(fanIn)),
  );
  for (const level of levels.values()) {
    let slots = 0;
    const fitting = level.filter((each) => (slots += each.slots) <= mostSlots);
    if (fitting.length >= fanIn || (fitting.length > 1 && fitting.length < level.length)) {
      return fitting.map(({ number }) => number);
    }
  }
  return null;
}

/** A segment, and where its slots are now (`from`, in the postings kept under `of`) and will be in the new run. */
type Part = { number: bigint; of: bigint; from: number; size: number; start: number };

async function join(database: Database, home: Home, numbers: bigint[]): Promise<void> {
  const { workspaceId, baseId } = home;
  const found = await database.$queryRaw<Omit<Part, 'start'>[]>`
    SELECT "number", coalesce("run", "number") AS of, "start" AS from, "size" FROM "PassageSegment"
    WHERE "workspaceId" = ${workspaceId} AND "baseId" = ${baseId} AND "draft" IS NULL
      AND coalesce("run", "number") = ANY (${numbers}::bigint[])
    ORDER BY "number"`;
  let size = 0;
  const parts = found.map((part) => ({ ...part, start: (size += part.size) - part.size }));
  const [made] = await database.$queryRaw<{ number: bigint }[]>`
    INSERT INTO "PassageRun" ("number", "workspaceId", "baseId", "size")
    VALUES (nextval('"PassageSegment_number_seq"'), ${workspaceId}, ${baseId}, ${size}) RETURNING "number"`;
  const { number } = made as { number: bigint };
  const read: Moved[] = [];
  for (const of of numbers) {
    const moves = parts.filter((part) => part.of === of);
    read.push({ postings: await readPostings(database, workspaceId, of), moves });
    await pause();
  }
  try {
    for (const postings of joinPostings(read)) await writePostings(database, { workspaceId, number }, postings);
    await take(database, home, number, parts);
  } catch (error) {
    await remove(database, workspaceId, [number]);
    throw error;
  }
  await remove(database, workspaceId, numbers);
}

/** Removes postings that no segment uses, of each number by itself. */
async function remove(database: Database, workspaceId: string, numbers: bigint[]): Promise<void> {
  for (const number of numbers) {
    await database.passageTerm.deleteMany({ where: { workspaceId, segment: number } });
    await pause();
  }
  await database.passageRun.deleteMany({ where: { workspaceId, number: { in: numbers } } });
}

async function readPostings(database: Database, workspaceId: string, number: bigint): Promise<Postings> {
  const [row] = await database.$queryRaw<{ terms: string | null; sizes: string; blocks: string }[]>`
    SELECT string_agg("term", ' ') AS terms, string_agg(length("block")::text, ' ') AS sizes,
      encode(string_agg("block", ''::bytea), 'base64') AS blocks
    FROM (
      SELECT "term", "block" FROM "PassageTerm" WHERE "workspaceId" = ${workspaceId} AND "segment" = ${number} ORDER BY "term"
    ) AS posting`;
  // They went with their segment meanwhile.
  if (!row?.terms) return { terms: [], sizes: [], blocks: Buffer.alloc(0) };
  return {
    terms: row.terms.split(' '),
    sizes: row.sizes.split(' ').map(Number),
    blocks: Buffer.from(row.blocks, 'base64'),
  };
}

/** Has the segments that are still there use the run, in one moment. */
async function take(database: Database, { workspaceId }: Home, number: bigint, parts: Part[]): Promise<void> {
  await transact(database, async (tx) => {
    const runs = await tx.$queryRaw<object[]>`SELECT FROM "PassageRun" WHERE "number" = ${number} FOR UPDATE`;
    if (!runs.length) throw new Error('A run that was being written was taken for left behind and removed');
    const numbers = parts.map((part) => part.number);
    // In the order in which the trigger of passages locks them.
    await tx.$queryRaw`
      SELECT FROM "PassageSegment" WHERE "workspaceId" = ${workspaceId} AND "number" = ANY (${numbers}::bigint[])
      ORDER BY "number" FOR UPDATE`;
    await tx.$executeRaw`
      UPDATE "PassageSegment" AS part SET "run" = ${number}, "start" = new.start
      FROM unnest(${numbers}::bigint[], ${parts.map((part) => part.of)}::bigint[], ${parts.map((part) => part.start)}::int[])
        AS new(number, of, start)
      WHERE part."workspaceId" = ${workspaceId} AND part."number" = new.number AND coalesce(part."run", part."number") = new.of`;
  });
}

/** What a process that died has left: runs that no segment uses, and postings of segments that use one. */
async function removeLeftovers(database: Database, { workspaceId, baseId }: Home): Promise<void> {
  await database.$executeRaw`
    DELETE FROM "PassageRun" AS run WHERE "workspaceId" = ${workspaceId} AND "baseId" = ${baseId} AND NOT EXISTS (
      SELECT FROM "PassageSegment" AS part
      WHERE part."workspaceId" = run."workspaceId" AND part."baseId" = run."baseId" AND part."run" = run."number"
    )`;
  await database.$executeRaw`
    DELETE FROM "PassageTerm" WHERE "workspaceId" = ${workspaceId} AND "segment" = ANY (ARRAY(
      SELECT "number" FROM "PassageSegment"
      WHERE "workspaceId" = ${workspaceId} AND "baseId" = ${baseId} AND "run" IS NOT NULL
    ))`;
}

/** Bases that may have something to join: those that were filled before there were runs, or whose job was lost. */
export const basesToCompact = (database: Database): Promise<Home[]> => database.$queryRaw<Home[]>`
  SELECT "workspaceId", "baseId" FROM "PassageSegment" WHERE "run" IS NULL AND "draft" IS NULL AND "live" >= ${small}
  GROUP BY 1, 2 HAVING count(*) >= ${fanIn}`;
