import { type GraphQLInputObjectType, type GraphQLObjectType, getNamedType } from 'graphql';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Viewer } from '../../src/core/viewer.ts';
import { rolesFor } from '../support/auth/access.ts';
import { BothWays } from '../support/compiled/both-ways.ts';
import { contentsOf } from '../support/database/rows-of.ts';
import { type GraphQLAnswer, useGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace } from '../support/gateway/factories.ts';
import { documentOf, type Field, rootFields, schema } from '../support/graphql/shape.ts';
import { oneOfEach, verbOf } from '../support/random/cases.ts';
import { variablesOf } from '../support/world/inputs.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();
let bothWays: BothWays;
beforeAll(() => {
  bothWays = new BothWays(gateway);
});
afterEach(() => vi.useRealTimers());

const inputOf = ({ args }: Field) =>
  getNamedType(args.find(({ name }) => name === 'input')?.type) as GraphQLInputObjectType | undefined;
const takesCondition = (field: Field): boolean => inputOf(field)?.getFields().expectedUpdatedAt !== undefined;
const mutations = rootFields('Mutation');
const conditional = mutations.filter(takesCondition);

const tried = oneOfEach(
  conditional.map((field) => [field.name, field] as const),
  ([name]) => verbOf(name),
);

/** Mutations of rows with `updatedAt` that take no condition, each with the reason; `create…` makes a row. */
const unconditional: Record<string, string> = {
  addSource: 'makes a row',
  answerGap: 'adds a source, and the gap takes no second answer',
  attachBase: 'adds to a list, or takes from it, whatever else is in it',
  attachPlugin: 'adds to a list, or takes from it, whatever else is in it',
  detachBase: 'adds to a list, or takes from it, whatever else is in it',
  detachPlugin: 'adds to a list, or takes from it, whatever else is in it',
  evaluateAgent: 'makes a row',
  generateCopy: 'makes rows',
  handBackConversation: 'is refused by the state of the conversation',
  importPlugin: 'makes a row',
  inviteMember: 'makes a row',
  recordCopy: 'makes a row',
  refreshPlugin: 'reads what somebody else says now, and overwrites nothing of a person',
  reindexBase: 'reads again, and overwrites nothing of a person',
  reindexSource: 'reads again, and overwrites nothing of a person',
  renewInvitationLink: 'makes a link, whatever the row is like',
  retrySource: 'reads again, and overwrites nothing of a person',
  sendAsPerson: 'makes a row',
  sendMessage: 'makes rows',
  stopTurn: 'stops what is under way, if anything is',
  takeOverConversation: 'is refused by the state of the conversation',
};

test('each mutation that changes a row takes the time as of which its caller knows it, or there is a reason', () => {
  const showsTime = (field: Field) =>
    Object.values((getNamedType(field.type) as GraphQLObjectType).getFields()).some((shown) => {
      const row = getNamedType(shown.type);
      return 'getFields' in row && row.getFields().updatedAt !== undefined;
    });
  const without = mutations.filter((field) => showsTime(field) && !takesCondition(field)).map(({ name }) => name);
  const changing = without.filter((name) => verbOf(name) !== 'create');
  expect(changing.toSorted()).toEqual(Object.keys(unconditional).toSorted());
  expect(conditional.length).toBeGreaterThan(35);
});

const never = '2001-01-01T00:00:00.000Z';
const expecting = (variables: object, expectedUpdatedAt: string) => {
  const { input } = variables as { input: object };
  return { input: { ...input, expectedUpdatedAt } };
};
type Conflict = { message: string; extensions: { code: string; current: Record<string, unknown> } };

describe('as of another time, nothing is done and the row as it is now is told, by', () => {
  // Nobody may change it.
  let shared: Promise<World> | undefined;

  test.each(tried)('%s', async (name, field) => {
    const world = await makeWorld(gateway);
    const viewer = world[rolesFor(name).includes('owner') ? 'owner' : 'app'];
    const query = documentOf('Mutation', field, 0);
    const variables = variablesOf(field, world.ids);
    const before = await contentsOf(gateway, world.id);
    const { compiled, resolvers } = await bothWays.ask(viewer, { query, variables: expecting(variables, never) });
    expect(compiled.body).toBe(resolvers.body);
    const { data, errors } = JSON.parse(compiled.body) as { data: unknown; errors: Conflict[] };
    expect(data).toEqual({ [name]: null });
    expect(errors).toMatchObject([
      {
        message: 'This has changed since you read it: read it again, and repeat the change if it still applies.',
        extensions: { code: 'conflict', current: { updatedAt: expect.stringMatching(/^\d{4}-/) } },
      },
    ]);
    expect(await contentsOf(gateway, world.id)).toEqual(before);

    const updatedAt = String(errors[0]?.extensions.current.updatedAt);
    const answer = await gateway.graphql(viewer, query, expecting(variables, updatedAt));
    expect(answer.errors).toBeUndefined();
    const again = await gateway.graphql(viewer, query, expecting(variables, updatedAt));
    expect(again.errors?.[0]?.extensions.code).toMatch(/^(conflict|not_found)$/);
  });

  test.each(tried)('%s of nobody who may not', async (name, field) => {
    const others = (['viewer', 'app', 'editor', 'admin', 'owner'] as const).filter(
      (role) => !rolesFor(name).includes(role),
    );
    const world = await (shared ??= makeWorld(gateway));
    const query = documentOf('Mutation', field, 0);
    for (const role of others) {
      const { errors } = await gateway.graphql(world[role], query, expecting(variablesOf(field, world.ids), never));
      expect([role, errors?.[0]?.extensions]).toEqual([role, { code: 'forbidden' }]);
    }
  });
});

test('null, and nothing at all, set no condition', async () => {
  const home = await makeWorkspace(gateway);
  const { id } = await makeAgent(gateway, home.editor);
  const query = 'mutation ($input: UpdateAgentInput!) { updateAgent(input: $input) { agent { name } } }';
  for (const input of [
    { id, name: 'One', expectedUpdatedAt: null },
    { id, name: 'One' },
  ]) {
    const { compiled, resolvers } = await bothWays.ask(home.editor, { query, variables: { input } });
    expect([compiled.served, compiled.body, resolvers.body]).toEqual([true, ...Array(2).fill(updated)]);
  }
});
const updated = '{"data":{"updateAgent":{"agent":{"name":"One"}}}}';

test('a row of another workspace is not found, whatever is expected of it', async () => {
  const [home, other] = [await makeWorkspace(gateway), await makeWorkspace(gateway)];
  const { id } = await makeAgent(gateway, other.editor);
  const query = 'mutation ($input: UpdateAgentInput!) { updateAgent(input: $input) { agent { name } } }';
  const { errors } = await gateway.graphql(home.editor, query, { input: { id, name: 'x', expectedUpdatedAt: never } });
  expect(errors?.[0]).toMatchObject({ message: 'Agent not found.', extensions: { code: 'not_found' } });
  const bad = await gateway.graphql(home.editor, query, { input: { id, expectedUpdatedAt: 'yesterday' } });
  expect(bad.errors?.[0]?.extensions.code).toBe('invalid_request');
});

test('what a viewer may not see of the row is masked in the conflict too', async () => {
  const home = await makeWorkspace(gateway);
  const query = 'mutation ($input: UpdateAppInput!) { updateApp(input: $input) { app { secret } } }';
  const input = { id: 'portal', name: 'Renamed', expectedUpdatedAt: never };
  const secretOf = async (viewer: Viewer) => {
    const { errors } = await gateway.graphql(viewer, query, { input });
    const [conflict] = (errors ?? []) as unknown as Conflict[];
    return conflict?.extensions.current.secret;
  };
  const shown = await gateway.data(home.viewer, '{ app(id: "portal") { secret } }');
  expect(await secretOf(home.owner)).not.toBe(shown.app.secret);
  for (const viewer of [{ ...home.owner, credential: 'minted' as const }]) {
    const seen = await gateway.data(viewer, '{ app(id: "portal") { secret } }');
    expect(await secretOf(viewer)).toBe(seen.app.secret);
  }
});

const agents = {
  query: 'mutation ($input: UpdateAgentInput!) { updateAgent(input: $input) { agent { name updatedAt } } }',
  read: async (viewer: Viewer, id: string) =>
    (await gateway.data(viewer, 'query ($id: ID!) { agent(id: $id) { name updatedAt } }', { id })).agent,
};

test.each(['compiled', 'resolvers'] as const)('of many who write at once, exactly one wins, by the %s', async (by) => {
  const home = await makeWorkspace(gateway);
  const { id } = await makeAgent(gateway, home.editor);
  for (let round = 0; round < 5; round++) {
    const { updatedAt } = await agents.read(home.editor, id);
    const names = Array.from({ length: 8 }, (_, index) => `Round ${round} writer ${index}`);
    const answers = await Promise.all(
      names.map((name) =>
        bothWays.askOne(by, home.editor, {
          query: agents.query,
          variables: { input: { id, name, expectedUpdatedAt: updatedAt } },
        }),
      ),
    );
    const bodies = answers.map(({ body }) => JSON.parse(body) as GraphQLAnswer);
    const won = bodies.filter(({ errors }) => !errors);
    expect(won).toHaveLength(1);
    // One statement both compares and writes.
    expect(answers.filter(({ served }) => served)).toHaveLength(by === 'compiled' ? 1 : 0);
    const codes = bodies.flatMap(({ errors }) => errors?.map(({ extensions }) => extensions.code) ?? []);
    expect(codes).toEqual(Array(7).fill('conflict'));
    expect(await agents.read(home.editor, id)).toEqual(won[0]?.data.updateAgent.agent);
  }
});

test('without the condition, the last of two who write at once overwrites the other', async () => {
  const home = await makeWorkspace(gateway);
  const { id } = await makeAgent(gateway, home.editor);
  const names = ['One', 'Two'];
  const answers = await Promise.all(
    names.map((name) => gateway.graphql(home.editor, agents.query, { input: { id, name } })),
  );
  expect(answers.map(({ errors }) => errors)).toEqual([undefined, undefined]);
});

test('two changes of a row never have the same time, nor an earlier one, by whichever clock', async () => {
  const home = await makeWorkspace(gateway);
  const { id } = await makeAgent(gateway, home.editor);
  const lead = (await gateway.rest(home.app, 'POST', '/rest/leads', { name: 'Ana' })).body.id as string;
  const leads = 'mutation ($input: UpdateLeadInput!) { updateLead(input: $input) { lead { updatedAt } } }';
  const now = Date.now();
  const times: string[][] = [[], []];
  for (const skew of [0, 0, 0, -300_000, -300_000, 0]) {
    vi.useFakeTimers({ toFake: ['Date'], now: now + skew });
    const input = { id, name: `At ${times[0]?.length}` };
    times[0]?.push((await gateway.data(home.editor, agents.query, { input })).updateAgent.agent.updatedAt);
    const changed = { id: lead, name: `At ${times[1]?.length}` };
    times[1]?.push((await gateway.data(home.editor, leads, { input: changed })).updateLead.lead.updatedAt);
  }
  for (const told of times) expect(new Set(told).size).toBe(6);
  for (const told of times) expect(told).toEqual(told.toSorted());
});

test('the trigger that sees to it is on each table whose rows take the condition', async () => {
  const { rows } = await gateway.handle.pool.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid 
     WHERE t.tgname LIKE '%\\_later' AND NOT c.relispartition`,
  );
  const shown = Object.values(schema.getTypeMap()).filter((type) => 'getFields' in type && type.getFields().updatedAt);
  const models = shown.flatMap(({ extensions }) => (extensions.pothosPrismaModel as string | undefined) ?? []);
  expect(rows.map(({ name }) => name).toSorted()).toEqual([...new Set(models)].toSorted());
});
