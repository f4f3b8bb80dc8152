import { createHash } from 'node:crypto';
import { type Database, type Transaction, transact } from '../database/client.ts';
import type { NearPassage, PassageLocation } from './types.ts';
import { inSpace, type Space, vectorOf } from './vectors.ts';

type Queries = Pick<Transaction, '$queryRaw' | '$executeRaw' | '$queryRawUnsafe'>;
type SourceKey = { workspaceId: string; baseId: string; id: string };

/** A passage without an embedding, and the text to embed. */
export type UnembeddedPassage = { id: string; position: number; content: string; hash: string };

/** The text is cut at this length: a model would reject more than its limit. */
const maxCharacters = 8_000;

/** Returns the passages of a source after this position that the model has not embedded, in order. */
export async function unembeddedPassages(
  database: Queries,
  { workspaceId, id }: SourceKey,
  model: string,
  { after, limit }: { after: number; limit: number },
): Promise<UnembeddedPassage[]> {
  const rows = await database.$queryRaw<{ id: string; position: number; text: string; place: PassageLocation }[]>`
    SELECT "id", "position", "text", "place" FROM "Passage"
    WHERE "workspaceId" = ${workspaceId} AND "sourceId" = ${id} AND "position" > ${after} AND NOT EXISTS (
      SELECT FROM "PassageEmbedding"
      WHERE "workspaceId" = ${workspaceId} AND "passageId" = "Passage"."id" AND "model" = ${model}
    ) AND NOT EXISTS (
      SELECT FROM "PassageSegment" AS part
      WHERE part."workspaceId" = ${workspaceId} AND part."number" = "Passage"."segment" AND part."draft" IS NOT NULL
    ) ORDER BY "position" LIMIT ${limit}`;
  return rows.map(({ id, position, text, place: { question, heading } }) => {
    const content = [question, heading, text].filter(Boolean).join('\n').slice(0, maxCharacters);
    return { id, position, content, hash: createHash('sha256').update(content).digest('hex') };
  });
}

/**
 * Copies embeddings from passages of the same source with the same content, even removed ones; returns which passages
 * got one.
 */
export async function copyEmbeddings(
  database: Queries,
  { workspaceId, baseId, id }: SourceKey,
  model: string,
  passages: UnembeddedPassage[],
): Promise<Set<string>> {
  const copied = await database.$queryRaw<{ passageId: string }[]>`
    INSERT INTO "PassageEmbedding" ("workspaceId", "baseId", "sourceId", "passageId", "model", "dimensions", "hash", "embedding")
    SELECT DISTINCT ON (passage.id) ${workspaceId}, ${baseId}, ${id}, passage.id, ${model}, same."dimensions", passage.hash, same."embedding"
    FROM unnest(${passages.map((passage) => passage.id)}::text[], ${passages.map(({ hash }) => hash)}::text[]) AS passage(id, hash)
    JOIN "PassageEmbedding" AS same ON same."workspaceId" = ${workspaceId} AND same."sourceId" = ${id}
      AND same."model" = ${model} AND same."hash" = passage.hash
    ON CONFLICT DO NOTHING RETURNING "passageId"`;
  return new Set(copied.map(({ passageId }) => passageId));
}

/** Stores embeddings, unless the source is gone. */
export async function insertEmbeddings(
  database: Queries,
  { workspaceId, id }: SourceKey,
  { model, dimensions }: Space,
  rows: { id: string; hash: string; vector: number[] }[],
): Promise<void> {
  await database.$executeRaw`
    INSERT INTO "PassageEmbedding" ("workspaceId", "baseId", "sourceId", "passageId", "model", "dimensions", "hash", "embedding")
    SELECT source."workspaceId", source."baseId", source."id", row.id, ${model}, ${dimensions}, row.hash, row.vector::real[]
    FROM unnest(${rows.map((row) => row.id)}::text[], ${rows.map(({ hash }) => hash)}::text[],
      ${rows.map(({ vector }) => `{${vector.join(',')}}`)}::text[]) AS row(id, hash, vector),
      "Source" AS source
    WHERE source."workspaceId" = ${workspaceId} AND source."id" = ${id}
    ON CONFLICT DO NOTHING`;
}

/**
 * Removes embeddings that no search can find: those of removed passages, and those of other models if `model` is given.
 */
export async function removeStrays(
  database: Queries,
  { workspaceId, id }: Pick<SourceKey, 'workspaceId' | 'id'>,
  model: string | null,
): Promise<void> {
  await database.$executeRaw`
    DELETE FROM "PassageEmbedding" AS row WHERE "workspaceId" = ${workspaceId} AND "sourceId" = ${id}
      AND ("model" <> ${model}::text OR NOT EXISTS (
        SELECT FROM "Passage" WHERE "Passage"."workspaceId" = ${workspaceId} AND "id" = row."passageId"
      ))`;
}

type VectorSearch = {
  workspaceId: string;
  baseIds: string[];
  /** Limits the search to these sources; null or omitted: all. */
  sourceIds?: string[] | null;
  /** Leaves out this source. */
  exceptSourceId?: string | null;
  vector: number[];
  limit: number;
  minSimilarity: number;
};

/**
 * Returns the passages of these bases nearest to a vector by cosine similarity, at least `minSimilarity`, nearest
 * first. Up to `comparedAll` vectors are compared exhaustively. Above that the index is used, which scans on until
 * enough of its results are of these bases: slow if these are few among very many.
 */
export async function nearestPassages(
  database: Database,
  space: Space,
  search: VectorSearch,
  comparedAll = 10_000,
): Promise<NearPassage[]> {
  const { workspaceId, baseIds, sourceIds = null } = search;
  const [counted] = await database.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM (
      SELECT FROM "PassageEmbedding" WHERE "workspaceId" = ${workspaceId} AND "baseId" = ANY (${baseIds})
        AND (${sourceIds}::text[] IS NULL OR "sourceId" = ANY (${sourceIds})) AND "model" = ${space.model} LIMIT ${comparedAll + 1}
    ) AS held`;
  const count = counted?.count ?? 0;
  if (count === 0) return [];
  if (count <= comparedAll) return readNearest(database, space, search, (distance) => `(${distance}) + 0`);
  const readByIndex = async (tx: Transaction) => {
    await tx.$queryRaw`
      SELECT set_config('hnsw.iterative_scan', 'strict_order', true), set_config('hnsw.ef_search', '100', true)`;
    return readNearest(tx, space, search, (distance) => distance);
  };
  return transact(database, readByIndex, { readOnly: true });
}

/**
 * Reads twice the limit, since the embeddings of replaced passages are as near as those of their successors until they
 * are removed. `order` builds the sort expression: the index is used only if it is the plain distance.
 */
function readNearest(
  database: Queries,
  space: Space,
  { workspaceId, baseIds, sourceIds = null, exceptSourceId = null, vector, limit, minSimilarity }: VectorSearch,
  order: (distance: string) => string,
): Promise<NearPassage[]> {
  const distance = `${vectorOf(space)} <=> $1::halfvec(${space.dimensions})`;
  return database.$queryRawUnsafe<NearPassage[]>(
    `WITH near AS MATERIALIZED (
       SELECT "passageId", ${distance} AS distance FROM "PassageEmbedding"
       WHERE ${inSpace(space)} AND "workspaceId" = $2 AND "baseId" = ANY ($3)
         AND ($6::text[] IS NULL OR "sourceId" = ANY ($6)) AND ($7::text IS NULL OR "sourceId" <> $7)
       ORDER BY ${order(distance)} LIMIT 2 * $4::int
     )
     SELECT "id", "baseId", "sourceId", "text", "place", 1 - distance AS similarity
     FROM near JOIN "Passage" ON "Passage"."workspaceId" = $2 AND "Passage"."id" = near."passageId"
     WHERE "baseId" = ANY ($3) AND 1 - distance >= $5::float8 AND NOT EXISTS (
       SELECT FROM "PassageSegment" AS part
       WHERE part."workspaceId" = $2 AND part."number" = "Passage"."segment" AND part."draft" IS NOT NULL
     ) ORDER BY distance, "id" LIMIT $4::int`,
    `[${vector.join(',')}]`,
    workspaceId,
    baseIds,
    limit,
    minSimilarity,
    sourceIds,
    exceptSourceId,
  );
}
