import { beforeAll, describe, expect, test, vi } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import { BothWays } from '../support/compiled/both-ways.ts';
import { indexAll, seedConversation } from '../support/conversations/seeded-conversation.ts';
import { makeAgent } from '../support/gateway/factories.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';

const { gateway, home } = useWorkspaces();
let bothWays: BothWays;
let agentId: string;

beforeAll(async () => {
  bothWays = new BothWays(gateway);
  agentId = (await makeAgent(gateway, home.editor)).id;
});

type Connection = { edges: { cursor: string; node: { id: string } }[]; pageInfo: Record<string, unknown> };
type Rows = 'leads' | 'conversations';
/** How a page is read: its list, and the way to it in a result. */
type Way = { rows: Rows; query: string; list: (data: never) => Connection };

const list = `edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }`;
const root = (rows: Rows, args: string): Way => ({
  rows,
  query: `query ($first: Int, $after: String, $last: Int, $before: String) {
    list: ${rows}(first: $first, after: $after, last: $last, before: $before, ${args}) { ${list} } }`,
  list: ({ list }: { list: Connection }) => list,
});
const nested = (args: string): Way => ({
  rows: 'leads',
  query: `query ($first: Int, $after: String, $last: Int, $before: String) { agents(first: 1) { nodes {
    leads(first: $first, after: $after, last: $last, before: $before, ${args}) { ${list} } } } }`,
  list: ({ agents }: { agents: { nodes: { leads: Connection }[] } }) => agents.nodes[0]?.leads as Connection,
});
const named = 'filter: { name: { contains: "ana" } }';
const byKey = 'orderBy: { field: custom, key: "size", direction: asc }';
const newest = 'orderBy: { field: createdAt, direction: desc }';

/** Pages by rank are cut by places, which shift. */
const ways: Record<string, Way> = {
  'in its order': root('leads', newest),
  'with a filter of text': root('leads', named),
  'in the order of a key': root('leads', byKey),
  'with a filter of text, of a parent': nested(named),
  'in the order of a key, of a parent': nested(byKey),
  'that is searched, in an order': root('conversations', `search: "boleto", ${newest}`),
  'of a group': {
    rows: 'leads',
    query: `query ($first: Int, $after: String, $last: Int, $before: String) { leads { groups(first: 1) { nodes {
      by { hasEmail } rows(first: $first, after: $after, last: $last, before: $before, ${byKey}) { ${list} } } } } }`,
    list: ({ leads }: { leads: { groups: { nodes: { rows: Connection }[] } } }) =>
      leads.groups.nodes[0]?.rows as Connection,
  },
};

const count = 15;
/** Rows of a list that nothing else is in. */
async function seed(rows: Rows): Promise<string[]> {
  await gateway.database.lead.deleteMany({ where: { workspaceId: home.id } });
  await gateway.database.conversation.deleteMany({ where: { workspaceId: home.id } });
  const numbers = Array.from({ length: count }, (_, number) => number);
  if (rows === 'leads') {
    const data = numbers.map((size) => ({
      id: newId('lead'),
      workspaceId: home.id,
      agentId,
      name: 'Ana',
      custom: { size },
    }));
    await gateway.database.lead.createMany({ data });
    return data.map(({ id }) => id);
  }
  const ids: string[] = [];
  for (const number of numbers) {
    ids.push((await seedConversation(gateway, home, [`boleto ${'azul '.repeat(number)}`])).conversationId);
  }
  await indexAll(gateway, home.id);
  return ids;
}

/** After each statement that finds rows of the list, and before the next, something happens to one of them. */
function afterEachStatement(ids: string[], happens: (id: string) => Promise<unknown>) {
  const { pool } = gateway.handle;
  const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<{ rows: unknown[] }>;
  let busy = false;
  return vi.spyOn(pool, 'query').mockImplementation((async (...args: unknown[]) => {
    const result = await query(...args);
    const text = busy ? '' : JSON.stringify(result?.rows ?? []);
    const found = ids.filter((id) => text.includes(id)).sort((a, b) => text.indexOf(a) - text.indexOf(b));
    const one = found[Math.floor(found.length / 2)];
    if (!one) return result;
    busy = true;
    await happens(one).finally(() => void (busy = false));
    return result;
  }) as never);
}

/** Walks the list to its end, three rows a page. */
async function walk({ query, list }: Way, by: 'compiled' | 'resolvers', size: 'first' | 'last'): Promise<string[]> {
  const ids: string[] = [];
  let place = {};
  for (let pages = 0; pages < 3 * count; pages++) {
    const body = { query, variables: { [size]: 3, ...place } };
    const { body: answer } = await bothWays.askOne(by, home.viewer, body);
    const { data, errors } = JSON.parse(answer);
    expect(errors).toBeUndefined();
    const { edges, pageInfo } = list(data as never);
    ids.push(...(size === 'last' ? edges.toReversed() : edges).map(({ node }) => node.id));
    if (!pageInfo[size === 'last' ? 'hasPreviousPage' : 'hasNextPage']) return ids;
    place = size === 'last' ? { before: pageInfo.startCursor } : { after: pageInfo.endCursor };
  }
  throw new Error('This list never ends.');
}

describe.each(Object.entries(ways))('a list %s', (_, way) => {
  const cases = (['compiled', 'resolvers'] as const).flatMap((by) =>
    (['first', 'last'] as const).map((size) => [by, size] as const),
  );

  test.each(cases)('has every row that stays, while others are deleted (%s, %s)', async (by, size) => {
    const ids = await seed(way.rows);
    const deleted = new Set<string>();
    const spy = afterEachStatement(ids, async (id) => {
      if (deleted.size >= count / 3) return;
      deleted.add(id);
      if (way.rows === 'leads') await gateway.database.lead.deleteMany({ where: { workspaceId: home.id, id } });
      else await gateway.database.conversation.deleteMany({ where: { workspaceId: home.id, id } });
    });
    const walked = await walk(way, by, size);
    spy.mockRestore();
    const stayed = ids.filter((id) => !deleted.has(id));
    expect(walked.filter((id) => !deleted.has(id)).toSorted()).toEqual(stayed.toSorted());
  });
});

test('a list in the order of a key has every row whose place stays, while others move to its end', async () => {
  const ids = await seed('leads');
  const moved = new Set<string>();
  afterEachStatement(ids, async (id) => {
    if (moved.size >= count / 3) return;
    moved.add(id);
    await gateway.database.lead.updateMany({ where: { workspaceId: home.id, id }, data: { custom: { size: 1_000 } } });
  });
  const walked = await walk(ways['in the order of a key'] as Way, 'resolvers', 'first');
  expect(moved.size).toBe(count / 3);
  for (const id of ids.filter((one) => !moved.has(one))) expect(walked).toContain(id);
});
