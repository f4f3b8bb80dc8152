import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import type { EmbeddingSettings } from '../../src/config/embedding.ts';
import { embedSource, resumeEmbedding } from '../../src/domain/knowledge/embedding.ts';
import { createLog } from '../../src/http/log/request-log.ts';
import { createEmbeddings } from '../../src/knowledge/embedder.ts';
import { hasPgvector } from '../support/database/pgvector.ts';
import { borrowDatabase } from '../support/database/shared-database.ts';
import { type Gateway, openGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { create, faq, update } from '../support/knowledge/knowledge.ts';
import { type EmbeddingsServer, startEmbeddingsServer } from '../support/model/embeddings-server.ts';

const why = hasPgvector ? '' : ' (skipped: the PostgreSQL of the tests has no pgvector)';
const apiKey = 'sk-embedding-secret';

type Node = { score: number; wordScore: number | null; similarity: number | null; passage: { text: string } };
const document = `query ($query: String!, $baseIds: [ID!]) {
  searchPassages(query: $query, baseIds: $baseIds) { nodes { score wordScore similarity passage { text } } }
}`;

describe.skipIf(!hasPgvector)(`passages by what they mean${why}`, () => {
  let server: EmbeddingsServer;
  let gateway: Gateway;
  let home: TestWorkspace;

  const settingsOf = (name: string) => `openai:${name}?url=${server.url}&key=EMBEDDING_KEY`;
  const env = (name = 'meaning') => ({ EMBEDDING_MODEL: settingsOf(name), EMBEDDING_KEY: apiKey });
  /** Recreates the gateway's embedding client. */
  const use = (name = 'meaning', questionMs = 10_000) => {
    const { services, handle } = gateway;
    const settings = readConfig(env(name)).embedding as EmbeddingSettings;
    const made = createEmbeddings({ settings, handle, log: services.log, questionMs, backoffMs: 1 });
    services.embeddings = made;
    return made;
  };
  beforeAll(async () => {
    server = await startEmbeddingsServer(apiKey);
    gateway = await openGateway(env());
    home = await makeWorkspace(gateway);
    await gateway.work();
  });
  afterAll(async () => {
    await gateway.close();
    await server.close();
  });
  beforeEach(() => {
    server.clear();
    server.asked.length = 0;
    server.state.refused = 0;
    use();
  });

  const make = async (pairs: [string, string][], viewer = home.editor): Promise<{ id: string; sourceId: string }> => {
    const input = { description: 'Camp', sources: [faqOf(pairs)] };
    const { base } = (await gateway.data(viewer, create, { input })).createBase;
    await gateway.services.queue.idle();
    return { id: base.id, sourceId: base.sources.nodes[0].id };
  };
  const faqOf = (pairs: [string, string][]) => ({
    type: 'faq',
    file: { key: 'pairs', data: { items: pairs.map(([question, answer]) => ({ question, answer })) } },
  });
  const search = async (query: string, baseIds: string[] | null = null): Promise<Node[]> =>
    (await gateway.data(home.viewer, document, { query, baseIds })).searchPassages.nodes;
  const texts = (nodes: Node[]) => nodes.map(({ passage }) => passage.text);
  const vectorsOf = (sourceId: string) => gateway.database.passageEmbedding.count({ where: { sourceId } });

  test('are found by a question that shares no word with them, and tell by what they were found', async () => {
    const { id } = await make([
      ['Hounds?', 'Hounds sleep outside.'],
      ['Kitchen?', 'The kitchen has gas.'],
    ]);
    const [only, ...others] = await search('pet', [id]);
    expect(others).toEqual([]);
    expect(only).toMatchObject({ passage: { text: 'Hounds sleep outside.' }, wordScore: null });
    expect(only?.similarity).toBeGreaterThan(0.3);
    expect(only?.score).toBeCloseTo(1 / 61, 10);
  });

  test('that both words and meaning find go before those that one of them finds', async () => {
    const { id } = await make([
      ['Canoe rental', 'A canoe costs ten euros.'],
      ['Boats', 'Boats lie at the pier.'],
      ['Storage', 'One canoe, two paddles, three vests, four ropes, five lamps, six tents and seven stoves.'],
    ]);
    const nodes = await search('canoe price', [id]);
    expect(texts(nodes)[0]).toBe('A canoe costs ten euros.');
    expect(nodes[0]).toMatchObject({ wordScore: expect.any(Number), similarity: expect.any(Number) });
    expect(nodes[0]?.score).toBeCloseTo(2 / 61, 10);
    const scores = nodes.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });

  test('of other bases and other workspaces are not found', async () => {
    const other = await makeWorkspace(gateway);
    await make([['Hounds?', 'Their hounds bite.']], other.editor);
    const [mine, unnamed] = [await make([['Hounds?', 'Hounds are small.']]), await make([['Hounds?', 'No hounds.']])];
    expect(texts(await search('animal', [mine.id]))).toEqual(['Hounds are small.']);
    expect(texts(await search('animal'))).not.toContain('Their hounds bite.');
    expect(texts(await search('animal'))).toContain('No hounds.');
    expect(unnamed.id).not.toBe(mine.id);
  });

  test('of sources without the tags that are asked for are not found', async () => {
    const [cabin, camp] = [
      await make([['Hounds?', 'Hounds may enter.']]),
      await make([['Hounds?', 'Hounds stay out.']]),
    ];
    for (const [{ sourceId: id }, place] of [[cabin, 'cabin'] as const, [camp, 'camp'] as const]) {
      const set = 'mutation ($input: SetSourceTagsInput!) { setSourceTags(input: $input) { clientMutationId } }';
      await gateway.data(home.editor, set, { input: { id, tags: { place } } });
    }
    const query = `query ($tags: JSONObject) {
      searchPassages(query: "pet", tags: $tags) { nodes { wordScore passage { text } } }
    }`;
    const { searchPassages } = await gateway.data(home.viewer, query, { tags: { place: 'camp' } });
    expect(searchPassages.nodes).toEqual([{ wordScore: null, passage: { text: 'Hounds stay out.' } }]);
  });

  test('are sent to the model once, however often their source is read', async () => {
    const { id, sourceId } = await make([
      ['Lake', 'The lake is deep.'],
      ['Hill', 'The hill is steep.'],
    ]);
    expect(server.asked.flat()).toEqual(['Lake\nThe lake is deep.', 'Hill\nThe hill is steep.']);
    const pairs: [string, string][] = [
      ['Hill', 'The hill is steep.'],
      ['Lake', 'The lake is frozen.'],
      ['Twin', 'The same.'],
      ['Twin', 'The same.'],
    ];
    const input = { id, description: 'Camp', sources: [faqOf(pairs)] };
    await gateway.data(home.editor, update, { input });
    await gateway.services.queue.idle();
    expect(server.asked.flat().slice(2)).toEqual(['Lake\nThe lake is frozen.', 'Twin\nThe same.']);
    expect(await vectorsOf(sourceId)).toBe(4);
    expect(texts(await search('hill', [id]))).toEqual(['The hill is steep.']);
  });

  test('that are removed take their vectors with them, at once', async () => {
    const { id, sourceId } = await make([['Hounds?', 'Hounds swim.']]);
    expect(await vectorsOf(sourceId)).toBe(1);
    const remove = 'mutation ($input: DeleteSourceInput!) { deleteSource(input: $input) { source { id } } }';
    await gateway.data(home.editor, remove, { input: { id: sourceId } });
    expect(await vectorsOf(sourceId)).toBe(0);
    expect(await search('pet', [id])).toEqual([]);
  });

  test('that are read anew take their vectors with them, also while no model is set', async () => {
    const { id, sourceId } = await make([
      ['Hounds?', 'Hounds jump.'],
      ['Cats?', 'Cats jump.'],
    ]);
    gateway.services.embeddings = null;
    const change = async (answer: string) => {
      const input = { id, description: 'Camp', sources: [faqOf([['Hounds?', answer]])] };
      await gateway.data(home.editor, update, { input });
      await gateway.services.queue.idle();
    };
    await change('Hounds hop.');
    expect(await vectorsOf(sourceId)).toBe(0);
    use();
    await change('Hounds leap.');
    expect(await vectorsOf(sourceId)).toBe(1);
  });

  test('are embedded when a model that failed is well again', async () => {
    server.fail({ status: 503 }, { status: 429, headers: { 'retry-after-ms': '1' } });
    const { sourceId } = await make([['Hounds?', 'Hounds run.']]);
    expect(server.state.refused).toBe(2);
    expect(await vectorsOf(sourceId)).toBe(1);
  });

  test('are embedded to the end by whoever takes up a work that was cut off, none of them twice', async () => {
    const pairs = Array.from({ length: 150 }, (_, index): [string, string] => [`Q${index}`, `Answer ${index}.`]);
    const leaving = new AbortController();
    server.state.meanwhile = async () => {
      if (server.asked.length === 1) leaving.abort();
    };
    const input = { description: 'Camp', sources: [faqOf(pairs)] };
    // The gateway that reads the source has no embedding model.
    gateway.services.embeddings = null;
    const { base } = (await gateway.data(home.editor, create, { input })).createBase;
    await gateway.services.queue.idle();
    use();
    const told = { workspaceId: home.id, sourceId: base.sources.nodes[0].id, revision: 0 };
    await expect(embedSource(gateway.services, told, leaving.signal)).rejects.toThrow();
    server.state.meanwhile = async () => {};
    const kept = await vectorsOf(told.sourceId);
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThan(150);
    // The sweep finds passages without vectors.
    await resumeEmbedding(gateway.services);
    await gateway.services.queue.idle();
    expect(await vectorsOf(told.sourceId)).toBe(150);
    const counted = server.asked.flat().filter((text) => text.endsWith('Answer 149.'));
    expect(counted).toHaveLength(1);
    await resumeEmbedding(gateway.services);
    await gateway.services.queue.idle();
    expect(await vectorsOf(told.sourceId)).toBe(150);
    expect(server.asked.flat().filter((text) => text.endsWith('Answer 149.'))).toHaveLength(1);
  });

  test('are found by their words alone while the model fails, rests or says nothing', async () => {
    const { id } = await make([['Hounds?', 'Hounds dig.']]);
    server.fail(...Array.from({ length: 6 }, () => ({ status: 500 })));
    for (let count = 0; count < 6; count++) {
      const nodes = await search(`hounds ${count}`, [id]);
      expect(nodes).toMatchObject([{ passage: { text: 'Hounds dig.' }, similarity: null }]);
      expect(nodes[0]?.score).toBe(nodes[0]?.wordScore);
    }
    // The sixth call was skipped, since the circuit was open.
    expect(server.state.refused).toBe(5);
    server.clear();
    server.fail({ silent: true });
    use('meaning', 50);
    expect(await search('hounds', [id])).toMatchObject([{ similarity: null }]);
    server.clear();
    use();
    expect((await search('hounds', [id])).map(({ similarity }) => similarity)).toEqual([expect.any(Number)]);
  });

  test('are asked for by one request a question, however often it is put', async () => {
    const { id } = await make([['Hounds?', 'Hounds bark.']]);
    server.asked.length = 0;
    await Promise.all([search('barking pets', [id]), search('barking pets', [id])]);
    await search('barking pets', [id]);
    expect(server.asked).toEqual([['barking pets']]);
  });

  test('are embedded anew for another model, and never compared with what the one before said', async () => {
    const { id, sourceId } = await make([['Hounds?', 'Hounds eat.']]);
    server.state.dimensions = 64;
    use('other');
    expect(await search('pet', [id])).toEqual([]);
    await resumeEmbedding(gateway.services);
    await gateway.services.queue.idle();
    expect(texts(await search('pet', [id]))).toEqual(['Hounds eat.']);
    const rows = await gateway.database.passageEmbedding.findMany({ where: { sourceId } });
    expect(rows.map(({ model, dimensions }) => [model, dimensions])).toEqual([['openai:other', 64]]);
    await resumeEmbedding(gateway.services);
    const indexes = await gateway.handle.pool.query(
      `SELECT indexdef FROM pg_indexes WHERE indexname LIKE 'PassageEmbedding\\_near\\_%'`,
    );
    expect(indexes.rows).toHaveLength(1);
    expect(indexes.rows[0].indexdef).toMatch(/halfvec\(64\)/);
  });
});

describe('without pgvector', () => {
  test('passages are found by their words alone, and the log says what is missing', async () => {
    const handle = await borrowDatabase();
    const lines: string[] = [];
    const log = createLog('warn', { write: (line: string) => void lines.push(line) });
    const bare = { ...handle, pool: { query: async () => ({ rows: [] }) } } as unknown as typeof handle;
    const settings = { model: 'm', baseUrl: 'http://127.0.0.1:1/v1', apiKey: null, dimensions: null, least: 0.3 };
    const embeddings = createEmbeddings({ settings, handle: bare, log });
    const gateway = await openGateway({}, { embeddings, log }, handle);
    const home = await makeWorkspace(gateway);
    await gateway.work();
    const input = { description: 'Camp', sources: [faq('Hounds?', 'Hounds sleep.')] };
    await gateway.data(home.editor, create, { input });
    await gateway.services.queue.idle();
    const { nodes } = (await gateway.data(home.viewer, document, { query: 'hounds' })).searchPassages;
    expect(nodes).toMatchObject([{ similarity: null, passage: { text: 'Hounds sleep.' } }]);
    expect(lines.filter((line) => /EMBEDDING_MODEL is set.*pgvector/.test(line))).toHaveLength(1);
    await gateway.close();
  });
});
