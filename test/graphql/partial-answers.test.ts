import { getNamedType, isLeafType, isNonNullType, isObjectType } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { accessOf } from '../support/auth/access.ts';
import { makeKey } from '../support/auth/keys.ts';
import { BothWays, difference } from '../support/compiled/both-ways.ts';
import { type GraphQLAnswer, useGateway } from '../support/gateway/app.ts';
import { type Cause, causesOf, documentBeside } from '../support/graphql/causes.ts';
import { lists } from '../support/graphql/lists.ts';
import { documentOf, type Field, rootFields, roots, schema, typeNameOf } from '../support/graphql/shape.ts';
import { oneOfEach, verbOf } from '../support/random/cases.ts';
import { idOfType, variablesOf } from '../support/world/inputs.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();
let world: World;
let other: World;
let bothWays: BothWays;
beforeAll(async () => {
  world = await makeWorld(gateway);
  other = await makeWorld(gateway);
  bothWays = new BothWays(gateway);
  narrow = await makeKey(gateway, world.owner, { scopes });
});

const types = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) && !type.name.startsWith('__'));
const fields = types.flatMap((type) =>
  isObjectType(type) ? Object.values(type.getFields()).map((field) => ({ type, field })) : [],
);

describe('what can fail is nullable:', () => {
  // Their resolvers return the event itself; what they read is in `turn`, which is nullable.
  const cannot = ['Subscription.resumeChat', 'Subscription.streamMessage'];

  test('every root field', () => {
    const names = roots.flatMap((root) =>
      rootFields(root)
        .filter(({ type }) => isNonNullType(type))
        .map(({ name }) => `${root}.${name}`),
    );
    expect(names).toEqual(cannot);
  });

  test('every field that takes arguments, which may be wrong', () => {
    const names = fields
      .filter(({ field }) => field.args.length > 0 && isNonNullType(field.type))
      // Errors in these belong to their `groups` field.
      .filter(({ type }) => !/Group(By|Connection|Cumulative|Measures)?$/.test(type.name))
      .map(({ type, field }) => `${type.name}.${field.name}`);
    expect(names).toEqual(cannot);
  });

  test('what a payload holds, unless it is there when the mutation has run', () => {
    const names = fields
      .filter(({ type, field }) => type.name.endsWith('Payload') && isNonNullType(field.type))
      .filter(({ field }) => {
        const held = getNamedType(field.type);
        if (!isObjectType(held)) return !isLeafType(held);
        return Object.values(held.getFields()).some(
          ({ type, args }) => args.length > 0 || !isLeafType(getNamedType(type)),
        );
      })
      .map(({ type, field }) => `${type.name}.${field.name}`);
    expect(names).toEqual([]);
  });
});

/** Fields that no caller can make fail: everybody may read them, and an unknown id gives null. */
const unfailing = ['viewer', 'workspace', 'termsAccepted', 'models', 'node', 'rateLimit'];

/** The scopes of a key that may use the fields beside the one that fails. */
const scopes: string[] = ['agents.read', 'leads.read', 'leads.write'];
let narrow: string;

/** A key that lacks the scope of the field. */
function narrowKey(field: Field): Cause[] {
  const access = accessOf[field.name] as string;
  if (access === 'everyone' || scopes.includes(access)) return [];
  return [{ name: 'by a key', viewer: narrow, variables: { ...variablesOf(field, world.ids) }, code: 'forbidden' }];
}

describe('one that fails leaves the other fields of its operation whole:', () => {
  const cases = (['Query', 'Mutation'] as const).flatMap((root) =>
    rootFields(root)
      .filter(({ name }) => !unfailing.includes(name))
      .map((field) => [`${root}.${field.name}`, root, field] as const),
  );

  // All lists are answered by one mechanism.
  const kindOf = (root: string, field: Field) =>
    root === 'Mutation' ? verbOf(field.name) : (/Connection$/.exec(typeNameOf(field))?.[0] ?? field.name);
  test.each(oneOfEach(cases, ([, root, field]) => kindOf(root, field)))('%s', async (_, root, field) => {
    const failed: string[] = [];
    for (const cause of [...causesOf(field, world, other), ...narrowKey(field)]) {
      for (const by of ['compiled', 'resolvers'] as const) {
        const leads = () => gateway.database.lead.count({ where: { workspaceId: world.id } });
        const before = await leads();
        const asked = documentBeside(root, field, cause.viewer !== world.viewer);
        const { body } = await bothWays.askOne(by, cause.viewer, { query: asked.query, variables: cause.variables });
        const { data, errors } = JSON.parse(body) as GraphQLAnswer;
        const wrote = (await leads()) - before;
        if (!errors) continue;
        failed.push(cause.name);
        expect({ cause: cause.name, by, errors, data, wrote }).toEqual({
          cause: cause.name,
          by,
          errors: [
            expect.objectContaining({
              path: ['failed'],
              extensions: expect.objectContaining({ code: cause.code }),
            }),
          ],
          data: { ...asked.others, failed: null },
          wrote: asked.writes,
        });
      }
    }
    expect(failed).not.toEqual([]);
  });

  test.each(unfailing)('%s fails for nobody', async (name) => {
    const field = rootFields('Query').find((each) => each.name === name) as Field;
    for (const ids of [world.ids, other.ids]) {
      const body = { query: documentOf('Query', field, 0), variables: variablesOf(field, ids) };
      for (const caller of [world.viewer, narrow]) {
        const { compiled, resolvers } = await bothWays.ask(caller, body);
        expect(compiled.body).toBe(resolvers.body);
        expect(JSON.parse(compiled.body)).not.toHaveProperty('errors');
      }
    }
  });

  const ofRows = lists.filter(({ owner }) => owner !== 'Query').map((list) => [list.name, list] as const);
  test.each(oneOfEach(ofRows, ([, { row }]) => row.name))('%s, and its parent', async (_, { owner, field }) => {
    const id = idOfType(world.ids, owner);
    for (const wrong of ['first: -1', 'after: "x"', 'offset: -1']) {
      const list = `list: ${field.name}(${wrong}) { totalCount nodes { __typename } }`;
      const query = `{ agents { totalCount } node(id: "${id}") { id ... on ${owner} { ${list} } } }`;
      const { compiled, resolvers } = await bothWays.ask(world.owner, { query });
      expect(compiled.body, difference(compiled.body, resolvers.body)).toBe(resolvers.body);
      expect(JSON.parse(compiled.body)).toEqual({
        data: { agents: { totalCount: 2 }, node: { id, list: null } },
        errors: [
          expect.objectContaining({
            path: ['node', 'list'],
            extensions: expect.objectContaining({ code: 'invalid_request' }),
          }),
        ],
      });
    }
  });
});

test('a list of each row that is wrongly asked for leaves the rows, with an error at the place of each', async () => {
  const query =
    '{ agents { nodes { id conversations(first: 101) { totalCount } channels(first: 0) { totalCount } } } }';
  const { compiled, resolvers } = await bothWays.ask(world.viewer, { query });
  expect(compiled.body).toBe(resolvers.body);
  const { data, errors } = JSON.parse(compiled.body) as GraphQLAnswer;
  expect(data.agents.nodes).toHaveLength(2);
  for (const agent of data.agents.nodes)
    expect(agent).toEqual({
      id: expect.any(String),
      conversations: null,
      channels: { totalCount: expect.any(Number) },
    });
  expect(errors?.map(({ path }) => path)).toEqual([0, 1].map((row) => ['agents', 'nodes', row, 'conversations']));
});

test.each(['compiled', 'resolvers'] as const)(
  'a dashboard keeps the tiles that its viewer may see, by the %s',
  async (by) => {
    const query = '{ agents { totalCount } webhooks { totalCount } leads { totalCount } messages { totalCount } }';
    const { body } = await bothWays.askOne(by, world.viewer, { query });
    const { data, errors } = JSON.parse(body) as GraphQLAnswer;
    const count = { totalCount: expect.any(Number) };
    expect(data).toEqual({ agents: count, webhooks: null, leads: count, messages: count });
    expect(errors).toMatchObject([{ path: ['webhooks'], extensions: { code: 'forbidden' } }]);
  },
);

test.each(['compiled', 'resolvers'] as const)(
  'what a mutation wrote is told, whatever comes after it, by the %s',
  async (by) => {
    const query = `mutation {
    a: createLead(input: { name: "Kept ${by}" }) { lead { name conversations(first: -1) { totalCount } } }
    b: deleteLead(input: { id: "led_00000000000000000000000000" }) { lead { deleted } }
    c: createLead(input: { name: "Also ${by}" }) { lead { name } }
  }`;
    const { body } = await bothWays.askOne(by, world.owner, { query });
    const { data, errors } = JSON.parse(body) as GraphQLAnswer;
    expect(data).toEqual({
      a: { lead: { name: `Kept ${by}`, conversations: null } },
      b: null,
      c: { lead: { name: `Also ${by}` } },
    });
    const placed = errors?.map(({ path, extensions: { code } }) => [path?.join('.'), code]);
    expect(placed?.sort()).toEqual([
      ['a.lead.conversations', 'invalid_request'],
      ['b', 'not_found'],
    ]);
    const name = { in: [`Kept ${by}`, `Also ${by}`] };
    expect(await gateway.database.lead.count({ where: { workspaceId: world.id, name } })).toBe(2);
  },
);

test('an event keeps what can be told of it when a part of it cannot', async () => {
  const query = `subscription ($input: SendMessageInput!) {
    streamMessage(input: $input) { id turn { messages { content } conversation { id messages(first: -1) { totalCount } } } }
  }`;
  const { agentId, conversationId } = world.ids;
  const authorization = `Bearer ${await gateway.bearer(world.owner)}`;
  const response = await gateway.app.request('/graphql', {
    method: 'POST',
    headers: { authorization, accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { input: { agentId, conversationId, message: { content: 'Hello' } } } }),
  });
  const events = (await response.text()).split('\n').filter((line) => line.startsWith('data: {'));
  const { data, errors } = JSON.parse(events.at(-1)?.slice('data: '.length) ?? '') as GraphQLAnswer;
  expect(data.streamMessage).toEqual({
    id: expect.any(String),
    turn: { messages: [{ content: expect.any(String) }], conversation: { id: conversationId, messages: null } },
  });
  expect(errors).toMatchObject([{ path: ['streamMessage', 'turn', 'conversation', 'messages'] }]);
});
