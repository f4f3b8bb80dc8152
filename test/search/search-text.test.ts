import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import { draftPassages } from '../../src/search/drafts.ts';
import { insertPassages } from '../../src/search/passages.ts';
import { fold } from '../../src/text/fold.ts';
import { BothWays } from '../support/compiled/both-ways.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { casesOf } from '../support/random/cases.ts';

const gateway = useGateway();
let bothWays: BothWays;
let home: TestWorkspace;

const texts = [
  ['The ferry leaves at 9:30 — daily, from the old pier.', 'Devoluções: até 30 dias (100% grátis), ação_única.'],
  ['El muelle está cerrado; the ferry does not leave.', `A word of ${'ninety'.repeat(15)} letters.`],
  ['Straße, ﬁnch and İstanbul are folded.', '100 % of the old piers leave the ferry at nine'],
];
const bases: { id: string; folded: string[] }[] = [];
beforeAll(async () => {
  const { database } = gateway;
  bothWays = new BothWays(gateway);
  home = await makeWorkspace(gateway);
  const other = await makeWorkspace(gateway);
  for (const { id: workspaceId } of [home, other]) {
    for (const written of texts) {
      const [baseId, sourceId] = [newId('base'), newId('source')];
      await database.base.create({ data: { id: baseId, workspaceId, description: 'Base' } });
      await database.source.create({ data: { id: sourceId, workspaceId, baseId, type: 'file' } });
      const rows = written.map((text, position) => ({ workspaceId, baseId, sourceId, position, text, place: {} }));
      await insertPassages(database, rows);
      if (workspaceId === home.id) bases.push({ id: baseId, folded: written.map((text) => fold(text)) });
    }
  }
});

const found = 'query ($term: String) { bases(search: $term, first: 100) { nodes { id } } }';
const within = `query ($term: String) {
  bases(first: 100) { nodes { passages(search: $term, first: 100) { nodes { text } } } }
}`;

/** The results, after checking that compiled queries and resolvers agree. */
async function find(query: string, term: string): Promise<string[]> {
  const { compiled, resolvers } = await bothWays.ask(home.owner, { query, variables: { term } });
  expect([compiled.served, compiled.body]).toEqual([true, resolvers.body]);
  type Node = { id: string } | { passages: { nodes: { text: string }[] } };
  const nodes: Node[] = JSON.parse(compiled.body).data.bases.nodes;
  return nodes.flatMap((node) => ('id' in node ? node.id : node.passages.nodes.map(({ text }) => text))).sort();
}

async function expectFound(term: string): Promise<void> {
  const holds = (folded: string) => folded.includes(fold(term));
  const inBases = bases.filter(({ folded }) => folded.some(holds)).map(({ id }) => id);
  expect(await find(found, term), term).toEqual(inBases.toSorted());
  const inPassages = texts.flat().filter((text) => holds(fold(text)));
  expect(await find(within, term), term).toEqual(inPassages.toSorted());
}

describe('search in what bases contain', () => {
  test('finds every part of a text, whole words or not, and nothing else', async () => {
    const cut = fc
      .tuple(fc.constantFrom(...texts.flat()), fc.nat(100), fc.integer({ min: 1, max: 30 }))
      .map(([text, start, length]) => text.slice(start % text.length, (start % text.length) + length))
      .filter((text) => text.trim() === text && text !== '' && !/[\ud800-\udfff]/.test(text));
    const mixed = fc.tuple(cut, fc.constantFrom('', ' ', '_', '%', '-', 'x'), cut).map((parts) => parts.join(''));
    await fc.assert(fc.asyncProperty(fc.oneof(cut, mixed), expectFound), { numRuns: casesOf(40) });
  });

  test.each([
    '%',
    '_',
    '100%',
    '100 %',
    'ferry leave',
    'y leaves at 9:30 — d',
    'ninetynin',
    'STRASSE',
    'istanbul',
    'ﬁn',
    ')',
  ])('takes %j as text', (term) => expectFound(term));

  test('finds nothing that is still being written', async () => {
    const { id: baseId } = bases[0] as { id: string };
    const source = await gateway.database.source.findFirstOrThrow({ where: { baseId } });
    await draftPassages(gateway.database, source, [{ position: 0, text: 'A lighthouse.', place: {} }]);
    expect([await find(found, 'lighthouse'), await find(within, 'lighthouse')]).toEqual([[], []]);
  });

  test('finds no more what is removed, of a segment that has more', async () => {
    await gateway.database.passage.deleteMany({ where: { workspaceId: home.id, text: { startsWith: 'El muelle' } } });
    expect(await find(found, 'muelle')).toEqual([]);
    expect(await find(found, 'ninety')).toEqual([bases[1]?.id]);
  });
});
