import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { readConfig } from '../../src/config/config.ts';
import type { Services } from '../../src/context.ts';
import type { DatabaseHandle } from '../../src/database/client.ts';
import { embedSource } from '../../src/domain/knowledge/embedding.ts';
import { createLog } from '../../src/http/log/request-log.ts';
import { createEmbeddings } from '../../src/knowledge/embedder.ts';
import { createReranker } from '../../src/knowledge/reranker.ts';
import { searchHybrid } from '../../src/search/hybrid.ts';
import { type Search, searchPassages } from '../../src/search/retrieve.ts';
import { type Collection, documentsOf, ndcgAt10, recallAt100 } from './beir.ts';
import { percentile, withDatabase } from './database.ts';
import { depth, ingest } from './measure.ts';
import { readFolder } from './variants.ts';

type Find = (search: Search) => Promise<{ id: string }[]>;
type Means = { ndcgAt10: number; recallAt100: number; times: number[] };

/**
 * Returns a Markdown table that compares retrieval by words, by vectors, by both and reranked on collections, with the
 * models that `env` configures as the gateway's own settings; null if it configures none. Throws if a model fails,
 * whose questions the gateway would answer without it.
 */
export async function compareModels(
  folders: string[],
  server: string | undefined,
  env: Record<string, string | undefined>,
): Promise<string | null> {
  const { EMBEDDING_MODEL, RERANK_MODEL } = env;
  if (!EMBEDDING_MODEL && !RERANK_MODEL) return null;
  const lines: string[] = [];
  for (const folder of folders) {
    const collection = readFolder(folder);
    await withDatabase(server, async (handle) => {
      for (const [name, means] of await compare(handle, collection, env)) {
        lines.push(line(path.basename(folder, '.json'), name, means));
      }
    });
  }
  const models = [EMBEDDING_MODEL, RERANK_MODEL].map((model) => model?.split('?')[0]).filter(Boolean);
  return [`Models: ${models.join(', ')}.`, '', head, ...lines].join('\n');
}

const head = `| collection | by | nDCG@10 | recall@100 | p50 ms | p95 ms |
|---|---|--:|--:|--:|--:|`;

function line(folder: string, name: string, { ndcgAt10, recallAt100, times }: Means): string {
  const cells = [folder, name, ndcgAt10.toFixed(3), recallAt100.toFixed(3)];
  return `| ${[...cells, percentile(times, 50), percentile(times, 95)].join(' | ')} |`;
}

async function compare(
  handle: DatabaseHandle,
  { documents, queries, judged }: Collection,
  env: Record<string, string | undefined>,
): Promise<[string, Means][]> {
  const { embedding, rerank } = readConfig(env);
  const log = createLog('warn');
  const database = handle.client;
  const { workspaceId, baseId, documentOf } = await ingest(database, documents);
  const embeddings = embedding && createEmbeddings({ settings: embedding, handle, log, questionMs: modelMs });
  const reranker = rerank && createReranker({ settings: rerank, log, questionMs: modelMs });
  if (embeddings) {
    const sources = await database.source.findMany({ where: { baseId }, select: { id: true, revision: true } });
    const services = { database, embeddings, log } as Services;
    for (const { id, revision } of sources) {
      await embedSource(services, { workspaceId, sourceId: id, revision }, AbortSignal.timeout(embeddingMs));
    }
  }
  const ways: [string, Find | null][] = [
    ['words', (search) => searchPassages(database, search)],
    ['vectors', embeddings && (async (search) => (await embeddings.near(search)) ?? failed('embedding'))],
    ['words and vectors', embeddings && ((search) => searchHybrid({ database, embeddings }, search))],
    [
      'reranked',
      reranker && ((search) => searchHybrid({ database, embeddings, reranker: insisting(reranker) }, search)),
    ],
  ];
  const results: [string, Means][] = [];
  for (const [name, find] of ways) {
    if (!find) continue;
    const means: Means = { ndcgAt10: 0, recallAt100: 0, times: [] };
    for (const { id, text: query } of queries) {
      const start = performance.now();
      const found = await find({ workspaceId, baseIds: [baseId], query, limit: depth, onlyAbout: false });
      means.times.push(performance.now() - start);
      const ranked = documentsOf(found.map((passage) => documentOf(passage.id)));
      const wanted = judged.get(id) ?? new Map<string, number>();
      means.ndcgAt10 += ndcgAt10(ranked, wanted) / queries.length;
      means.recallAt100 += recallAt100(ranked, wanted) / queries.length;
    }
    results.push([name, means]);
  }
  return results;
}

/** Time limits in milliseconds: quality is compared, so that a slow model is waited for. */
const modelMs = 60_000;
const embeddingMs = 3_600_000;

/** A reranker whose failure is an error, instead of the order that there is without it. */
const insisting = ({ rerank }: ReturnType<typeof createReranker>): ReturnType<typeof createReranker> => ({
  rerank: async (query, texts) => (texts.length < 2 ? null : ((await rerank(query, texts)) ?? failed('reranking'))),
});

function failed(kind: string): never {
  throw new Error(`The ${kind} model did not answer: the reason is logged above.`);
}
