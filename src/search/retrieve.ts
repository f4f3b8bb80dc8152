import type { Database } from '../database/client.ts';
import { fold } from '../text/fold.ts';
import { type QueryWord, queryWords, termsOf, wordSpans } from '../text/lexemes.ts';
import { letterSpansOf, piecesOf } from '../text/unspaced.ts';
import { type Correct, searchPassageRows } from './passages.ts';
import { rarestWords } from './rarest.ts';
import { similarTerms } from './similar-terms.ts';
import type { FoundPassage } from './types.ts';

export type Search = {
  workspaceId: string;
  baseIds: string[];
  query: string;
  limit: number;
  /** Limits the search to these sources; null or omitted: all. */
  sourceIds?: string[] | null;
  /** Leaves out the passages of this source, as if it did not exist; statistics of words still count them. */
  exceptSourceId?: string | null;
  /** False ranks every passage with any word of the query: for evaluation, not for answering. */
  onlyAbout?: boolean;
};
/** `start` and `end` in UTF-16 code units, as in `text.slice(start, end)`. */
export type Highlight = { start: number; end: number };
/**
 * `highlights` returns the positions of the words that matched, in order. `rarities`: of the query's words in the
 * workspace, the same for all passages of a result; a word that no passage contains is the rarest.
 */
export type SearchHit = FoundPassage & { highlights(): Highlight[]; rarities?: ReadonlyMap<string, number> };

/**
 * A passage must contain this share of the query's words, weighted by their rarity in the workspace; for a long query
 * about two rare words suffice.
 */
const minShare = 0.25;
/** For a query of stop words only, nearly all must match: "Who are we?" */
const minShareOfGrammar = 0.9;

/**
 * Returns the passages of the given bases that answer a question, best first, at most `limit`; none if nothing is
 * relevant. Words that no passage contains match similar ones and, only if nothing was found, words that they are a
 * prefix of. Scores are comparable within one result only.
 */
export async function searchPassages(database: Database, search: Search): Promise<SearchHit[]> {
  const { workspaceId, baseIds, query } = search;
  const queryTerms = queryWords(query);
  if (!queryTerms.length || !baseIds.length) return [];
  const words = await rarestWords(database, workspaceId, queryTerms);
  const share = words.every(({ isGrammar }) => isGrammar) ? minShareOfGrammar : minShare;
  const rule = { ...search, minShare: search.onlyAbout === false ? 0 : share };
  const correct: Correct = async (unknown, runs, isFound) => {
    const similar = await similarTerms(database, { workspaceId, runs, begun: !isFound }, unknown);
    return similar.size > 0 ? words.map((word) => ({ ...word, terms: similar.get(word.word) ?? word.terms })) : null;
  };
  const { passages, words: searched, rarities } = await searchPassageRows(database, rule, words, correct);
  const rarityOf = new Map(searched.map(({ word }, index) => [word, rarities[index] as number]));
  return passages.map((passage) => ({ ...markWords(passage, searched), rarities: rarityOf }));
}

/** Adds to a passage a method that locates the words in its text. */
export function markWords<Passage extends { text: string }>(passage: Passage, words: QueryWord[]) {
  const searchTerms = new Set(words.flatMap(({ terms }) => terms));
  const letters = new Set(words.flatMap(({ word, isPair }) => (isPair && isOneLetter(word) ? word : [])));
  const highlights = (): Highlight[] => {
    const marked = wordSpans(passage.text).filter(({ word }) => termsOf(word).some((term) => searchTerms.has(term)));
    if (letters.size === 0) return mergeSpans(marked);
    const single = letterSpansOf(passage.text).filter(({ text }) => letters.has(piecesOf(fold(text))[0] ?? ''));
    return mergeSpans([...marked, ...single].toSorted((a, b) => a.start - b.start));
  };
  return { ...passage, highlights };
}

const isOneLetter = (word: string): boolean => /^.$/u.test(word);

/** Merges overlapping words, such as the bigrams of unspaced scripts. */
function mergeSpans(spans: Highlight[]): Highlight[] {
  const merged: Highlight[] = [];
  for (const { start, end } of spans) {
    const last = merged.at(-1);
    if (last && start < last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}
