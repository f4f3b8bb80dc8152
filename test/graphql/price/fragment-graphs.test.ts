import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../src/database/ids.ts';
import { BothWays } from '../../support/compiled/both-ways.ts';
import { type Gateway, openGateway } from '../../support/gateway/app.ts';
import { fragmentGraph } from '../../support/graphql/fragment-graphs.ts';
import { growth } from '../../support/random/growth.ts';
import { Random } from '../../support/random/random.ts';
import { seed } from '../../support/random/seed.ts';
import { makeWorld, type World } from '../../support/world/world.ts';

let gateway: Gateway;
let world: World;
let bothWays: BothWays;
beforeAll(async () => {
  gateway = await openGateway({ EXPLAIN_SQL: 'on' });
  world = await makeWorld(gateway);
  bothWays = new BothWays(gateway);
});
afterAll(() => gateway?.close());

const tooLarge = /The operation is too large: its (depth|breadth|size|complexity) is /;
const costQuery = 'query ($query: String!) { operationCost(operation: {query: $query}) { cost refusal } }';

/** A query of a random graph of fragments; the more fragments, the longer. */
const queryOf = (random: Random, fragments: number) =>
  `{ agents(first: 1) { nodes { ...F0 } } } ${fragmentGraph(random, fragments)}`;
/** A change whose fragments spread each other at the same place. */
const changeOf = (random: Random, fragments: number) => {
  const name = (at: number) => `F${at}`;
  const bodies = Array.from({ length: fragments }, (_, at) => {
    const next =
      at + 1 < fragments ? `...${name(at + 1)} ...${name(at + 1)}` : `t${random.between(0, 1e9)}: __typename`;
    return `fragment ${name(at)} on Mutation { ${next} }`;
  });
  return `mutation { ...F0 } ${bodies.join(' ')}`;
};

/** Everything that takes a document. */
const places: [string, (query: string) => Promise<string>, (random: Random, fragments: number) => string][] = [
  ['compiled queries', async (query) => (await bothWays.askOne('compiled', world.owner, { query })).body, queryOf],
  ['the resolvers', async (query) => (await bothWays.askOne('resolvers', world.owner, { query })).body, queryOf],
  [
    'a change with an Idempotency-Key',
    async (query) => {
      const { compiled, resolvers } = await bothWays.ask(
        world.owner,
        { query },
        { 'idempotency-key': `k${Math.random()}` },
      );
      expect(compiled.body).toBe(resolvers.body);
      return compiled.body;
    },
    changeOf,
  ],
  ['operationCost', async (query) => JSON.stringify(await gateway.data(world.owner, costQuery, { query })), queryOf],
  ['the SQL endpoint', async (query) => JSON.stringify(await post('/graphiql/sql', { query })), queryOf],
  ['the REST translation', async (query) => JSON.stringify(await post('/graphiql/rest/request', { query })), queryOf],
  ['resultValues', async (query) => JSON.stringify(await gateway.data(world.owner, valuesQuery, { query })), queryOf],
  ['an address', async (query) => textAt(`/graphql?query=${encodeURIComponent(query)}`), queryOf],
  [
    'what is to be saved',
    async (document) =>
      JSON.stringify(await gateway.graphql(world.owner, saving, { input: { name: 'graph', document } })),
    queryOf,
  ],
  [
    'a saved operation',
    async (document) => {
      const documentHash = await keep(document);
      const extensions = { persistedQuery: { version: 1, sha256Hash: documentHash } };
      return JSON.stringify([await textAt('/run/graph'), await post('/graphql', { extensions })]);
    },
    queryOf,
  ],
  [
    'a list of saved operations',
    async (document) => {
      await keep(document);
      const listed = await gateway.data(world.owner, listing);
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
      const accept = 'application/json, text/event-stream';
      const tools = (await gateway.rest(world.owner, 'POST', '/mcp', message, { accept })).body;
      return JSON.stringify([listed, tools, await textAt('/run/openapi.json')]);
    },
    queryOf,
  ],
];
const valuesQuery = 'query ($query: String!) { resultValues(operation: {query: $query}) { path } }';
const saving = 'mutation ($input: CreateOperationInput!) { createOperation(input: $input) { operation { id } } }';
const listing = '{ operations { nodes { broken values { path } groupRows { path } } } }';
const textAt = async (path: string) => {
  const headers = { authorization: `Bearer ${await gateway.bearer(world.owner)}` };
  return (await gateway.app.request(path, { headers })).text();
};
/** Keeps a document as the only saved operation, however large it is. */
async function keep(document: string): Promise<string> {
  const documentHash = createHash('sha256').update(document).digest('hex');
  const { savedOperation } = gateway.database;
  await savedOperation.deleteMany({ where: { workspaceId: world.id } });
  const row = { id: newId('savedOperation'), workspaceId: world.id, name: 'graph', document, documentHash };
  await savedOperation.create({ data: { ...row, createdBy: 'x', updatedBy: 'x' } });
  return documentHash;
}
const post = async (path: string, body: object) => (await gateway.rest(world.owner, 'POST', path, body)).body;

describe('operations with random graphs of fragments', () => {
  test('are answered or refused in the same words with and without compiled queries', async () => {
    const random = new Random(seed);
    const outcomes = { answered: 0, refused: 0 };
    for (let run = 0; run < 60; run += 1) {
      const query = queryOf(random, random.between(2, 40));
      const { compiled, resolvers } = await bothWays.ask(world.owner, { query });
      expect(compiled.body, query).toBe(resolvers.body);
      const { errors } = JSON.parse(compiled.body) as { errors?: { message: string }[] };
      for (const { message } of errors ?? []) expect(message, query).toMatch(tooLarge);
      outcomes[errors ? 'refused' : 'answered'] += 1;
    }
    expect(outcomes.answered).toBeGreaterThan(5);
    expect(outcomes.refused).toBeGreaterThan(5);
  });

  // Of the gateway's own work: what a PostgreSQL server does for those that are answered is not measured.
  test.each(places)('cost %s time in proportion to the length of the document', async (_place, send, documentOf) => {
    const random = new Random(seed);
    await send(documentOf(random, 12));
    const grown = await growth(96, async (fragments) => {
      expect(await send(documentOf(random, fragments))).not.toMatch(/more than [\d,]+ tokens/);
    });
    expect(grown).toBeLessThan(3);
  });

  test('cost nothing in a dry run', async () => {
    const query = `{ rateLimit(dryRun: true) { cost } ${queryOf(new Random(seed), 100).slice(1)}`;
    const { compiled, resolvers } = await bothWays.ask(world.owner, { query });
    expect(compiled.body).toBe(resolvers.body);
    expect(JSON.parse(compiled.body).data.rateLimit.cost).toBeGreaterThan(1_000);
  });
});

test('an operation whose fragments repeat long arguments is refused for its size, skipped fields included', async () => {
  const ids = Array.from({ length: 1_000 }, (_, at) => `"cnv_${at}"`);
  const spread = Array.from({ length: 30 }, (_, at) => `a${at}: agents(first: 1) { nodes { ...F } }`).join(' ');
  const fragment = `fragment F on Agent { conversations(first: 1, filter: {ids: [${ids.join()}]}) { nodes { id } } }`;
  for (const [query, isRefused] of [
    [`{ ${spread} } ${fragment}`, true],
    [`{ a: agents(first: 1) { nodes { ...F } } } ${fragment}`, false],
  ] as const) {
    const { compiled, resolvers } = await bothWays.ask(world.owner, { query });
    expect(compiled.body).toBe(resolvers.body);
    const { errors } = JSON.parse(compiled.body) as { errors?: { message: string }[] };
    expect(errors?.[0]?.message ?? '').toMatch(isRefused ? /^The operation is too large: its size is \d+/ : /^$/);
  }
});

test('fields that a variable skips count neither as fields nor as levels, on both ways', async () => {
  const names = Array.from({ length: 1_100 }, (_, at) => `n${at}: id`).join(' ');
  const query = `query ($all: Boolean!) { agents(first: 1) { nodes { id ...F @include(if: $all) } } } fragment F on Agent { ${names} }`;
  for (const all of [false, true]) {
    const { compiled, resolvers } = await bothWays.ask(world.owner, { query, variables: { all } });
    expect(compiled.body).toBe(resolvers.body);
    const { data, errors } = JSON.parse(compiled.body);
    if (all) expect(errors[0].message).toMatch(/its breadth is 1103\b/);
    else expect(data.agents.nodes).toHaveLength(1);
  }
});
