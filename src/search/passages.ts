import type { Transaction } from '../database/client.ts';
import type { QueryWord } from '../text/lexemes.ts';
import { BlockCache } from './block-cache.ts';
import { type Block, type Run, readBlocks, readGone } from './postings.ts';
import { type Evidence, type Ranked, rank } from './rank.ts';
import { mostOfSegment, writePassages } from './segment-writer.ts';
import { mergeSegments } from './segments.ts';
import type { PassageLocation, PassageRow } from './types.ts';

type Queries = Pick<Transaction, '$queryRaw' | '$executeRaw'>;

export type FoundPassage = {
  id: string;
  baseId: string;
  sourceId: string;
  text: string;
  place: PassageLocation;
  score: number;
};
export type PassageSearch = {
  workspaceId: string;
  baseIds: string[];
  limit: number;
  sourceIds?: string[] | null;
  exceptSourceId?: string | null;
  /** See `RankOptions`. */
  leastShare: number;
};

/** Writes and indexes passages, in the caller's transaction. */
export async function insertPassages(tx: Queries, passages: PassageRow[]): Promise<void> {
  const bases = Map.groupBy(passages, ({ workspaceId, baseId }) => `${workspaceId} ${baseId}`);
  for (const rows of bases.values()) {
    for (let start = 0; start < rows.length; start += mostOfSegment) {
      await writePassages(tx, { draft: null }, rows.slice(start, start + mostOfSegment));
    }
    await mergeSegments(tx, rows[0] as PassageRow);
  }
}

/**
 * Returns the passages of these bases that match enough of the query, best first, by BM25 with the workspace's
 * statistics; the words that no passage of the workspace contains; and the numbers of the workspace's runs.
 */
export async function searchPassageRows(
  database: Queries,
  search: PassageSearch,
  words: QueryWord[],
): Promise<{ passages: FoundPassage[]; unknown: QueryWord[]; runs: number[] }> {
  // Passages may be removed or moved between the two reads: then search again.
  for (let tries = 1; ; tries++) {
    const evidence = await readEvidence(database, search, words);
    const { best, held } = rank(evidence, search);
    const passages = await readPassages(database, search, best);
    const unknown = words.filter((_, index) => held[index] === 0);
    if (passages.length === best.length || tries === 3) {
      return { passages, unknown, runs: evidence.runs.map(({ number }) => number) };
    }
  }
}

/** `packed` is base64, since bytes would be converted several times on their way. */
type Row = { term: string | null; elsewhere: number; packed: string | null };

/** Caches of what searches have read, by database. */
const caches = new WeakMap<Queries, BlockCache>();

function cacheOf(database: Queries): BlockCache {
  const cache = caches.get(database) ?? new BlockCache();
  caches.set(database, cache);
  return cache;
}

/** Reads all postings of the words in one statement, hence one snapshot; cached blocks are not sent again. */
async function readEvidence(
  database: Queries,
  { workspaceId, baseIds, sourceIds = null, exceptSourceId = null }: PassageSearch,
  words: QueryWord[],
): Promise<Evidence> {
  const terms = [...new Set(words.flatMap((word) => word.terms))];
  const cache = cacheOf(database);
  const kept = new Map(terms.map((term) => [term, cache.get(workspaceId, term)]));
  const known = [...kept].flatMap(([term, blocks]) => blocks.map(({ run }) => ({ term, run })));
  // For complete runs that are not searched only counts are needed, which follow from the lengths of their blocks.
  // Joins with the tables are avoided, since without statistics the planner would choose nested loops.
  const rows = await database.$queryRaw<Row[]>`
    WITH part AS MATERIALIZED (
      SELECT "number", coalesce("run", "number") AS run, "start", "size", "live", "words", "gone",
        "baseId" = ANY (${baseIds}) AND (${sourceIds}::text[] IS NULL OR "sourceId" IS NULL OR "sourceId" = ANY (${sourceIds}))
          AND ("sourceId" = ${exceptSourceId}::text) IS NOT TRUE AS wanted,
        -- Of a segment with passages of several sources, those of the others.
        CASE WHEN (${sourceIds}::text[] IS NULL AND ${exceptSourceId}::text IS NULL) OR "sourceId" IS NOT NULL
          OR "baseId" <> ALL (${baseIds}) THEN '' ELSE coalesce((
          SELECT string_agg(int2send("slot"), ''::bytea) FROM "Passage" WHERE "Passage"."segment" = part."number"
            AND ("Passage"."sourceId" <> ALL (${sourceIds}) OR "Passage"."sourceId" = ${exceptSourceId}::text)
        ), '') END AS barred
      FROM "PassageSegment" AS part WHERE "workspaceId" = ${workspaceId} AND "draft" IS NULL
    ), joined AS MATERIALIZED (
      SELECT "number", "size" FROM "PassageRun" WHERE "workspaceId" = ${workspaceId}
    ), run AS MATERIALIZED (
      SELECT run AS number, coalesce(max(joined."size"), sum(part."size"))::int AS size,
        bool_or(wanted OR "gone" <> '') OR sum(part."size") < coalesce(max(joined."size"), 0) AS sent
      FROM part LEFT JOIN joined ON joined."number" = run GROUP BY run
    )
    SELECT NULL AS term, 0 AS elsewhere, encode(string_agg(int8send(part.run) || int4send(length("gone") + length(barred) + 40) || int4send(run.size)
      || int4send(sent::int) || int8send(part."number") || int4send("start") || int4send(part."size") || int4send("live")
      || int4send("words") || int4send(wanted::int) || int4send(length("gone")) || "gone" || barred, ''::bytea ORDER BY part."number"), 'base64') AS packed
    FROM part JOIN run ON run.number = part.run
    UNION ALL
    SELECT sought.term,
      coalesce(sum(length("block") / 4) FILTER (WHERE "segment" IN (SELECT number FROM run WHERE NOT sent)), 0)::int,
      encode(string_agg(int8send("segment") || int4send(length("block")) || "block", ''::bytea)
        FILTER (WHERE "segment" IN (SELECT number FROM run WHERE sent) AND (sought.term, "segment") NOT IN (
          SELECT * FROM unnest(${known.map(({ term }) => term)}::text[], ${known.map(({ run }) => run)}::bigint[])
        )), 'base64')
    FROM unnest(${terms}::text[]) AS sought(term) CROSS JOIN LATERAL (
      SELECT "segment", "block" FROM "PassageTerm"
      WHERE "workspaceId" = ${workspaceId} AND "PassageTerm"."term" = sought.term OFFSET 0
    ) AS posting GROUP BY sought.term`;
  const [about] = rows.filter(({ term }) => term === null);
  const { sent, ...evidence } = readRuns(about?.packed ?? '');
  const found = new Map<string, { blocks: Block[]; elsewhere: number }>();
  for (const { term, elsewhere, packed } of rows) {
    if (term === null) continue;
    const fresh = packed ? readBlocks(packed) : [];
    const blocks = [...fresh, ...(kept.get(term) ?? []).filter(({ run }) => sent.has(run))];
    if (fresh.length > 0) cache.set(workspaceId, term, blocks);
    found.set(term, { blocks, elsewhere });
  }
  return {
    ...evidence,
    words: words.map((word) => {
      const held = word.terms.flatMap((term) => found.get(term) ?? []);
      return {
        blocks: held.flatMap(({ blocks }) => blocks),
        elsewhere: held.reduce((sum, { elsewhere }) => sum + elsewhere, 0),
        weight: word.weight,
        ...(word.isPair && { isPair: true }),
      };
    }),
  };
}

/** Reads the runs, and the numbers of those whose blocks are needed and not just their lengths. */
function readRuns(packed: string): Omit<Evidence, 'words'> & { sent: Set<number> } {
  const runs = new Map<number, Run>();
  const sent = new Set<number>();
  let [passages, words] = [0, 0];
  for (const { run: number, bytes } of readBlocks(packed)) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let run = runs.get(number);
    if (!run) runs.set(number, (run = { number, size: view.getInt32(0), segments: [] }));
    if (view.getInt32(4) === 1) sent.add(number);
    passages += view.getInt32(24);
    words += view.getInt32(28);
    run.segments.push({
      number: Number(view.getBigInt64(8)),
      start: view.getInt32(16),
      size: view.getInt32(20),
      wanted: view.getInt32(32) === 1,
      gone: readGone(bytes.subarray(40, 40 + view.getInt32(36))),
      barred: readGone(bytes.subarray(40 + view.getInt32(36))),
    });
  }
  return { passages, averageWords: words / passages || 1, runs: [...runs.values()], sent };
}

/** Reads the ranked passages in order, as far as they still exist. */
async function readPassages(
  database: Queries,
  { workspaceId, baseIds }: PassageSearch,
  best: Ranked[],
): Promise<FoundPassage[]> {
  if (!best.length) return [];
  // By place only, with the other conditions applied afterwards: a planner without statistics would also scan the index
  // of the whole workspace.
  const [segments, slots] = [best.map(({ segment }) => segment), best.map(({ slot }) => slot)];
  const rows = await database.$queryRaw<(Omit<FoundPassage, 'score'> & { n: number })[]>`
    SELECT n::int, "id", "baseId", "sourceId", "text", "place"
    FROM unnest(${segments}::bigint[], ${slots}::int[]) WITH ORDINALITY AS best(segment, slot, n)
    CROSS JOIN LATERAL (
      SELECT * FROM "Passage" WHERE "Passage"."segment" = best.segment AND "Passage"."slot" = best.slot OFFSET 0
    ) AS passage
    WHERE "workspaceId" = ${workspaceId} AND "baseId" = ANY (${baseIds}) ORDER BY n`;
  return rows.map(({ n, ...passage }) => ({ ...passage, score: (best[n - 1] as Ranked).score }));
}
