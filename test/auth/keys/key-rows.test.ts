import { getNamedType } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { limitedKeyScopes } from '../../../src/core/permissions.ts';
import { isLimitable } from '../../../src/database/query/row-limits.ts';
import { makeKey } from '../../support/auth/keys.ts';
import { contentsOf } from '../../support/database/rows-of.ts';
import { useGateway } from '../../support/gateway/app.ts';
import { ask } from '../../support/gateway/ask.ts';
import { makeAgent } from '../../support/gateway/factories.ts';
import { connections, documentOf, nodeTypes, rootFields, selectionOf } from '../../support/graphql/shape.ts';
import { oneOfEach, verbOf } from '../../support/random/cases.ts';
import { call, operations, requests } from '../../support/rest/operations.ts';
import { idOfType, variablesOf } from '../../support/world/inputs.ts';
import { makeWorld, type World } from '../../support/world/world.ts';

const gateway = useGateway();
let world: World;
/** A key limited to an agent and a base that own none of the world's rows. */
let elsewhere: string;
/** A key limited to the world's agent and base. */
let here: string;
beforeAll(async () => {
  world = await makeWorld(gateway);
  const agent = await makeAgent(gateway, world.owner);
  const base = await gateway.database.base.create({ data: world.make.base() });
  const scopes = limitedKeyScopes;
  elsewhere = await makeKey(gateway, world.owner, { scopes, agentIds: [agent.id], baseIds: [base.id] });
  const { agentId, baseId } = world.ids;
  here = await makeKey(gateway, world.owner, { scopes, agentIds: [agentId], baseIds: [baseId] });
});

const modelOf = (type: { extensions: Record<string, unknown> }) => String(type.extensions.pothosPrismaModel);
const kinds = nodeTypes().filter((type) => isLimitable(modelOf(type)));
const lists = connections().filter(({ row }) => isLimitable(modelOf(row)));

describe('a key for some agents and bases alone', () => {
  test.each(kinds.map((type) => [type.name, type] as const))(
    'finds no %s of others, and its own',
    async (name, type) => {
      const id = idOfType(world.ids, name) ?? '';
      const document = `query ($id: ID!) { node(id: $id) { id } nodes(ids: [$id]) { id } }`;
      const none = await gateway.graphql(elsewhere, document, { id });
      expect(none.data).toEqual({ node: null, nodes: [null] });
      expect((await gateway.graphql(here, document, { id })).data).toEqual({ node: { id }, nodes: [{ id }] });
      const root = rootFields('Query').find(
        (field) =>
          field.extensions.parleyRow &&
          getNamedType(field.type) === type &&
          field.args.some((arg) => arg.name === 'id'),
      );
      if (!root) return;
      const single = documentOf('Query', root, 0);
      expect(await gateway.graphql(elsewhere, single, { id })).toMatchObject({
        errors: [{ extensions: { code: 'not_found' } }],
      });
      expect((await gateway.graphql(here, single, { id })).errors).toBeUndefined();
    },
  );

  const roots = lists.filter(({ owner }) => owner === 'Query');
  test.each(roots.map((list) => [list.field.name, list] as const))(
    'lists, counts and groups only its own: %s',
    async (name, list) => {
      const grouped = 'groups' in connectionFields(list);
      const document = `{ ${name} { totalCount countUpTo(limit: 10) { count } nodes { id } ${grouped ? 'groups { nodes { count } }' : ''} } }`;
      const { data, errors } = await gateway.graphql(elsewhere, document);
      expect(errors).toBeUndefined();
      const own = /^(agents|bases)$/.test(name) ? 1 : 0;
      expect(data[name]).toMatchObject({ totalCount: own, countUpTo: { count: own } });
      expect(data[name].nodes).toHaveLength(own);
      if (grouped) expect(data[name].groups.nodes).toEqual([{ count: own }]);
      const { ids } = world;
      const seen = await gateway.graphql(here, document);
      expect(seen.data[name].nodes).toContainEqual({ id: idOfType(ids, list.row.name) });
    },
  );

  test('a row of an agent and of a base is for keys of both', async () => {
    const { agentId, baseId } = world.ids;
    const { agents, bases } = (await gateway.data(elsewhere, '{ agents { nodes { id } } bases { nodes { id } } }')) as {
      agents: { nodes: { id: string }[] };
      bases: { nodes: { id: string }[] };
    };
    const [otherAgent = '', otherBase = ''] = [agents.nodes[0]?.id, bases.nodes[0]?.id];
    const counted = async (agentIds: string[], baseIds: string[]) => {
      const key = await makeKey(gateway, world.owner, { scopes: limitedKeyScopes, agentIds, baseIds });
      return (await gateway.data(key, '{ citations { totalCount groups { nodes { count } } } }')).citations;
    };
    const none = { totalCount: 0, groups: { nodes: [{ count: 0 }] } };
    for (const limits of [
      [[agentId], [otherBase]],
      [[otherAgent], [baseId]],
      [[], [otherBase]],
      [[otherAgent], []],
    ] as const)
      expect(await counted([...limits[0]], [...limits[1]])).toEqual(none);
    expect((await counted([agentId], [])).totalCount).toBeGreaterThan(0);
  });

  const ofWorkspace = connections().filter(({ row }) => !isLimitable(modelOf(row)));
  test.each(ofWorkspace.map((list) => [list.name, list] as const))(
    'counts and groups nothing of the whole workspace: %s',
    async (_name, list) => {
      const id = idOfType(world.ids, list.owner);
      const { groups } = connectionFields(list) as Record<string, object>;
      const asked = ['totalCount', 'countUpTo(limit: 10) { count }', ...(groups ? ['groups { nodes { count } }'] : [])];
      for (const each of asked) {
        const counted = `${list.field.name} { ${each} }`;
        const document =
          list.owner === 'Query'
            ? `{ ${counted} }`
            : `query ($id: ID!) { node(id: $id) { ... on ${list.owner} { ${counted} } } }`;
        // The descriptions of custom fields are for every key with their scope.
        for (const key of [await ofAgent(), ...(list.row.name === 'Field' ? [] : [here])]) {
          const answer = await gateway.graphql(key, document, { id });
          expect([each, answer.errors?.[0]?.extensions.code]).toEqual([each, 'forbidden']);
        }
        if (list.row.name !== 'Field') continue;
        expect((await gateway.graphql(here, document, { id })).errors).toBeUndefined();
      }
    },
  );

  test('counts its own with `analytics.read` alone', async () => {
    const { data, errors } = await gateway.graphql(await ofAgent(), '{ leads { totalCount } agents { totalCount } }');
    expect(errors).toBeUndefined();
    expect(data.agents.totalCount).toBe(1);
    expect(data.leads.totalCount).toBeGreaterThan(0);
  });

  test.each(nodeTypes().map((type) => [type.name, type] as const))(
    'reads nothing of others from a %s',
    async (name, type) => {
      const id = idOfType(world.ids, name);
      const document = `query ($id: ID!) { node(id: $id) { ... on ${name}${selectionOf(type, 2)} } }`;
      const text = JSON.stringify(await gateway.graphql(elsewhere, document, { id }));
      const theirs = kinds.map(({ name: kind }) => idOfType(world.ids, kind) ?? '');
      expect(theirs.filter((one) => one !== id && text.includes(`"id":"${one}"`))).toEqual([]);
    },
  );

  const changes = (['Mutation', 'Subscription'] as const).flatMap((root) =>
    rootFields(root).map((field) => [field.name, root, field] as const),
  );
  test.each(oneOfEach(changes, ([name]) => verbOf(name)))(
    'changes nothing of others by %s',
    async (_name, root, field) => {
      const before = await contentsOf(gateway, world.id);
      const answer = await ask(gateway, elsewhere, documentOf(root, field, 0), variablesOf(field, world.ids));
      expect(['forbidden', 'not_found']).toContain(answer.errors?.[0]?.extensions.code);
      expect(await contentsOf(gateway, world.id)).toEqual(before);
    },
  );

  test.each(
    operations.filter(({ method }) => method !== 'GET').map((operation) => [operation.operationId, operation] as const),
  )('changes nothing of others by REST %s', async (id, operation) => {
    const { status } = await call(gateway, elsewhere, operation, requests[id]?.(world.ids) as never);
    expect([403, 404]).toContain(status);
  });

  test('follows every relation to its own rows alone', async () => {
    const { agentId, leadId, conversationId } = world.ids;
    const agent = await makeAgent(gateway, world.owner);
    const { database } = gateway;
    const conversation = await database.conversation.create({ data: { ...world.make.conversation(), leadId } });
    await database.lead.updateMany({ where: { id: leadId }, data: { agentId: agent.id } });
    const document = `query ($id: ID!) { conversation(id: $id) { id lead { id } agent { id } } }`;
    const { data } = await gateway.graphql(here, document, { id: conversation.id });
    expect(data.conversation).toEqual({ id: conversation.id, lead: null, agent: { id: agentId } });
    await database.lead.updateMany({ where: { id: leadId }, data: { agentId } });
    const again = await gateway.graphql(here, document, { id: conversationId });
    expect(again.data.conversation.lead).toEqual({ id: leadId });
  });

  test('makes nothing that belongs to none of them', async () => {
    for (const document of [
      'mutation { createAgent(input: { name: "Mine" }) { agent { id } } }',
      'mutation { createLead(input: { name: "Mine" }) { lead { id } } }',
    ]) {
      const answer = await gateway.graphql(here, document);
      expect(answer).toMatchObject({ errors: [{ message: expect.stringMatching(/some agents or bases/) }] });
    }
    const mine = 'mutation ($id: ID!) { createLead(input: { name: "Mine", agentId: $id }) { lead { agentId } } }';
    const made = await gateway.graphql(here, mine, { id: world.ids.agentId });
    expect(made.data.createLead.lead).toEqual({ agentId: world.ids.agentId });
  });
});

/** A key for the world's agent that only counts. */
const ofAgent = () => makeKey(gateway, world.owner, { scopes: ['analytics.read'], agentIds: [world.ids.agentId] });

const connectionFields = ({ field }: (typeof lists)[number]) =>
  (getNamedType(field.type) as unknown as { getFields(): object }).getFields();
