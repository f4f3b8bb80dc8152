import type { Database } from '../database/client.ts';
import { queryWords } from '../database/lexemes.ts';
import { type FoundPassage, searchPassageRows } from '../database/passages.ts';

export type Search = { workspaceId: string; baseIds: string[]; query: string; limit: number };

/**
 * A passage must hold this share of the question's words, each weighed by how rare it is in the workspace; of a long
 * question about two rare words are enough.
 */
const leastShare = 0.3;

/**
 * What an agent may answer a question from: the best passages of the bases given, best first, at most `limit`, and none
 * where nothing is about it. Scores compare within one answer only.
 */
export async function searchPassages(database: Database, { query, ...search }: Search): Promise<FoundPassage[]> {
  const words = queryWords(query);
  if (!words.length || !search.baseIds.length) return [];
  const { passages } = await searchPassageRows(database, { ...search, leastShare }, words);
  return passages;
}
