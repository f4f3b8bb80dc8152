import { type Database, type Transaction, transact } from '../../database/client.ts';
import { sql } from '../../database/sql.ts';
import { type AnalyzedContent, analysisVersion, analyze } from '../analysis.ts';
import { encodePostings, type Moved, readGone } from '../postings.ts';
import { insertSegment, mergeInto } from '../stored-postings.ts';
import { fanIn, levelOf, maxSlots, messageIndex, rest } from '../word-index.ts';
import { type MessageText, messageTexts } from './texts.ts';
import { minBatchSize } from './writer.ts';

type Segment = { number: bigint; first: number; size: number; live: number; gone: Uint8Array; analysis: number };

/**
 * Returns workspaces with segments that contain postings of deleted messages, are incomplete, or were analyzed by an
 * older version.
 */
export const workspacesToClean = (database: Database): Promise<{ workspaceId: string }[]> => database.$queryRaw`
  SELECT DISTINCT "workspaceId" FROM "MessageSegment" WHERE "gone" <> '' OR "draft" OR "analysis" < ${analysisVersion}`;

/**
 * Merges message segments where there are many, so that a search reads few rows, and drops the postings of deleted
 * messages. Search results are the same before, during and after; the connection is released between steps.
 */
export async function mergeMessageSegments(database: Database, workspaceId: string, signal?: AbortSignal) {
  await database.$executeRaw`DELETE FROM "MessageSegment" WHERE "workspaceId" = ${workspaceId} AND "draft"`;
  for (;;) {
    signal?.throwIfAborted();
    const segments = await database.$queryRaw<Segment[]>`
      SELECT "number", "first", "size", "live", "gone", "analysis" FROM "MessageSegment"
      WHERE "workspaceId" = ${workspaceId} AND NOT "draft" ORDER BY "first"`;
    const chosen = choose(segments);
    if (!chosen) return;
    await merge(database, workspaceId, chosen, signal);
  }
}

const isStale = ({ analysis }: Segment) => analysis < analysisVersion;

/** Chooses an outdated segment; or neighbours of similar size; or a segment with postings of deleted messages. */
function choose(segments: Segment[]): Segment[] | null {
  const stale = segments.findLast(isStale);
  if (stale) return [stale];
  let neighbours: Segment[] = [];
  for (const segment of segments) {
    const end = neighbours.at(-1);
    const size = segment.first + segment.size - (neighbours[0]?.first ?? segment.first);
    const sameSize = end && levelOf(end.size, minBatchSize) === levelOf(segment.size, minBatchSize);
    // If fewer already fill a segment, more will never fit.
    if (sameSize && size > maxSlots && neighbours.length > 1) return neighbours;
    if (!sameSize || size > maxSlots) neighbours = [];
    neighbours.push(segment);
    if (neighbours.length === fanIn) return neighbours;
  }
  const withDeleted = segments.find(({ gone }) => gone.length > 0);
  return withDeleted ? [withDeleted] : null;
}

async function merge(database: Database, workspaceId: string, old: Segment[], signal?: AbortSignal): Promise<void> {
  const [{ first }, end] = [old[0] as Segment, old.at(-1) as Segment];
  const range = { first, size: end.first + end.size - first };
  const counted = { live: 0, words: 0, draft: true, analysis: analysisVersion };
  const number = await insertSegment(database, messageIndex, { workspaceId, ...range, ...counted });
  try {
    const isOutdated = old.some(isStale);
    const { parts, words } = isOutdated
      ? await reanalyze(database, workspaceId, old[0] as Segment, signal)
      : { parts: old.map((part) => ({ postings: part.number, moves: movesOf(part, first) })), words: null };
    await mergeInto(database, messageIndex, { workspaceId, number }, parts, signal);
    await transact(database, (tx) => replaceSegments(tx, { workspaceId, number, first, words }, old), {
      timeoutMs: 120_000,
    });
  } finally {
    await database.$executeRaw`DELETE FROM "MessageSegment" WHERE "workspaceId" = ${workspaceId} AND "number" = ${number} AND "draft"`;
  }
}

/** Returns the new positions of those in a segment that still have a message. */
function movesOf({ first, size, gone }: Segment, start: number): Moved['moves'] {
  const moves: Moved['moves'] = [];
  let from = 0;
  for (const slot of [...(readGone(gone) ?? [])].sort((a, b) => a - b).concat(size)) {
    if (slot > from) moves.push({ from, size: slot - from, start: first - start + from });
    from = slot + 1;
  }
  return moves;
}

type MergedSegment = { workspaceId: string; number: bigint; first: number; words: number | null };

/** Atomically replaces the old segments with the merged one; messages deleted meanwhile are marked in it. */
async function replaceSegments(
  tx: Transaction,
  { workspaceId, number, first, words: reread }: MergedSegment,
  old: Segment[],
): Promise<void> {
  const numbers = old.map((segment) => segment.number);
  // The database function "forgetMessages" locks them in this order too.
  const gone = await tx.$queryRaw<{ number: bigint; gone: Uint8Array; live: number; words: number }[]>`
    SELECT "number", "gone", "live", "words" FROM "MessageSegment"
    WHERE "workspaceId" = ${workspaceId} AND NOT "draft" AND "number" = ANY (${numbers}::bigint[])
    ORDER BY "number" FOR UPDATE`;
  const current = new Map(gone.map((segment) => [segment.number, segment]));
  if (current.size < old.length) throw new Error('What was joined to a segment of messages has changed');
  await tx.$executeRaw`
    DELETE FROM "MessageSegment" WHERE "workspaceId" = ${workspaceId} AND "number" = ANY (${numbers}::bigint[])`;
  let [live, words] = [0, 0];
  const marks = old.flatMap((segment) => {
    const { gone: marked, ...counted } = current.get(segment.number) as (typeof gone)[number];
    live += counted.live;
    words += counted.words;
    const since = readGone(marked.subarray(segment.gone.length)) ?? new Set();
    return [...since].map((slot) => slot + segment.first - first);
  });
  const bytes = Buffer.alloc(2 * marks.length);
  for (const [index, slot] of marks.entries()) bytes.writeUInt16BE(slot, 2 * index);
  if (live === 0) return;
  const published = await tx.$executeRaw`
    UPDATE "MessageSegment" SET "draft" = false, "live" = ${live}, "words" = ${reread ?? words}, "gone" = ${bytes}
    WHERE "workspaceId" = ${workspaceId} AND "number" = ${number} AND "draft"`;
  if (published === 0) throw new Error('A segment of messages was considered abandoned and removed');
}

/** Messages read per step. */
const atOnce = 1_000;

/**
 * Reanalyzes the messages of a segment; returns their postings and the number of words. Rests after each step for as
 * long as it took: after an upgrade, all messages are read.
 */
async function reanalyze(
  database: Database,
  workspaceId: string,
  { first, size }: { first: number; size: number },
  signal?: AbortSignal,
): Promise<{ parts: Moved[]; words: number }> {
  const parts: Moved[] = [];
  let words = 0;
  for (let start = 0; start < size; start += atOnce) {
    signal?.throwIfAborted();
    const started = performance.now();
    const count = Math.min(atOnce, size - start);
    const from = first + start;
    const messages = await database.$queryRaw<(MessageText & { number: number })[]>(
      messageTexts(workspaceId, sql`m."searchNumber" >= ${from}::int AND m."searchNumber" < ${from + count}::int`),
    );
    const analyzed = await analyze(messages.map(({ text }) => ({ text, place: {} })));
    const slots = Array.from({ length: count }, (): Pick<AnalyzedContent, 'terms' | 'words'> => nothing);
    for (const [index, { number }] of messages.entries()) slots[number - from] = analyzed[index] ?? nothing;
    words += analyzed.reduce((sum, message) => sum + message.words, 0);
    parts.push({ postings: encodePostings(slots), moves: [{ from: 0, size: count, start }] });
    await rest(started, signal);
  }
  return { parts, words };
}

const nothing = { terms: new Map<string, number>(), words: 0 };
