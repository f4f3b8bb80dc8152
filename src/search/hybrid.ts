import type { Database } from '../database/client.ts';
import { queryWords } from '../text/lexemes.ts';
import { markWords, type Search, type SearchHit, searchPassages } from './retrieve.ts';
import type { Embeddings, PassageLocation, Reranker } from './types.ts';

/**
 * A passage with its scores. `score` is BM25 if only words were searched, otherwise the sum of 1 / (60 + rank) over
 * both lists. `wordScore` (BM25) and `similarity` (cosine) are null if that list does not contain the passage.
 * `rerankScore` is that of the reranking model, which decides the order; null where it was not asked.
 */
export type HybridHit = SearchHit & {
  wordScore: number | null;
  similarity: number | null;
  rerankScore: number | null;
};

/**
 * The constant of reciprocal rank fusion (Cormack et al., 2009): one list's best result does not beat good ranks in
 * both.
 */
const k = 60;
/** The minimum depth of each list: a result in the middle of both may be the best overall. */
const depth = 50;

/** How many of the best passages the reranking model orders. */
const reranked = 50;

type Dependencies = { database: Database; embeddings: Embeddings | null; reranker?: Reranker | null };

/**
 * Returns the passages that answer a question, best first, at most `limit`: by its words and, where embeddings are
 * available, by its meaning; a reranking model, where there is one, decides the order. A passage needs to be in only
 * one of the lists. If the embeddings fail, the words alone decide; if the reranking model fails, the fused order
 * stays.
 */
export async function searchHybrid({ reranker, ...dependencies }: Dependencies, search: Search): Promise<HybridHit[]> {
  const { query, limit } = search;
  if (limit === 0) return [];
  if (!reranker) return searchFused(dependencies, search);
  const found = await searchFused(dependencies, { ...search, limit: Math.max(limit, reranked) });
  const [best, rest] = [found.slice(0, reranked), found.slice(reranked)];
  const scores = await reranker.rerank(query, best.map(textOf));
  if (!scores) return found.slice(0, limit);
  const scored = best.map((passage, index) => ({ ...passage, rerankScore: scores[index] ?? null }));
  return [...scored.sort((a, b) => (b.rerankScore ?? 0) - (a.rerankScore ?? 0)), ...rest].slice(0, limit);
}

/** A passage with what says what it is about. */
const textOf = ({ text, place }: { text: string; place: PassageLocation }): string =>
  [place.title, place.heading, place.question, text].filter(Boolean).join('\n');

async function searchFused(
  { database, embeddings }: Omit<Dependencies, 'reranker'>,
  search: Search,
): Promise<HybridHit[]> {
  const { query, limit, baseIds } = search;
  if (!embeddings || !query.trim() || baseIds.length === 0) return byWords(await searchPassages(database, search));
  const [worded, near] = await Promise.all([
    searchPassages(database, { ...search, limit: Math.max(limit, depth) }),
    embeddings.near({ ...search, limit: Math.max(limit, depth) }),
  ]);
  if (near === null) return byWords(worded.slice(0, limit));
  const words = queryWords(query);
  const found = new Map<string, HybridHit>();
  for (const [rank, passage] of worded.entries()) {
    found.set(passage.id, {
      ...passage,
      score: 1 / (k + rank + 1),
      wordScore: passage.score,
      similarity: null,
      rerankScore: null,
    });
  }
  for (const [rank, { similarity, ...passage }] of near.entries()) {
    const existing = found.get(passage.id);
    const score = (existing?.score ?? 0) + 1 / (k + rank + 1);
    const marked = existing ?? { ...markWords({ ...passage, score }, words), wordScore: null, rerankScore: null };
    found.set(passage.id, { ...marked, score, similarity });
  }
  return [...found.values()].sort((a, b) => b.score - a.score).slice(0, limit);
}

const byWords = (found: SearchHit[]): HybridHit[] =>
  found.map((passage) => ({ ...passage, wordScore: passage.score, similarity: null, rerankScore: null }));
