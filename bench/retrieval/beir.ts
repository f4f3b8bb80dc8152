import { readFileSync } from 'node:fs';
import { join } from 'node:path';

type Document = { id: string; title: string; text: string };
export type Collection = {
  documents: Document[];
  /** Only those with relevance judgements. */
  queries: { id: string; text: string }[];
  /** The relevance of documents, by query id. */
  judged: Map<string, Map<string, number>>;
};

/** Reads a folder in the BEIR format: corpus.jsonl, queries.jsonl, qrels/test.tsv. */
export function readCollection(folder: string): Collection {
  const judged = new Map<string, Map<string, number>>();
  for (const line of linesOf(folder, 'qrels/test.tsv').slice(1)) {
    const [query = '', document = '', relevance = '0'] = line.split('\t');
    if (!judged.has(query)) judged.set(query, new Map());
    judged.get(query)?.set(document, Number(relevance));
  }
  type Line = { _id: string; title?: string; text: string };
  const read = (file: string) => linesOf(folder, file).map((line) => JSON.parse(line) as Line);
  return {
    documents: read('corpus.jsonl').map(({ _id, title = '', text }) => ({ id: _id, title, text })),
    queries: read('queries.jsonl')
      .map(({ _id, text }) => ({ id: _id, text }))
      .filter(({ id }) => judged.has(id)),
    judged,
  };
}

const linesOf = (folder: string, file: string) =>
  readFileSync(join(folder, file), 'utf8')
    .split('\n')
    .filter((line) => line.trim());

/** nDCG@10 as in trec_eval: the gain is the relevance, discounted by log2(rank + 1). */
export function ndcgAt10(ranking: string[], judged: Map<string, number>): number {
  const gainOf = (relevances: number[]) =>
    relevances.slice(0, 10).reduce((sum, relevance, rank) => sum + relevance / Math.log2(rank + 2), 0);
  const ideal = gainOf([...judged.values()].sort((x, y) => y - x));
  return ideal > 0 ? gainOf(ranking.map((id) => judged.get(id) ?? 0)) / ideal : 0;
}

/** The share of relevant documents that are among the first hundred. */
export function recallAt100(ranking: string[], judged: Map<string, number>): number {
  const relevant = [...judged].filter(([, relevance]) => relevance > 0).map(([id]) => id);
  const found = new Set(ranking.slice(0, 100));
  return relevant.length > 0 ? relevant.filter((id) => found.has(id)).length / relevant.length : 0;
}

/** Deduplicates documents, each at the rank of its best passage. */
export const documentsOf = (passages: string[]): string[] => [...new Set(passages)];
