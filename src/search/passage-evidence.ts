import type { Transaction } from '../database/client.ts';
import { sql } from '../database/sql.ts';
import type { QueryWord } from '../text/lexemes.ts';
import { type Read, readEvidence, readTerms } from './evidence.ts';
import { passageIndex as index } from './word-index.ts';

type Queries = Pick<Transaction, '$queryRaw'>;
/** What a search asks. */
type Scope = { workspaceId: string; baseIds: string[]; sourceIds?: string[] | null; exceptSourceId?: string | null };

/** Reads what the index contains of the words; in other bases than these, they are only counted. */
export function readPassageEvidence(
  database: Queries,
  { workspaceId, baseIds, sourceIds = null, exceptSourceId = null }: Scope,
  words: QueryWord[],
): Promise<Read> {
  const tables = sql`part AS MATERIALIZED (
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
    )`;
  return readEvidence(database, { index, workspaceId, tables }, words);
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
  const numbers = runs.map(({ number }) => number);
  const tables = sql`run AS MATERIALIZED (
      SELECT number, number = ANY (${[...sent]}::bigint[]) AS sent FROM unnest(${numbers}::bigint[]) AS number
    )`;
  const head = sql`string_agg(DISTINCT coalesce("run", "number")::text, ' ') AS packed, NULL AS also
    FROM "PassageSegment" WHERE "workspaceId" = ${workspaceId} AND "draft" IS NULL`;
  const isRead = (word: QueryWord, at: number) => word.terms === words[at]?.terms;
  const fresh = changed.filter((word, at) => !isRead(word, at));
  const read = await readTerms(database, { index, workspaceId, tables, head }, fresh);
  const current = (read.packed ?? '').split(' ').filter(Boolean).map(Number);
  if (current.length !== numbers.length || !new Set(current).isSubsetOf(new Set(numbers))) return null;
  const added = read.wordsOf(changed, sent);
  return {
    ...evidence,
    words: added.map((word, at) => (isRead(changed[at] as QueryWord, at) ? evidence.words[at] : null) ?? word),
  };
}
