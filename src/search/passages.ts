import type { Transaction } from '../database/client.ts';
import type { QueryWord } from '../text/lexemes.ts';
import { addWords, readPassageEvidence } from './passage-evidence.ts';
import { type Ranked, rank } from './rank.ts';
import { formsDepth, preferSameForms } from './same-forms.ts';
import { maxSegmentSize, writePassages } from './segment-writer.ts';
import { mergeSegments } from './segments.ts';
import type { FoundPassage, PassageRow } from './types.ts';

type Queries = Pick<Transaction, '$queryRaw' | '$executeRaw' | '$executeRawUnsafe'>;

type PassageSearch = {
  workspaceId: string;
  baseIds: string[];
  limit: number;
  sourceIds?: string[] | null;
  exceptSourceId?: string | null;
  /** See `RankOptions`. */
  minShare: number;
};

/** Writes and indexes passages, in the caller's transaction. */
export async function insertPassages(tx: Queries, passages: PassageRow[]): Promise<void> {
  const bases = Map.groupBy(passages, ({ workspaceId, baseId }) => `${workspaceId} ${baseId}`);
  for (const rows of bases.values()) {
    for (let start = 0; start < rows.length; start += maxSegmentSize) {
      await writePassages(tx, { draft: null }, rows.slice(start, start + maxSegmentSize));
    }
    await mergeSegments(tx, rows[0] as PassageRow);
  }
}

/**
 * The words of a query, with other terms for those that no passage of the workspace contains; null if there are none.
 */
export type Correct = (unknown: QueryWord[], runs: number[], isFound: boolean) => Promise<QueryWord[] | null>;

/**
 * Returns the passages of these bases that match enough of the query, best first, by BM25 with the workspace's
 * statistics and by the forms of the words (see `preferSameForms`), and the words that were searched for, with their
 * rarity. `correct` is called if no passage of the workspace contains some words.
 */
export async function searchPassageRows(
  database: Queries,
  search: PassageSearch,
  words: QueryWord[],
  correct: Correct = async () => null,
): Promise<{ passages: FoundPassage[]; words: QueryWord[]; rarities: number[] }> {
  const wide = { ...search, limit: Math.max(search.limit, formsDepth) };
  // Passages may be removed or moved between the reads: then search again.
  for (let tries = 1; ; tries++) {
    const { ranked, words: searched, rarities } = await rankWords(database, wide, words, correct);
    const passages = await readPassages(database, search, ranked);
    if (passages.length < ranked.length && tries < 3) continue;
    const best = preferSameForms(passages, searched, rarities).slice(0, search.limit);
    return { passages: best, words: searched, rarities };
  }
}

async function rankWords(
  database: Queries,
  search: PassageSearch,
  words: QueryWord[],
  correct: Correct,
): Promise<{ ranked: Ranked[]; words: QueryWord[]; rarities: number[] }> {
  const evidence = await readPassageEvidence(database, search, words);
  const { best, held, rarities } = rank(evidence, search);
  const unknown = words.filter((_, index) => held[index] === 0);
  const runs = evidence.runs.map(({ number }) => number);
  const corrected = unknown.length > 0 ? await correct(unknown, runs, best.length > 0) : null;
  if (!corrected) return { ranked: best, words, rarities };
  // Only the postings of the new terms are missing, unless runs have been joined meanwhile.
  const added = await addWords(database, search, evidence, words, corrected);
  const all = added ?? (await readPassageEvidence(database, search, corrected));
  const again = rank(all, search);
  return { ranked: again.best, words: corrected, rarities: again.rarities };
}

/** Reads the ranked passages in order, as far as they still exist. */
async function readPassages(
  database: Queries,
  { workspaceId, baseIds }: PassageSearch,
  best: Ranked[],
): Promise<FoundPassage[]> {
  if (!best.length) return [];
  // The base is compared afterwards: a planner without statistics would also scan the index of the whole base.
  const [segments, slots] = [best.map(({ segment }) => segment), best.map(({ slot }) => slot)];
  const rows = await database.$queryRaw<(Omit<FoundPassage, 'score'> & { n: number })[]>`
    SELECT n::int, "id", "baseId", "sourceId", "text", "place"
    FROM unnest(${segments}::bigint[], ${slots}::int[]) WITH ORDINALITY AS best(segment, slot, n)
    CROSS JOIN LATERAL (
      SELECT * FROM "Passage" WHERE "Passage"."workspaceId" = ${workspaceId}
        AND "Passage"."segment" = best.segment AND "Passage"."slot" = best.slot OFFSET 0
    ) AS passage
    WHERE "baseId" = ANY (${baseIds}) ORDER BY n`;
  return rows.map(({ n, ...passage }) => ({ ...passage, score: (best[n - 1] as Ranked).score }));
}
