import { type GraphQLObjectType, getNamedType, isLeafType } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { schema } from '../../schema/index.ts';
import { createApp } from '../../src/app.ts';
import type { Pool, Use } from '../../src/database/pool.ts';
import { BothWays } from '../support/compiled/both-ways.ts';
import { isServed } from '../support/database/cluster-limits.ts';
import { statementsOf } from '../support/database/database.ts';
import { type Gateway, useGateway } from '../support/gateway/app.ts';
import { withStoppedClock } from '../support/gateway/stopped-clock.ts';
import { heldBy } from '../support/gateway/with-key.ts';
import { type Field, rootFields } from '../support/graphql/shape.ts';
import { oneOfEach, verbOf } from '../support/random/cases.ts';
import { operations, type RestRequest, requests } from '../support/rest/operations.ts';
import { comesAfter, variablesOf } from '../support/world/inputs.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();
let bothWays: BothWays;
beforeAll(() => {
  bothWays = new BothWays(gateway);
});

type By = 'compiled' | 'resolvers';

const graphql = (query: string, variables: object, key: string): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', 'idempotency-key': key },
  body: JSON.stringify({ query, variables }),
});

/** The compiled query sets content-length itself; for the resolvers, the server adds it. */
async function told(by: By, world: World, path: string, init: RequestInit) {
  const { headers, ...answer } = await bothWays.send(by, world.owner, path, init);
  const { 'content-length': _, ...others } = headers;
  return { ...answer, headers: others };
}

/** One writes; the other repeats the response byte for byte, and writes nothing. */
async function expectSame(world: World, first: By, path: string, init: RequestInit): Promise<void> {
  const made = await told(first, world, path, init);
  expect(made).toMatchObject({ status: 200, served: first === 'compiled' && isServed(made) });
  expect(made.body).not.toContain('"errors"');
  const { held } = await heldBy(gateway, world);
  for (const by of ['compiled', 'resolvers', 'compiled'] as const) {
    const answer = await told(by, world, path, init);
    expect({ ...answer, served: made.served }).toEqual(made);
  }
  expect((await heldBy(gateway, world)).held).toEqual(held);
}

describe('with an Idempotency-Key, whoever wrote first, the others answer the same to', () => {
  const written = rootFields('Mutation').filter(({ extensions }) => extensions.parleyWrite);
  const mutations = written.map((field) => [field.name, field] as const);
  test.each(oneOfEach(mutations, ([name]) => verbOf(name)))('%s', async (_, field) => {
    for (const first of ['compiled', 'resolvers'] as const) {
      const world = await makeWorld(gateway);
      const before = written.find(({ name }) => name === comesAfter[field.name]);
      if (before) await told(first, world, '/graphql', graphql(queryOf(before), variablesOf(before, world.ids), 'b'));
      await expectSame(world, first, '/graphql', graphql(queryOf(field), variablesOf(field, world.ids), 'k'));
    }
  });

  // Keys are part of no statement: what rewrites statements must not find them.
  test.each([
    ['is like a statement', `WHERE "t0"."workspaceId" = $1 "a"."workspaceId" = "b"."id"`],
    ['has quotes, backslashes and placeholders', `'"\\$1 $2 {} \\' --`],
  ])('a key that %s', async (_, key) => {
    for (const first of ['compiled', 'resolvers'] as const) {
      const world = await makeWorld(gateway);
      const write = graphql('mutation { createLead(input: { name: "A" }) { lead { id } } }', {}, key);
      const { statements } = await statementsOf(() => expectSame(world, first, '/graphql', write));
      expect(statements.length).toBeLessThan(200);
    }
  });

  const served = [
    'createLead',
    'deleteLead',
    'createField',
    'enableField',
    'updatePlugin',
    'createChannel',
    'updateDocument',
  ];
  const writes = operations.filter(({ operationId }) => served.includes(operationId));
  const called = writes.map((operation) => [operation.operationId, operation] as const);
  test.each(oneOfEach(called, ([id]) => verbOf(id)))('REST %s', async (id, operation) => {
    for (const first of ['compiled', 'resolvers'] as const) {
      const world = await makeWorld(gateway);
      const { path: names = {}, body } = (requests[id] as (ids: World['ids']) => RestRequest)(world.ids);
      const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => names[name] ?? '');
      const json = body && { 'content-type': 'application/json' };
      const init = {
        method: operation.method,
        headers: { ...json, 'idempotency-key': 'k' },
        ...(body && { body: JSON.stringify(body) }),
      };
      await expectSame(world, first, path, init);
    }
  });
});

const queryOf = ({ name, args }: Field) =>
  `mutation ($input: ${String(args[0]?.type)}) { ${name}(input: $input) { __typename ${leavesOf(name)} } }`;

/** The fields of a payload, without those of its rows. */
function leavesOf(name: string): string {
  const payload = schema.getType(`${name[0]?.toUpperCase()}${name.slice(1)}Payload`) as GraphQLObjectType;
  return Object.values(payload.getFields())
    .filter((field) => field.name !== 'clientMutationId')
    .map((field) => (isLeafType(getNamedType(field.type)) ? field.name : `${field.name} { __typename }`))
    .join(' ');
}

describe('with an Idempotency-Key, a compiled query', () => {
  const query = 'mutation ($name: String!) { createLead(input: { name: $name }) { lead { name custom } } }';
  const ask = (world: World, key: string, name = 'Ada') =>
    bothWays.send('compiled', world.owner, '/graphql', graphql(query, { name }, key));

  test('writes by the one statement that it writes by without, and answers a repetition by two', async () => {
    const world = await makeWorld(gateway);
    const sent = async () => {
      const { result, statements } = await withStoppedClock(async () => {
        await ask(world, 'before');
        return statementsOf(() => ask(world, 'k'));
      });
      // The queue maintains its own tables in the background.
      return { result, statements: statements.filter((text) => !text.includes('pgboss')) };
    };
    const first = await sent();
    expect(first.statements.map((text) => text.replaceAll(/\s+/g, ' ').slice(0, 31))).toEqual([
      'BEGIN; INSERT INTO "Idempotency',
      'WITH written AS (INSERT INTO "L',
      'UPDATE "Idempotency" SET "answe',
    ]);
    const again = await sent();
    expect(again.result).toEqual(first.result);
    expect(again.statements.map((text) => text.slice(0, 13))).toEqual(['BEGIN; INSERT', 'SELECT *, sta']);
  });

  test('claims a key that has expired, and one whose attempt has lost its lease', async () => {
    const world = await makeWorld(gateway);
    for (const past of [{ expiresAt: new Date(0) }, { aliveUntil: new Date(0), holder: 'lost', answerCipher: null }]) {
      await ask(world, 'k', 'Ada');
      await gateway.database.idempotency.updateMany({ where: { workspaceId: world.id, key: 'k' }, data: past });
      const { body, served } = await ask(world, 'k', 'Grace');
      expect(body).toContain('"Grace"');
      expect(served).toBe(true);
      expect((await ask(world, 'k', 'Grace')).body).toBe(body);
      await gateway.database.idempotency.deleteMany({ where: { workspaceId: world.id, key: 'k' } });
    }
  });

  test('refuses a key as the resolvers do, without asking them', async () => {
    const world = await makeWorld(gateway);
    const { database } = gateway;
    const where = { workspaceId: world.id, key: 'k' };
    await ask(world, 'k');
    const states = [
      { data: {}, status: 422 },
      { data: { answerCipher: null }, status: 409 },
      { data: { holder: 'other', aliveUntil: new Date(Date.now() + 60_000), answerCipher: null }, status: 409 },
    ];
    for (const { data, status } of states) {
      await database.idempotency.updateMany({ where, data });
      for (const accept of ['application/json', 'application/graphql-response+json']) {
        const init = graphql(query, { name: status === 422 ? 'Grace' : 'Ada' }, 'k');
        const asked = { ...init, headers: { ...(init.headers as object), accept } };
        const resolvers = await told('resolvers', world, '/graphql', asked);
        expect(resolvers.body).toMatch(status === 422 ? 'idempotency_key_reused' : /conflict|request_in_progress/);
        expect(await told('compiled', world, '/graphql', asked)).toEqual({ ...resolvers, served: true });
      }
    }
  });

  test('leaves to the resolvers what is refused, and no transaction open', async () => {
    const world = await makeWorld(gateway);
    await ask(world, 'k');
    expect((await ask(world, 'k', 'Grace')).body).toContain('"idempotency_key_reused"');
    const { owner, ids } = world;
    const gone = 'mutation ($id: ID!) { deleteLead(input: { id: $id }) { lead { id } } }';
    for (const key of ['d1', 'd2', 'd3', 'd4', 'd5', 'd6', 'd7', 'd8', 'd9']) {
      const { body } = await bothWays.send('compiled', owner, '/graphql', graphql(gone, { id: ids.leadId }, key));
      expect(body).toContain(key === 'd1' ? `"id":"${ids.leadId}"` : '"not_found"');
    }
    const { rows } = await gateway.handle.pool.query(
      `SELECT count(*)::int AS open FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
    );
    expect(rows).toEqual([{ open: 0 }]);
    expect(
      await gateway.database.idempotency.count({ where: { workspaceId: world.id, key: { startsWith: 'd' } } }),
    ).toBe(1);
  });

  test('says so when nobody knows whether its write was kept, and answers by the key what became of it', async () => {
    const world = await makeWorld(gateway);
    const lease = async (use: Use) => {
      const { client, release } = await gateway.handle.pool.lease(use);
      const query = async (asked: string, ...done: never[]) => {
        const answer = await client.query(asked, ...done);
        if (typeof asked === 'string' && asked.endsWith('; COMMIT')) throw new Error('Connection terminated');
        return answer;
      };
      return { client: { query }, release };
    };
    const pool = { lease, read: (work: (pool: Pool) => unknown) => work(gateway.handle.pool) };
    const config = { ...gateway.services.config, compiledQueries: true };
    const services = { ...gateway.services, pool, config } as unknown as Gateway['services'];
    const app = createApp(services, async () => null);
    const headers = { authorization: `Bearer ${await gateway.bearer(world.owner)}` };
    const init = graphql(query, { name: 'Lost' }, 'k');
    const told = await app.request('/graphql', { ...init, headers: { ...(init.headers as object), ...headers } });
    expect(await told.text()).toContain('"code":"unavailable"');
    expect((await ask(world, 'k', 'Lost')).body).toContain('"Lost"');
    expect(await gateway.database.lead.count({ where: { workspaceId: world.id, name: 'Lost' } })).toBe(1);
  });
});
