import { beforeAll, describe, expect, test } from 'vitest';
import { getDatamodel } from '../schema/index.ts';
import { readModels } from '../src/lane/models.ts';
import { useGateway } from './app.ts';
import { statementsOf } from './database.ts';
import { Lanes } from './support/lanes.ts';
import { makeWorld, type World } from './support/world.ts';

const gateway = useGateway();
let lanes: Lanes;
let world: World;

beforeAll(async () => {
  lanes = new Lanes(gateway);
  world = await makeWorld(gateway);
});

const query = '{ agents(first: 2) { totalCount nodes { id name conversations(first: 1) { nodes { title } } } } }';

describe('an answer of the lane', () => {
  test.each([
    undefined,
    '*/*',
    'application/json',
    'application/graphql-response+json',
    'application/graphql-response+json, application/json',
    'application/graphql-response+json, application/json;q=0.9',
    'application/json, application/graphql-response+json',
    'text/html',
    'text/event-stream',
  ])('has the status and headers that Yoga gives when %s is accepted', async (accept) => {
    const { lane, resolvers } = await lanes.ask(world.viewer, { query }, accept ? { accept } : {});
    expect({ ...lane, served: false }).toEqual(resolvers);
    expect(lane.served).toBe(accept === undefined || !accept.startsWith('text/'));
  });

  test('is one statement', async () => {
    await lanes.ask(world.viewer, { query });
    const { result, statements } = await statementsOf(() => lanes.ask(world.viewer, { query }));
    expect(result.lane.served).toBe(true);
    expect(statements.filter((text) => text.startsWith('SELECT \'{"data"'))).toHaveLength(1);
  });

  test('names the operation that is asked for among several', async () => {
    const several = `query A { agents(first: 1) { totalCount } } query B { leads(first: 1) { totalCount } }`;
    for (const operationName of ['A', 'B']) {
      const { lane, resolvers } = await lanes.ask(world.viewer, { query: several, operationName });
      expect(lane.body).toBe(resolvers.body);
      expect(lane.served).toBe(true);
    }
  });
});

describe('is left to the resolvers', () => {
  test.each([
    ['a mutation', { query: 'mutation { updateProfile(input: {}) { viewer { role } } }' }],
    ['a document that does not parse', { query: '{ agents(' }],
    ['a document that does not fit', { query: '{ nothing }' }],
    ['an unknown operation', { query, operationName: 'Other' }],
    ['no one operation of several', { query: 'query A { __typename } query B { __typename }' }],
    ['a row that is not there', { query: '{ agent(id: "agt_00000000000000000000000000") { id } }' }],
    ['a wrong argument', { query: '{ agents(first: 0) { totalCount } }' }],
    ['a wrong variable', { query: 'query ($n: Int!) { agents(first: $n) { totalCount } }', variables: { n: 'x' } }],
    ['an operation that is too large', { query: large() }],
    ['introspection', { query: '{ __schema { queryType { name } } }' }],
  ])('%s', async (_what, body) => {
    const { lane, resolvers } = await lanes.ask(world.viewer, body);
    expect(lane).toEqual(resolvers);
  });

  test.each([
    '',
    '[]',
    'null',
    '"text"',
    '{"query": 1}',
    '{"query": "{ __typename }", "more": 1}',
    '{',
    '[{"query":"{ __typename }"}]',
  ])('the body %s', async (body) => {
    const { lane, resolvers } = await lanes.ask(world.viewer, body);
    expect(lane).toEqual(resolvers);
  });
});

function large(): string {
  const inner = '{ nodes { agent { conversations(first: 100) { nodes { id } } } } }';
  return `{ agents(first: 100) { nodes { conversations(first: 100) ${inner} } } }`;
}

describe('REST', () => {
  test('reads the same with the lane and without', async () => {
    const { agentId, baseId, membershipId, appId } = world.ids;
    const paths = [
      '/rest/agents',
      '/rest/agents?page=2&size=1&search=a',
      `/rest/conversations/list/${agentId}`,
      `/rest/conversations/list/${agentId}?page=1&size=1`,
      '/rest/fields',
      '/rest/bases',
      `/rest/bases/${baseId}`,
      '/rest/apps',
      `/rest/roles/${membershipId}/${appId}`,
      '/rest/subscriptions',
      '/rest/memberships',
      '/rest/copywriting/prompt',
      '/rest/terms',
      '/rest/interactions',
    ];
    const left: string[] = [];
    for (const path of paths) {
      const { lane, resolvers } = await lanes.request(world.owner, path, { method: 'GET' });
      expect(lane, path).toEqual(resolvers);
      expect(lane.status, path).toBe(200);
      if (lanes.said) left.push(path);
    }
    expect(left).toEqual(['/rest/terms', '/rest/interactions']);
  });
});

test('relations are those of the foreign keys of the database', async () => {
  const { rows } = await gateway.handle.pool.query<{ from: string; to: string; pairs: string }>(`
    SELECT c.conrelid::regclass::text AS "from", c.confrelid::regclass::text AS "to",
      (SELECT string_agg(a.attname || '=' || b.attname, ',' ORDER BY k.n) FROM unnest(c.conkey, c.confkey) WITH ORDINALITY AS k(own, other, n)
       JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.own
       JOIN pg_attribute b ON b.attrelid = c.confrelid AND b.attnum = k.other) AS pairs
    FROM pg_constraint c WHERE c.contype = 'f' AND c.connamespace = 'public'::regnamespace`);
  const keys = new Set(rows.map(({ from, to, pairs }) => `${from}→${to} ${pairs}`.replaceAll('"', '')));
  for (const model of readModels(getDatamodel()).values()) {
    for (const [name, { model: other, on }] of model.relations) {
      const pairs = (turn: boolean) =>
        on.map(([own, theirs]) => (turn ? `${theirs}=${own}` : `${own}=${theirs}`)).join(',');
      const said = [`${model.name}→${other} ${pairs(false)}`, `${other}→${model.name} ${pairs(true)}`];
      expect(
        said.some((key) => keys.has(key)),
        `${model.name}.${name}: ${said.join(' or ')}`,
      ).toBe(true);
    }
  }
});
