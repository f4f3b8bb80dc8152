import type { Database } from '../database/client.ts';
import { type FoundPassage, type PassageSearch, searchPassageRows } from '../database/passages.ts';

/**
 * What an agent may answer a question from: the best passages of the bases given, best first, at most `limit`, and none
 * where nothing is about it. Scores compare within one answer only.
 */
export function searchPassages(database: Database, search: PassageSearch): Promise<FoundPassage[]> {
  return searchPassageRows(database, search);
}
