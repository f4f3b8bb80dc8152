import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import { BothWays } from '../support/compiled/both-ways.ts';
import { expectFailure, useGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
let bothWays: BothWays;
let workspace: TestWorkspace;

beforeAll(async () => {
  bothWays = new BothWays(gateway);
  workspace = await makeWorkspace(gateway);
});

async function expectAlike(query: string, variables: object = {}): Promise<string> {
  const { compiled, resolvers } = await bothWays.ask(workspace.owner, { query, variables });
  expect(compiled.body).toBe(resolvers.body);
  expect(compiled.body).not.toContain('"errors"');
  expect([compiled.served, bothWays.said]).toEqual([true, '']);
  return compiled.body;
}

test('an id that the service did not make is written as JSON, whatever it holds', async () => {
  const appId = 'a"b\\c\u0007 é';
  const { id: workspaceId, owner } = workspace;
  const app = { workspaceId, id: appId, name: 'Odd', color: '#2563eb', secretCipher: 'x', secretHash: newId('user') };
  await gateway.database.app.create({ data: app });
  const membershipId = owner.membershipId ?? '';
  await gateway.database.appRole.create({ data: { workspaceId, membershipId, appId, role: 'admin' } });
  const paid = {
    id: newId('subscription'),
    workspaceId,
    appId,
    priceId: 'p',
    status: 'trial',
    maxInteractions: 100,
  } as const;
  await gateway.database.subscription.create({ data: paid });
  const body = await expectAlike(`{
    apps(first: 50) { nodes { id name } edges { cursor } pageInfo { endCursor } }
    memberships(first: 50) { nodes { roles(first: 50) { nodes { appId app { id } } edges { cursor } } } }
    subscriptions(first: 50) { nodes { appId app { id } } }
  }`);
  expect(JSON.stringify(JSON.parse(body).data).split(JSON.stringify(appId))).toHaveLength(6);
});

test('a value that the rules of today refuse is read as it was stored, on both surfaces', async () => {
  const { id: workspaceId, owner } = workspace;
  const name = 'Old';
  const by = { createdBy: 'usr_x', updatedBy: 'usr_x' };
  await gateway.database.agent.create({
    data: { ...by, workspaceId, id: newId('agent'), name, searchText: 'old', color: 'crimson' },
  });
  expect(await expectAlike('{ agents(search: "old") { nodes { color } } }')).toContain('crimson');
  const { compiled, resolvers } = await bothWays.request(owner, '/rest/agents?search=old', {});
  expect([compiled.status, resolvers.status, compiled.body]).toEqual([200, 200, resolvers.body]);
  expect(compiled.body).toContain('crimson');
});

describe('a moment', () => {
  const say = (createdAt: unknown) =>
    gateway.rest(workspace.app, 'POST', `/api/${agentId}`, { message: { content: 'Hello', createdAt } });
  let agentId: string;
  beforeAll(async () => {
    const create =
      'mutation { createAgent(input: { name: "Ada", purpose: general, freedom: balanced }) { agent { id } } }';
    agentId = (await gateway.data(workspace.owner, create)).createAgent.agent.id;
  });

  test.each(['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'])('of %s is taken and read', async (createdAt) => {
    const { body } = await say(createdAt);
    const query = 'query ($id: ID!) { conversation(id: $id) { messages(first: 1) { nodes { createdAt } } } }';
    expect(await expectAlike(query, { id: body.id })).toContain(createdAt);
  });

  test.each(['0000-12-31T23:59:59Z', '9999-12-31T23:59:59-12:00'])(
    'of another year than 1 to 9999 is refused: %s',
    async (createdAt) => {
      const { status, body } = await say(createdAt);
      expect([status, body.code, body.message]).toEqual([
        400,
        'invalid_request',
        'message.createdAt: must be in the years 1 to 9999',
      ]);
    },
  );

  test.each(['0000-12-31T23:59:59Z', '9999-12-31T23:59:59-12:00'])(
    'of another year is refused as an end of a span, with compiled queries and without: %s',
    async (to) => {
      const query = 'query ($to: DateTime!) { conversations(filter: { createdAt: { to: $to } }) { totalCount } }';
      const { compiled, resolvers } = await bothWays.ask(workspace.owner, { query, variables: { to } });
      expect(compiled.body).toBe(resolvers.body);
      expect(compiled.body).toContain('filter.createdAt.to: must be in the years 1 to 9999');
    },
  );

  test('is refused likewise through GraphQL', async () => {
    const send = `mutation ($id: ID!, $at: DateTime!) {
      sendMessage(input: { agentId: $id, message: { content: "Hello", createdAt: $at } }) { clientMutationId }
    }`;
    const answer = await gateway.graphql(workspace.app, send, { id: agentId, at: '9999-12-31T23:59:59-12:00' });
    expectFailure(answer, 'invalid_request', /must be in the years 1 to 9999/);
  });
});
