import { type GraphQLObjectType, getNamedType, isLeafType, isObjectType, isRequiredArgument } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { schema } from '../../schema/index.ts';
import { createApp } from '../../src/app.ts';
import type { Use } from '../../src/database/pool.ts';
import { BothWays, difference } from '../support/compiled/both-ways.ts';
import { inputsOf } from '../support/compiled/inputs.ts';
import { isLimited, isServed } from '../support/database/cluster-limits.ts';
import { statementsOf } from '../support/database/database.ts';
import { type Gateway, useGateway } from '../support/gateway/app.ts';
import { withStoppedClock } from '../support/gateway/stopped-clock.ts';
import { casesOf } from '../support/random/cases.ts';
import { Random } from '../support/random/random.ts';
import { comesAfter, inputs } from '../support/world/inputs.ts';
import { makeWorld, type World } from '../support/world/world.ts';

/** COMPILED_SEED sets another seed. */
const seed = Number(process.env.COMPILED_SEED ?? 1);
const rounds = Number(process.env.COMPILED_MUTATIONS ?? casesOf(6));

const mutations = Object.values((schema.getMutationType() as GraphQLObjectType).getFields())
  .filter((field) => field.extensions.parleyWrite)
  .map(({ name, type, extensions }) => {
    const { model, writes = model } = extensions.parleyWrite as { model: string; writes?: string };
    return { name, payload: getNamedType(type) as GraphQLObjectType, written: writes };
  });

/** Values of a row that only their resolvers know. */
const left = ['Gap.question'];

const gateway = useGateway();
let bothWays: BothWays;
let begun: Date;
let worlds: { compiled: World; resolvers: World };
beforeAll(() => {
  bothWays = new BothWays(gateway);
});

/**
 * Two identical workspaces on one database: compiled queries write to one, the resolvers to the other.
 * Each group of tests has its own pair, so that rows removed by others do not matter.
 */
function useTwins(): void {
  beforeAll(async () => {
    worlds = { compiled: await makeWorld(gateway), resolvers: await makeWorld(gateway) };
    const where = { workspaceId: { in: [worlds.compiled.id, worlds.resolvers.id] } };
    // Otherwise the order of roles would differ between the worlds.
    await gateway.database.message.updateMany({ where, data: { role: 'user' } });
    begun = new Date();
  });
}

type Role = 'owner' | 'admin' | 'editor' | 'viewer' | 'app';

/** Both responses to a mutation, with the ids, marks and times of their worlds normalised. */
async function ask(role: Role, make: (world: World) => { query: string; variables: object }) {
  const send = async (by: 'compiled' | 'resolvers') => {
    const world = worlds[by];
    const answer = await bothWays.askOne(by, world[role], make(world));
    // The length of a body depends on the mark of its world.
    const { 'content-length': _, ...headers } = answer.headers;
    return { ...answer, headers, body: told(world, answer.body) };
  };
  return { compiled: await send('compiled'), said: bothWays.said, resolvers: await send('resolvers') };
}

/** Normalises the values that differ between the worlds; equal times since then stay equal. */
function told({ ids, mark }: World, text: string): string {
  let told = text;
  for (const [name, id] of Object.entries(ids)) told = told.replaceAll(id, `<${name}>`);
  const times = new Map<string, string>();
  return told
    .replaceAll(mark, '<mark>')
    .replaceAll(/(<mark>(?:[ -][a-z]+)*|<\w+Id>)[ -]\d+/g, '$1')
    .replaceAll(/\b[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}\b/g, '<id>')
    .replaceAll(/pas_[\w-]+|pub_\w+|whsec_[\w+/=]+|••••[^"]+|plugin_\d+|(?<="hint":")[\w-]+/g, '<secret>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)/g, (time) => {
      if (new Date(time) < begun) return '<time before>';
      if (!times.has(time)) times.set(time, `<time ${times.size}>`);
      return times.get(time) as string;
    });
}

/** Drops which times are equal: several rows may share one by chance. */
const timeless = (text: string) => text.replaceAll(/<time \w+>/g, '<time>');

/** Columns that differ between rows that are otherwise the same. */
const own = /(?:Cipher|Hash|position|requestId|traceparent|transaction|rank)$/;

/** All scalar fields of a payload's row. */
function leaves(payload: GraphQLObjectType): string {
  const fields = Object.values(payload.getFields()).map(({ name, type }) => {
    const named = getNamedType(type);
    return isObjectType(named) ? `${name} { __typename ${leavesOf(named)} }` : name;
  });
  return fields.join(' ');
}

const leavesOf = (type: GraphQLObjectType) =>
  Object.values(type.getFields())
    .filter((field) => isLeafType(getNamedType(field.type)) && field.args.length === 0)
    .map(({ name }) => name)
    .filter((name) => !left.includes(`${type.name}.${name}`))
    .join(' ');

const documentOf = (name: string, selection: string) =>
  `mutation ($input: ${capital(name)}Input!) { ${name}(input: $input) { ${selection} } }`;
const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

/** Random fields of a row and its related rows; of lists only the count, since their order may differ. */
function selectionOf(type: GraphQLObjectType, random: Random, depth = 0): string {
  const fields = Object.values(type.getFields()).filter(({ args }) =>
    args.every((argument) => !isRequiredArgument(argument)),
  );
  const parts = random.some(fields, depth === 0 ? 0.9 : 0.3).flatMap(({ name, type: fieldType }) => {
    const inner = getNamedType(fieldType);
    if (isLeafType(inner)) return [name];
    if (inner.name.endsWith('Connection')) return depth < 4 ? [`${name} { totalCount }`] : [];
    return isObjectType(inner) && depth < 4 ? [`${name} { ${selectionOf(inner, random, depth + 1)} }`] : [];
  });
  return ['__typename', ...parts].join(' ');
}

const all = { served: 0, resolved: 0, failed: 0 };

describe.each(mutations)('$name', ({ name, payload, written }) => {
  useTwins();
  beforeAll(async () => {
    const first = comesAfter[name];
    if (!first) return;
    const query = documentOf(first, '__typename');
    await ask('owner', ({ ids }) => ({ query, variables: { input: inputs[first]?.(ids) ?? {} } }));
  });
  const random = new Random(seed);

  test('is one statement, whose answer is that of the resolvers', async () => {
    const query = documentOf(name, leaves(payload));
    const make = ({ ids }: World) => ({
      query,
      variables: { input: { ...inputs[name]?.(ids), clientMutationId: 'x"' } },
    });
    const { result, statements } = await withStoppedClock(() => statementsOf(() => ask('owner', make)));
    expect(result.compiled).toEqual({ ...result.resolvers, served: isServed(result.compiled) });
    expect(JSON.parse(result.compiled.body).errors).toBeUndefined();
    if (result.compiled.served) expect(statements.filter((text) => text.includes('"response"'))).toHaveLength(1);
  });

  test(`answers random inputs and selections as the resolvers do`, async () => {
    const tally = { served: 0, resolved: 0, failed: 0 };
    for (let round = 0; round < rounds; round++) {
      const role = random.pick(['owner', 'admin', 'editor', 'viewer', 'app'] as const);
      const query = documentOf(name, selectionOf(payload, random));
      const input = inputsOf(name, random);
      const make = ({ ids }: World) => ({ query, variables: { input: input(ids) } });
      const { compiled, said, resolvers } = await ask(role, make);
      const where = `${JSON.stringify(make(worlds.compiled))}\n${said}\n${difference(compiled.body, resolvers.body)}`;
      expect({ ...compiled, body: timeless(compiled.body), served: false }, where).toEqual({
        ...resolvers,
        body: timeless(resolvers.body),
      });
      tally[JSON.parse(compiled.body).errors ? 'failed' : compiled.served ? 'served' : 'resolved'] += 1;
    }
    for (const key of ['served', 'resolved', 'failed'] as const) all[key] += tally[key];
    process.stdout.write(`${name} ${JSON.stringify(tally)}\n`);
  });

  test.each([
    ['writes', written],
    ['records', 'AuditEntry'],
    ['tells', 'OutboxEvent'],
  ])('%s what it does with the resolvers: %s', async (_, table) => {
    const rowsOf = async (world: World) => {
      const { rows } = await gateway.handle.pool.query<{ row: { updatedAt?: string; createdAt?: string } }>(
        `SELECT to_jsonb(t) AS row FROM "${table}" t WHERE "${table === 'Workspace' ? 'id' : 'workspaceId'}" = $1`,
        [world.id],
      );
      const texts = rows
        .filter(({ row }) => new Date(row.updatedAt ?? row.createdAt ?? begun) >= begun)
        .map(({ row }) => Object.entries(row).filter(([column]) => !own.test(column)))
        .map((row) => timeless(told(world, JSON.stringify(row))));
      return texts.toSorted();
    };
    expect(await rowsOf(worlds.compiled)).toEqual(await rowsOf(worlds.resolvers));
  });
});

test.skipIf(isLimited('oneStatement'))('most of the random mutations that succeed are one statement', () => {
  process.stdout.write(`${JSON.stringify(all)} by seed ${seed}\n`);
  // Of 8 rounds, 56 % were: others select what is being written, or fields that are not in the database.
  expect(all.served / (all.served + all.resolved)).toBeGreaterThan(0.4);
});

describe('a create', () => {
  useTwins();
  const query = documentOf('createLead', 'lead { id name capture }');
  const variables = { input: { name: 'Ana', email: 'ana@example.com', phone: '+5511987654321' } };
  const json = { 'content-type': 'application/json' };

  test.skipIf(isLimited('oneStatement'))('is one statement in all, through GraphQL and REST', async () => {
    const { owner } = worlds.compiled;
    const graphql = () => bothWays.askOne('compiled', owner, { query, variables });
    const body = JSON.stringify(variables.input);
    const rest = () => bothWays.send('compiled', owner, '/rest/leads', { method: 'POST', body, headers: json });
    for (const create of [graphql, rest]) {
      const { result, statements } = await withStoppedClock(async () => {
        for (let warm = 0; warm < 2; warm++) await create();
        return statementsOf(create);
      });
      expect(result).toMatchObject({ status: 200, served: true });
      expect(statements).toEqual([expect.stringMatching(/^WITH written AS \(INSERT INTO "Lead"/)]);
    }
  });

  test.each([
    ['the rows that it adds to', 'lead { agent { leads { totalCount nodes { id } } } }'],
    [
      'those that it adds to, far away',
      'lead { workspace { agents { nodes { leads(first: 1) { nodes { name } } } } } }',
    ],
  ])('that asks for %s sees the new row among them', async (_, selection) => {
    const { owner, ids } = worlds.compiled;
    const input = { agentId: ids.activeAgentId, name: 'Newest' };
    const { body, served } = await bothWays.askOne('compiled', owner, {
      query: documentOf('createLead', selection),
      variables: { input },
    });
    expect(served).toBe(false);
    const { data } = await gateway.graphql(
      owner,
      `{ agent(id: "${ids.activeAgentId}") { leads { totalCount nodes { id } } } workspace { agents { nodes { leads(first: 1) { nodes { name } } } } } }`,
    );
    expect([{ agent: data.agent }, { workspace: data.workspace }]).toContainEqual(
      JSON.parse(body).data.createLead.lead,
    );
  });

  test('whose outcome the database does not tell is an error, and is not tried again', async () => {
    const { owner } = worlds.compiled;
    const pool = {
      async lease(use: Use) {
        const { client, release } = await gateway.handle.pool.lease(use);
        const query = (asked: string, done: (error: Error) => void) =>
          client.query(asked, () => done(new Error('Connection terminated unexpectedly')));
        return { client: { query }, release };
      },
    };
    const services = { ...gateway.services, pool } as unknown as Gateway['services'];
    const app = createApp({ ...services, config: { ...services.config, compiledQueries: true } }, async () => null);
    const headers = { ...json, authorization: `Bearer ${await gateway.bearer(owner)}` };
    const post = (path: string, body: object) =>
      app.request(path, { method: 'POST', headers, body: JSON.stringify(body) });
    const count = () => gateway.database.lead.count({ where: { workspaceId: owner.workspaceId } });
    const before = await count();
    const graphql = await post('/graphql', { query, variables });
    expect(graphql.status).toBe(503);
    expect(await graphql.json()).toEqual({
      errors: [
        { message: expect.stringContaining('may or may not have been stored'), extensions: { code: 'unavailable' } },
      ],
    });
    const rest = await post('/rest/leads', variables.input);
    expect([rest.status, await rest.json()]).toMatchObject([503, { code: 'unavailable' }]);
    expect(await count()).toBe(before + 2);
  });
});
