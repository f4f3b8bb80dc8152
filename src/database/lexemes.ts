import type { Transaction } from './client.ts';
import { stopWords } from './stop-words.ts';
import { fold } from './text.ts';

type Queries = Pick<Transaction, '$queryRaw'>;

/** The words of a text that carry meaning, in order: without case and accents, in Portuguese, English and Spanish. */
export function wordsOf(text: string): string[] {
  const words = fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !stopWords.has(word)).map((word) => word.slice(0, 60).toWellFormed());
}

/**
 * For each word its stems in the three languages, since nobody says in which one a text is: what an index holds of it.
 * Two words are taken for one when they share any.
 */
export async function lexemesOf(database: Queries, words: Iterable<string>): Promise<Map<string, string[]>> {
  const distinct = [...new Set(words)];
  // The stemmers want the accents back where folding took the one of a frequent ending (-ção, -ções, -ción).
  const rows = await database.$queryRaw<{ word: string; stems: string[] }[]>`
    SELECT word, ts_lexize('english_stem', word)
      || ts_lexize('portuguese_stem', regexp_replace(regexp_replace(word, 'cao$', 'ção'), 'coes$', 'ções'))
      || ts_lexize('spanish_stem', regexp_replace(word, 'cion$', 'ción')) AS stems
    FROM unnest(${distinct}::text[]) AS word`;
  return new Map(
    rows.map(({ word, stems }) => [word, [...new Set(stems.length ? stems.map((stem) => fold(stem)) : [word])]]),
  );
}
