import { performance } from 'node:perf_hooks';
import { type Database, transact } from '../../src/database/client.ts';
import { newId } from '../../src/database/ids.ts';
import { splitPassages } from '../../src/knowledge/chunk.ts';
import { insertPassages } from '../../src/search/passages.ts';
import { searchPassages } from '../../src/search/retrieve.ts';
import { type Collection, documentsOf, ndcgAt10, recallAt100 } from './beir.ts';
import { createReference, type Text } from './lucene.ts';
import { createTsRank } from './ts-rank.ts';

/** Means over the queries; times in milliseconds. */
export type Measured = {
  documents: number;
  passages: number;
  passagesPerSecond: number;
  queries: number;
  ndcgAt10: number;
  recallAt100: number;
  times: number[];
  /** The same passages, ranked by the reference. */
  reference: { ndcgAt10: number; recallAt100: number };
  /** The same passages, ranked by PostgreSQL's ts_rank; null if not requested. */
  tsRank: { ndcgAt10: number } | null;
};

/** `configuration`: the text search configuration of PostgreSQL to compare with; without it, there is no comparison. */
export type MeasureOptions = { configuration?: string };

const documentsOfSource = 500;
/** Passages of one document count as one result, so more passages are requested than documents are counted. */
export const depth = 300;

/** Splits, indexes and searches a collection as the gateway does, in a workspace of its own. */
export async function measure(
  database: Database,
  { documents, queries, judged }: Collection,
  { configuration }: MeasureOptions = {},
): Promise<Measured> {
  const { workspaceId, baseId, texts, took, documentOf } = await ingest(database, documents);
  const reference = await createReference(texts);
  const tsRank = configuration ? await createTsRank(database, texts, configuration) : null;
  let tsRanked = 0;
  const results = { ours: { ndcg: 0, recall: 0 }, reference: { ndcg: 0, recall: 0 } };
  const times: number[] = [];
  for (const { id, text } of queries) {
    const start = performance.now();
    const found = await searchPassages(database, {
      workspaceId,
      baseIds: [baseId],
      query: text,
      limit: depth,
      onlyAbout: false,
    });
    times.push(performance.now() - start);
    const wanted = judged.get(id) ?? new Map<string, number>();
    const ours = documentsOf(found.map((passage) => documentOf(passage.id)));
    const theirs = documentsOf(reference(text, depth).map((passage) => documentOfKey(passage.id)));
    const ranked = documentsOf(((await tsRank?.(text, depth)) ?? []).map(documentOfKey));
    tsRanked += ndcgAt10(ranked, wanted) / queries.length;
    results.ours.ndcg += ndcgAt10(ours, wanted) / queries.length;
    results.ours.recall += recallAt100(ours, wanted) / queries.length;
    results.reference.ndcg += ndcgAt10(theirs, wanted) / queries.length;
    results.reference.recall += recallAt100(theirs, wanted) / queries.length;
  }
  return {
    documents: documents.length,
    passages: texts.length,
    passagesPerSecond: texts.length / (took / 1000),
    queries: queries.length,
    ndcgAt10: results.ours.ndcg,
    recallAt100: results.ours.recall,
    times,
    reference: { ndcgAt10: results.reference.ndcg, recallAt100: results.reference.recall },
    tsRank: tsRank && { ndcgAt10: tsRanked },
  };
}

const documentOfKey = (key: string): string => key.split('\t')[0] as string;

/**
 * Indexes documents in a workspace of their own. Returns its texts, how long that took in milliseconds, and the
 * document of a passage, by the id of each.
 */
export async function ingest(database: Database, documents: Collection['documents']) {
  /** The key of a passage, by its source and position. */
  const places = new Map<string, string>();
  const [workspaceId, baseId] = [newId('workspace'), newId('base')];
  await database.workspace.create({ data: { id: workspaceId, name: 'Retrieval' } });
  await database.base.create({ data: { id: baseId, workspaceId, description: 'Retrieval' } });
  const texts: Text[] = [];
  let took = 0;
  for (let first = 0; first < documents.length; first += documentsOfSource) {
    const sourceId = newId('source');
    await database.source.create({ data: { id: sourceId, workspaceId, baseId, type: 'file', status: 'succeeded' } });
    const start = performance.now();
    const passages = documents
      .slice(first, first + documentsOfSource)
      .flatMap(({ id, title, text }) =>
        splitPassages([{ ...(title && { heading: title }), text: text || title }]).map((passage) => ({
          ...passage,
          document: id,
        })),
      )
      .map((passage, position) => ({ ...passage, position }));
    await transact(database, (tx) =>
      insertPassages(
        tx,
        passages.map(({ text, place, position }) => ({ workspaceId, baseId, sourceId, position, text, place })),
      ),
    );
    took += performance.now() - start;
    for (const { document, position, text, place } of passages) {
      const id = `${document}\t${texts.length}`;
      places.set(`${sourceId} ${position}`, id);
      texts.push({ id, text, place });
    }
  }
  const rows = await database.passage.findMany({
    where: { baseId },
    select: { id: true, sourceId: true, position: true },
  });
  const keys = new Map(rows.map(({ id, sourceId, position }) => [id, places.get(`${sourceId} ${position}`) ?? '']));
  const documentOf = (passageId: string): string => documentOfKey(keys.get(passageId) ?? '');
  return { workspaceId, baseId, texts, took, documentOf };
}
