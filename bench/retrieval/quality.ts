import { readCollection } from './beir.ts';
import { percentile, withDatabase } from './database.ts';
import { measure } from './measure.ts';

/** How good and how fast search is on a collection, on PostgreSQL or, without a server, on the embedded database. */
export async function measureQuality(folder: string, server: string | undefined): Promise<string> {
  let text = '';
  await withDatabase(server, async ({ client, kind }) => {
    const result = await measure(client, readCollection(folder));
    const perSecond = 1000 / (result.times.reduce((sum, time) => sum + time, 0) / result.times.length);
    const three = (value: number) => value.toFixed(3);
    text = `${folder} on ${kind}: ${result.documents} documents, ${result.passages} passages, ${result.queries} queries
nDCG@10      ${three(result.ndcgAt10)}   (the reference BM25: ${three(result.reference.ndcgAt10)})
recall@100   ${three(result.recallAt100)}   (the reference BM25: ${three(result.reference.recallAt100)})
queries/s    ${Math.round(perSecond)}   p50 ${percentile(result.times, 50)} ms, p95 ${percentile(result.times, 95)} ms
passages/s   ${Math.round(result.passagesPerSecond)}`;
  });
  return text;
}
