import type { Database } from '../database/client.ts';
import { type QueryWord, queryWords, termsOf, wordSpans } from '../text/lexemes.ts';
import { type FoundPassage, searchPassageRows } from './passages.ts';
import { rarestWords } from './rarest.ts';
import { similarTerms } from './similar-terms.ts';

export type Search = {
  workspaceId: string;
  baseIds: string[];
  query: string;
  limit: number;
  /** The sources of these bases to search; null or left out: all. */
  sourceIds?: string[] | null;
  /** False ranks every passage that holds any word of the question: to measure, not to answer from. */
  onlyAbout?: boolean;
};
/** `start` and `end` in UTF-16 units of the text, as `text.slice(start, end)` has it. */
export type Highlight = { start: number; end: number };
/** `highlights` finds the words of the text that the passage was found by, in order. */
export type SearchHit = FoundPassage & { highlights(): Highlight[] };

/**
 * A passage must hold this share of the question's words, each weighed by how rare it is in the workspace; of a long
 * question about two rare words are enough.
 */
const leastShare = 0.3;
/** Of a question of words of grammar alone, it must hold nearly all: "Who are we?" */
const leastOfGrammar = 0.9;

/**
 * What an agent may answer a question from: the best passages of the bases given, best first, at most `limit`, and none
 * where nothing is about it. Words that no passage holds count as those that they nearly are, and only where nothing was found
 * as those that they begin. Scores compare within one answer only.
 */
export async function searchPassages(database: Database, search: Search): Promise<SearchHit[]> {
  const { workspaceId, baseIds, query } = search;
  const asked = queryWords(query);
  if (!asked.length || !baseIds.length) return [];
  const words = await rarestWords(database, workspaceId, asked);
  const least = words.every(({ isGrammar }) => isGrammar) ? leastOfGrammar : leastShare;
  const rule = { ...search, leastShare: search.onlyAbout === false ? 0 : least };
  const { passages, unknown, runs } = await searchPassageRows(database, rule, words);
  if (!unknown.length) return mark(passages, words);
  const similar = await similarTerms(database, { workspaceId, runs, begun: passages.length === 0 }, unknown);
  if (!similar.size) return mark(passages, words);
  const meant = words.map((word) => ({ ...word, terms: similar.get(word.word) ?? word.terms }));
  return mark((await searchPassageRows(database, rule, meant)).passages, meant);
}

const mark = (passages: FoundPassage[], words: QueryWord[]): SearchHit[] =>
  passages.map((passage) => markWords(passage, words));

/** A passage that can tell where in its text the words stand. */
export function markWords<Passage extends { text: string }>(passage: Passage, words: QueryWord[]) {
  const sought = new Set(words.flatMap(({ terms }) => terms));
  const highlights = (): Highlight[] =>
    joinSpans(wordSpans(passage.text).filter(({ word }) => termsOf(word).some((term) => sought.has(term))));
  return { ...passage, highlights };
}

/** Words that share a letter, as they do where no spaces part them, are one. */
function joinSpans(spans: Highlight[]): Highlight[] {
  const joined: Highlight[] = [];
  for (const { start, end } of spans) {
    const last = joined.at(-1);
    if (last && start < last.end) last.end = end;
    else joined.push({ start, end });
  }
  return joined;
}
