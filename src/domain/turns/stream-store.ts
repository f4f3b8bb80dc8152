import type { Context } from '../../context.ts';
import type { Database, Transaction } from '../../database/client.ts';
import type { Turn } from '../../database/generated/prisma/client.ts';
import { type JointWrite, type WriteStore, writeInOneStatement } from '../../database/query/joint-writes.ts';
import { sql } from '../../database/sql.ts';
import { asSent, eventOf } from './parts.ts';
import type { Part, StreamPosition, TurnEvent, TurnKey, UnwrittenParts, WriteParts } from './types.ts';

/**
 * Readers may have seen parts that their process died before writing. The end of the stream is stored this far behind.
 */
const gap = 10_000;

type StreamParts = UnwrittenParts & { turnId: string };

/**
 * Writes parts of streams of a workspace. Idempotent: if a write whose outcome is unknown is
 * repeated with more parts, the longer batch wins.
 */
export async function saveParts(store: WriteStore, workspaceId: string, streams: StreamParts[]): Promise<void> {
  await writeInOneStatement(store, [savingParts(workspaceId, streams)]);
}

/** The same as one of several writes. */
export const savingParts = (workspaceId: string, streams: StreamParts[]): JointWrite => ({
  statement: (condition) => sql`
    INSERT INTO "TurnBatch" ("workspaceId", "turnId", "position", "parts")
    SELECT ${workspaceId}, "turnId", "position", "parts"
    FROM json_to_recordset(${JSON.stringify(streams)}::json) AS given("turnId" text, "position" int, "parts" jsonb)
    WHERE ${condition}
    ON CONFLICT ("workspaceId", "turnId", "position") DO UPDATE SET "parts" = EXCLUDED."parts"
    WHERE jsonb_array_length("TurnBatch"."parts") < jsonb_array_length(EXCLUDED."parts")
    RETURNING "position"`,
});

/**
 * Creates the function that writes parts of the streams of a process: those of a workspace that are due together, with
 * one statement.
 */
export function createPartsWriter(store: WriteStore): WriteParts {
  type Due = StreamParts & { resolve: () => void; reject: (error: unknown) => void };
  const due = new Map<string, Due[]>();
  const write = async (workspaceId: string, streams: Due[]): Promise<void> => {
    try {
      const written = streams.map(({ turnId, position, parts }) => ({ turnId, position, parts }));
      await saveParts(store, workspaceId, written);
      for (const { resolve } of streams) resolve();
    } catch (error) {
      const isOfOne = streams.length > 1 && mayBeOfOne(error);
      for (const stream of streams) {
        if (isOfOne) void write(workspaceId, [stream]);
        else stream.reject(error);
      }
    }
  };
  const writeDue = (workspaceId: string) => {
    const streams = due.get(workspaceId) ?? [];
    due.delete(workspaceId);
    void write(workspaceId, streams);
  };
  return ({ workspaceId, id: turnId }, unwritten) =>
    new Promise((resolve, reject) => {
      const streams = due.get(workspaceId) ?? [];
      streams.push({ ...unwritten, turnId, resolve, reject });
      if (due.has(workspaceId)) return;
      due.set(workspaceId, streams);
      // Each workspace for itself, in whose turn at the pool it is written.
      setImmediate(() => writeDue(workspaceId));
    });
}

/** Whether a write may have failed for the data of one stream, whose turn is gone, say. */
const mayBeOfOne = (error: unknown): boolean => /^2[23]/.test(String((error as { code?: unknown } | null)?.code));

/** Returns a position behind everything that is written of an orphaned stream, or that its readers may have seen. */
export async function nextPosition(tx: Transaction, { workspaceId, id: turnId }: TurnKey): Promise<number> {
  const last = await tx.turnBatch.findFirst({ where: { workspaceId, turnId }, orderBy: { position: 'desc' } });
  return (last ? last.position + (last.parts as Part[]).length : 0) + gap;
}

type Status = Pick<Turn, 'state'> & { alive: boolean };
type Stream = Status & { events: TurnEvent[] };
type Row = Status & { index: bigint; start: number | null; parts: Part[] | null };

/**
 * Returns the events of streams from positions on and the states of their turns, with one statement; undefined for a
 * turn that does not exist.
 */
export async function readStreams(
  database: Database,
  streamPositions: StreamPosition[],
): Promise<(Stream | undefined)[]> {
  const workspaceIds = streamPositions.map(({ workspaceId }) => workspaceId);
  const ids = streamPositions.map(({ id }) => id);
  const positions = streamPositions.map(({ position }) => position);
  // A position may lie within a batch: read from the last batch that starts at or before it.
  const rows = await database.$queryRaw<Row[]>`
    SELECT p."index", t."state"::text, t."aliveUntil" > clock_timestamp() AS "alive", b."position" AS "start", b."parts"
    FROM unnest(${workspaceIds}::text[], ${ids}::text[], ${positions}::int[])
      WITH ORDINALITY AS p("workspaceId", "id", "position", "index")
    JOIN "Turn" t ON t."workspaceId" = p."workspaceId" AND t."id" = p."id"
    LEFT JOIN "TurnBatch" b ON b."workspaceId" = t."workspaceId" AND b."turnId" = t."id"
      AND b."position" + jsonb_array_length(b."parts") > p."position"
      AND b."position" >= coalesce(
        (SELECT max(e."position") FROM "TurnBatch" e
         WHERE e."workspaceId" = t."workspaceId" AND e."turnId" = t."id" AND e."position" <= p."position"), 0)
    ORDER BY p."index", b."position"`;
  const streams: (Stream | undefined)[] = streamPositions.map(() => undefined);
  for (const { index, state, alive, start, parts } of rows) {
    const at = Number(index) - 1;
    const { id, position } = streamPositions[at] as StreamPosition;
    const stream = (streams[at] ??= { state, alive, events: [] });
    const events = (parts ?? []).map((part, index) => eventOf(id, (start ?? 0) + index, asSent(part)));
    stream.events.push(...events.filter((event) => event.position >= position));
  }
  return streams;
}

/** The written events of a stream, from a position on. */
export async function readParts(
  { database }: Context,
  { workspaceId, id }: TurnKey,
  position: number,
): Promise<TurnEvent[]> {
  const [stream] = await readStreams(database, [{ workspaceId, id, position }]);
  return stream?.events ?? [];
}
