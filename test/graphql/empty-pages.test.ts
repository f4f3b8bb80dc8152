import { beforeAll, describe, expect, test } from 'vitest';
import { BothWays } from '../support/compiled/both-ways.ts';
import { useGateway } from '../support/gateway/app.ts';
import { type List, lists } from '../support/graphql/lists.ts';
import { oneOfEach } from '../support/random/cases.ts';
import { idOfType } from '../support/world/inputs.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();
let world: World;
let bothWays: BothWays;
beforeAll(async () => {
  world = await makeWorld(gateway);
  bothWays = new BothWays(gateway);
});

/** The page, after checking that compiled queries and resolvers agree. */
async function read(list: List, args: object) {
  const parent = list.owner === 'Query' ? undefined : idOfType(world.ids, list.owner);
  const answers = await bothWays.ask(world.owner, { query: list.document, variables: { parent, ...args } });
  expect(answers.compiled.body).toBe(answers.resolvers.body);
  const { data, errors } = JSON.parse(answers.compiled.body);
  expect(errors).toBeUndefined();
  return list.owner === 'Query' ? data.list : data.node.list;
}

const ends = { startCursor: null, endCursor: null };

const tried = oneOfEach(
  lists.map((list) => [list.name, list] as const),
  ([, { row }]) => row.name,
);

describe('a page of no rows tells how many there are, and on which side:', () => {
  test.each(tried)('%s', async (_, list) => {
    const [start, end] = [await read(list, { first: 1 }), await read(list, { last: 1 })];
    const { totalCount } = start;
    expect(totalCount).toBeGreaterThan(0);
    const page = (pageInfo: object) => ({ totalCount, edges: [], pageInfo: { ...pageInfo, ...ends } });
    expect(await read(list, { first: 0 })).toEqual(page({ hasNextPage: true, hasPreviousPage: false }));
    expect(await read(list, { last: 0 })).toEqual(page({ hasNextPage: false, hasPreviousPage: true }));

    const after = await read(list, { first: 0, after: start.pageInfo.endCursor });
    expect(after).toEqual(page({ hasNextPage: totalCount > 1, hasPreviousPage: true }));
    const before = await read(list, { last: 0, before: end.pageInfo.startCursor });
    expect(before).toEqual(page({ hasNextPage: true, hasPreviousPage: totalCount > 1 }));
    const offset = await read(list, { first: 0, offset: totalCount });
    expect(offset).toEqual(page({ hasNextPage: false, hasPreviousPage: true }));
  });
});

test('no passages are an answer too, whether or not there are any', async () => {
  const query = 'query ($ids: [ID!]) { searchPassages(query: "passage", baseIds: $ids, first: 0) { nodes { score } } }';
  const ask = (ids: string[]) => gateway.graphql(world.owner, query, { ids });
  expect(await ask([world.ids.baseId])).toEqual({ data: { searchPassages: { nodes: [] } } });
  expect((await ask(['bas_00000000000000000000000000'])).errors?.[0]?.extensions.code).toBe('not_found');
});

test('what is asked of the rows of an empty page costs as for one row', async () => {
  const inner = '{ nodes { conversations(first: 100) { nodes { messages(first: 100) { nodes { id } } } } } }';
  const costOf = async (list: string) => {
    const { rateLimit } = await gateway.data(world.owner, `{ rateLimit(dryRun: true) { cost } ${list} }`);
    return rateLimit.cost as number;
  };
  expect(await costOf(`agents(first: 0) ${inner}`)).toBe(await costOf(`agents(first: 1) ${inner}`));
  expect(await costOf(`agents(first: 0) ${inner}`)).toBeGreaterThan(await costOf('agents(first: 0) { nodes { id } }'));
});
