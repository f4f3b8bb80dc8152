import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import { insertPassages } from '../../src/search/passages.ts';
import { expectFailure, useGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
let home: TestWorkspace;
let other: TestWorkspace;
let pools: string;
let rules: string;
let theirs: string;
beforeAll(async () => {
  [home, other] = [await makeWorkspace(gateway), await makeWorkspace(gateway)];
  pools = await makeBase(home.id, ['The pool is closed on Mondays.', 'Towels are lent at the pool for two euros.']);
  rules = await makeBase(home.id, ['Nobody runs beside the pool.']);
  theirs = await makeBase(other.id, ['Their pool is heated.']);
});

async function makeBase(workspaceId: string, texts: string[]): Promise<string> {
  const { database } = gateway;
  const [baseId, sourceId] = [newId('base'), newId('source')];
  await database.base.create({ data: { id: baseId, workspaceId, description: 'Base' } });
  await database.source.create({ data: { id: sourceId, workspaceId, baseId, type: 'file', title: 'Notes' } });
  const rows = texts.map((text, position) => ({ workspaceId, baseId, sourceId, position, text, place: {} }));
  await insertPassages(database, rows);
  return baseId;
}

const document = `query ($query: String!, $baseIds: [ID!], $first: Int) {
  searchPassages(query: $query, baseIds: $baseIds, first: $first) {
    nodes { score highlights { start end } passage { id text base { id } source { file { title } } } }
  }
}`;
type Node = {
  score: number;
  highlights: { start: number; end: number }[];
  passage: { text: string; base: { id: string } };
};
const search = async (variables: object, bearer = home.viewer): Promise<Node[]> =>
  ((await gateway.data(bearer, document, variables)).searchPassages as { nodes: Node[] }).nodes;

describe('searchPassages', () => {
  test('answers passages of all bases, best first, with their scores and the words that they were found by', async () => {
    const nodes = await search({ query: 'are there towels at the pool?' });
    expect(nodes[0]).toMatchObject({
      passage: {
        text: 'Towels are lent at the pool for two euros.',
        base: { id: pools },
        source: { file: { title: 'Notes' } },
      },
    });
    expect(nodes[0]?.highlights.map(({ start, end }) => nodes[0]?.passage.text.slice(start, end))).toEqual([
      'Towels',
      'pool',
    ]);
    const scores = nodes.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(scores.every((score) => score > 0)).toBe(true);
  });

  test.each(['cacnel', 'hotle', 'piscnia', 'cnacel', 'ohtel', 'psicina'])(
    'finds by a word in which two letters changed places: %s',
    async (query) => {
      const text = 'The porter may cancel a hotel with a piscina.';
      const guest = await makeWorkspace(gateway);
      await makeBase(guest.id, [text]);
      expect((await search({ query }, guest.viewer)).map(({ passage }) => passage.text)).toEqual([text]);
    },
  );

  test('searches only the bases that are named, and gives no more than were asked for', async () => {
    expect((await search({ query: 'pool' })).map(({ passage }) => passage.base.id).sort()).toEqual(
      [pools, pools, rules].sort(),
    );
    expect((await search({ query: 'pool', baseIds: [rules] })).map(({ passage }) => passage.text)).toEqual([
      'Nobody runs beside the pool.',
    ]);
    expect(await search({ query: 'pool', first: 1 })).toHaveLength(1);
    expect(await search({ query: 'pool', baseIds: [] })).toEqual([]);
    expect(await search({ query: 'what is it' })).toEqual([]);
  });

  test("does not find another workspace's base, alone or beside one of its own", async () => {
    for (const baseIds of [[theirs], [pools, theirs], [newId('base')]]) {
      expectFailure(
        await gateway.graphql(home.owner, document, { query: 'pool', baseIds }),
        'not_found',
        'Base not found.',
      );
    }
  });

  test('refuses pages that are too large or too small', async () => {
    for (const first of [-1, 101]) {
      expectFailure(await gateway.graphql(home.owner, document, { query: 'pool', first }), 'invalid_request', /first/);
    }
  });
});
