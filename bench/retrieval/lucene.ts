import { analyze } from '../../src/search/analysis.ts';
import type { PassageLocation } from '../../src/search/types.ts';
import { queryWords } from '../../src/text/lexemes.ts';

export type Text = { id: string; text: string; place: PassageLocation };

/**
 * BM25 as in Lucene's BM25Similarity (since 8.0, without the constant factor k1 + 1), implemented naively: every text
 * is scored for every term. Only the analysis is the gateway's own. A reference for comparison.
 */
export async function createReference(texts: Text[], { k1 = 1.2, b = 0.75 } = {}) {
  const documents = await analyze(texts);
  const average = documents.reduce((sum, { words }) => sum + words, 0) / documents.length;
  return (query: string, limit: number): { id: string; score: number }[] => {
    const scores = documents.map(() => 0);
    for (const { terms, weight } of queryWords(query)) {
      const counts = documents.map((document) => terms.map((term) => document.terms.get(term) ?? 0).find(Boolean) ?? 0);
      const frequency = counts.filter(Boolean).length;
      const idf = Math.log(1 + (documents.length - frequency + 0.5) / (frequency + 0.5));
      for (const [index, count] of counts.entries()) {
        const length = documents[index]?.words ?? 0;
        const normalized = count / (count + k1 * (1 - b + b * (length / average)));
        scores[index] = (scores[index] ?? 0) + weight * idf * normalized;
      }
    }
    return scores
      .map((score, index) => ({ id: texts[index]?.id ?? '', score }))
      .filter(({ score }) => score > 0)
      .sort((x, y) => y.score - x.score)
      .slice(0, limit);
  };
}
