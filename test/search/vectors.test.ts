import { expect, test } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import { insertEmbeddings, nearestPassages } from '../../src/search/passage-vectors.ts';
import { indexSpace, prepareVectors } from '../../src/search/vectors.ts';
import { statementsOf, testDatabase } from '../support/database/database.ts';
import { hasPgvector } from '../support/database/pgvector.ts';

const why = hasPgvector ? '' : ' (skipped: the PostgreSQL of the tests has no pgvector)';
const space = { model: "openai:it's one", dimensions: 8 };
const count = 2_000;
const comparedAll = 1_000;

const cosine = (a: number[], b: number[]) => {
  const dot = (x: number[], y: number[]) => x.reduce((sum, value, index) => sum + value * (y[index] ?? 0), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
};
/** Deterministic vectors, spread evenly. */
const vectorAt = (n: number) => Array.from({ length: 8 }, (_, index) => Math.sin(n * (index + 1) * 1.618 + index));

test.skipIf(!hasPgvector)(
  `many vectors are searched by their index, and nearly all of the nearest found${why}`,
  async () => {
    const handle = await testDatabase();
    const { client } = handle;
    expect(await prepareVectors(handle)).toBeNull();
    const [workspaceId, large, small] = [newId('workspace'), newId('base'), newId('base')];
    await client.workspace.create({ data: { id: workspaceId, name: 'Vectors' } });
    const fill = async (baseId: string, from: number, size: number) => {
      const id = newId('source');
      await client.base.create({ data: { id: baseId, workspaceId, description: 'Base' } });
      await client.source.create({ data: { id, workspaceId, baseId, type: 'file' } });
      const rows = Array.from({ length: size }, (_, position) => ({
        n: from + position,
        id: newId('passage'),
        position,
      }));
      await client.$executeRaw`
        INSERT INTO "Passage" ("workspaceId", "baseId", "sourceId", "id", "position", "text")
        SELECT ${workspaceId}, ${baseId}, ${id}, row.id, n - 1, (${from}::int + n - 1)::text
        FROM unnest(${rows.map((row) => row.id)}::text[]) WITH ORDINALITY AS row(id, n)`;
      for (let first = 0; first < size; first += 1_000) {
        const part = rows.slice(first, first + 1_000).map((row) => ({ id: row.id, hash: '', vector: vectorAt(row.n) }));
        await insertEmbeddings(client, { workspaceId, baseId, id }, space, part);
      }
      return id;
    };
    await fill(large, 0, count);
    const smallSource = await fill(small, count, 50);
    await indexSpace(handle, space);
    await indexSpace(handle, space);
    const vector = vectorAt(0.5);
    const near = (baseIds: string[], limit: number) =>
      nearestPassages(client, space, { workspaceId, baseIds, vector, limit, minSimilarity: 0 }, comparedAll);
    const best = (from: number, to: number, limit: number) =>
      Array.from({ length: to - from }, (_, index) => ({
        n: String(from + index),
        score: cosine(vector, vectorAt(from + index)),
      }))
        .sort((a, b) => b.score - a.score)
        .slice(0, limit);

    // Small bases are compared exhaustively.
    const few = await near([small], 10);
    expect(few.map(({ text }) => text)).toEqual(
      best(count, count + 50, 10)
        .filter(({ score }) => score >= 0)
        .map(({ n }) => n),
    );
    expect(few[0]?.similarity).toBeCloseTo(best(count, count + 50, 1)[0]?.score ?? 0, 2);

    const { result: many, recorded } = await statementsOf(() => near([large], 50));
    const nearest = new Set(best(0, count, 50).map(({ n }) => n));
    expect(many).toHaveLength(50);
    expect(many.filter(({ text }) => nearest.has(text)).length).toBeGreaterThanOrEqual(45);
    const statement = recorded.find(({ text }) => text.includes('<=>'));
    const { rows: plan } = await handle.pool.query(`EXPLAIN ${statement?.text}`, statement?.values);
    expect(JSON.stringify(plan)).toMatch(/PassageEmbedding_near_/);
    expect(await near([newId('base')], 10)).toEqual([]);

    // Without a source, as `sourceImpact` searches: by the index, and exhaustively.
    const except = (baseIds: string[], exceptSourceId: string) =>
      nearestPassages(
        client,
        space,
        { workspaceId, baseIds, vector, limit: 50, minSimilarity: 0, exceptSourceId },
        comparedAll,
      );
    const largeAlone = (await except([large, small], smallSource)).map(({ text }) => text);
    expect(largeAlone).toHaveLength(50);
    expect(largeAlone.filter((text) => Number(text) >= count)).toEqual([]);
    expect(await except([small], smallSource)).toEqual([]);
    expect((await except([small], newId('source'))).length).toBeGreaterThan(0);
    await handle.close();
  },
);
