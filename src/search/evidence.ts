import type { Transaction } from '../database/client.ts';
import type { QueryWord } from '../text/lexemes.ts';
import { cachesByDatabase } from './block-cache.ts';
import { type Block, type Run, readBlocks, readGone } from './postings.ts';
import type { Evidence } from './rank.ts';

type Queries = Pick<Transaction, '$queryRaw'>;
/** What a search asks. */
type Scope = { workspaceId: string; baseIds: string[]; sourceIds?: string[] | null; exceptSourceId?: string | null };

/** `packed` is base64, since bytes would be converted several times on their way. */
type Row = { term: string | null; elsewhere: number; packed: string | null };

const cacheOf = cachesByDatabase();

/** What the index contains of a query's words, and the runs whose blocks, and not only their lengths, are needed. */
type Read = Evidence & { sent: Set<number> };

/** Reads all postings of the words in one statement, hence one snapshot; cached blocks are not sent again. */
export async function readEvidence(
  database: Queries,
  { workspaceId, baseIds, sourceIds = null, exceptSourceId = null }: Scope,
  words: QueryWord[],
): Promise<Read> {
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
          SELECT string_agg(int2send("slot"), ''::bytea) FROM "Passage"
          WHERE "Passage"."workspaceId" = ${workspaceId} AND "Passage"."segment" = part."number"
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
  const about = readRuns(rows.find(({ term }) => term === null)?.packed ?? '');
  const found = foundIn(rows, kept, about.sent, (term, blocks) => cache.set(workspaceId, term, blocks));
  return { ...about, words: words.map((word) => wordOf(word, found)) };
}

/** Blocks that were cached before the statement, which therefore did not send them. */
type Kept = Map<string, Block[]>;
type Found = Map<string, { blocks: Block[]; elsewhere: number }>;

/** The blocks of each term, those that were in the cache before the statement included. */
function foundIn(rows: Row[], kept: Kept, sent: Set<number>, keep: (term: string, blocks: Block[]) => void): Found {
  const found: Found = new Map();
  for (const { term, elsewhere, packed } of rows) {
    if (term === null) continue;
    const fresh = packed ? readBlocks(packed) : [];
    const blocks = [...fresh, ...(kept.get(term) ?? []).filter(({ run }) => sent.has(run))];
    if (fresh.length > 0) keep(term, blocks);
    found.set(term, { blocks, elsewhere });
  }
  return found;
}

function wordOf({ terms, weight, isPair }: QueryWord, found: Found): Evidence['words'][number] {
  const held = terms.flatMap((term) => found.get(term) ?? []);
  return {
    blocks: held.flatMap(({ blocks }) => blocks),
    elsewhere: held.reduce((sum, { elsewhere }) => sum + elsewhere, 0),
    weight,
    ...(isPair && { isPair: true }),
  };
}

/**
 * Returns the evidence for `changed`, words of which some have other terms than those that were read: reads only what
 * is missing. Null if the runs are not those of `evidence` any more.
 */
export async function addWords(
  database: Queries,
  { workspaceId }: Scope,
  evidence: Read,
  words: QueryWord[],
  changed: QueryWord[],
): Promise<Read | null> {
  const { sent, runs } = evidence;
  const fresh = changed.filter((word, index) => word.terms !== words[index]?.terms);
  const terms = [...new Set(fresh.flatMap((word) => word.terms))];
  const cache = cacheOf(database);
  const kept = new Map(terms.map((term) => [term, cache.get(workspaceId, term)]));
  const known = [...kept].flatMap(([term, blocks]) => blocks.map(({ run }) => ({ term, run })));
  const rows = await database.$queryRaw<Row[]>`
    SELECT NULL AS term, 0 AS elsewhere, string_agg(DISTINCT coalesce("run", "number")::text, ' ') AS packed
    FROM "PassageSegment" WHERE "workspaceId" = ${workspaceId} AND "draft" IS NULL
    UNION ALL
    SELECT sought.term, coalesce(sum(length("block") / 4) FILTER (WHERE "segment" <> ALL (${[...sent]}::bigint[])), 0)::int,
      encode(string_agg(int8send("segment") || int4send(length("block")) || "block", ''::bytea)
        FILTER (WHERE "segment" = ANY (${[...sent]}::bigint[]) AND (sought.term, "segment") NOT IN (
          SELECT * FROM unnest(${known.map(({ term }) => term)}::text[], ${known.map(({ run }) => run)}::bigint[])
        )), 'base64')
    FROM unnest(${terms}::text[]) AS sought(term) CROSS JOIN LATERAL (
      SELECT "segment", "block" FROM "PassageTerm"
      WHERE "workspaceId" = ${workspaceId} AND "PassageTerm"."term" = sought.term
        AND "segment" = ANY (${runs.map(({ number }) => number)}::bigint[]) OFFSET 0
    ) AS posting GROUP BY sought.term`;
  const numbers = (rows.find(({ term }) => term === null)?.packed ?? '').split(' ').filter(Boolean).map(Number);
  if (!new Set(numbers).isSubsetOf(new Set(runs.map(({ number }) => number))) || numbers.length !== runs.length)
    return null;
  const found = foundIn(rows, kept, sent, (term, blocks) => cache.set(workspaceId, term, blocks));
  const isRead = (word: QueryWord, index: number) => word.terms === words[index]?.terms;
  return {
    ...evidence,
    words: changed.map((word, index) => (isRead(word, index) ? evidence.words[index] : null) ?? wordOf(word, found)),
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
