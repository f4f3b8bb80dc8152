import type { Database } from '../database/client.ts';
import { queryWords } from '../text/lexemes.ts';
import { markWords, type Search, type SearchHit, searchPassages } from './retrieve.ts';
import type { Embeddings } from './types.ts';

/**
 * A passage with how it was found. `score` is BM25 where only words were looked for, else the sum of 1 / (60 + place)
 * over the lists that it is in. `wordScore` (BM25) and `similarity` (cosine) are null where the list has it not.
 */
export type HybridFound = SearchHit & { wordScore: number | null; similarity: number | null };

/** What reciprocal rank fusion adds to each place (Cormack et al., 2009): one list's best does not beat both lists' good. */
const k = 60;
/** Each list is read at least so far: what is in the middle of both may be the best of all. */
const depth = 50;

type Means = { database: Database; embeddings: Embeddings | null };

/**
 * What an agent may answer a question from, best first, at most `limit`: by the words of the question, and where a model
 * and the database can tell, by what it means. Either finds alone when the other finds nothing or is out of order.
 */
export async function searchHybrid({ database, embeddings }: Means, search: Search): Promise<HybridFound[]> {
  const { query, limit, baseIds } = search;
  if (limit === 0) return [];
  if (!embeddings || !query.trim() || baseIds.length === 0) return byWords(await searchPassages(database, search));
  const [worded, near] = await Promise.all([
    searchPassages(database, { ...search, limit: Math.max(limit, depth) }),
    embeddings.near({ ...search, limit: Math.max(limit, depth) }),
  ]);
  if (near === null) return byWords(worded.slice(0, limit));
  const words = queryWords(query);
  const found = new Map<string, HybridFound>();
  for (const [place, passage] of worded.entries()) {
    found.set(passage.id, { ...passage, score: 1 / (k + place + 1), wordScore: passage.score, similarity: null });
  }
  for (const [place, { similarity, ...passage }] of near.entries()) {
    const known = found.get(passage.id);
    const score = (known?.score ?? 0) + 1 / (k + place + 1);
    const marked = known ?? { ...markWords({ ...passage, score }, words), wordScore: null };
    found.set(passage.id, { ...marked, score, similarity });
  }
  return [...found.values()].sort((a, b) => b.score - a.score).slice(0, limit);
}

const byWords = (found: SearchHit[]): HybridFound[] =>
  found.map((passage) => ({ ...passage, wordScore: passage.score, similarity: null }));
