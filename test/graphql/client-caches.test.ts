import { readFileSync } from 'node:fs';
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client/core';
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { getNamedType, isObjectType } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { inviting, newEmail, secretOf } from '../support/auth/invitations.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeAgent } from '../support/gateway/factories.ts';
import { lists } from '../support/graphql/lists.ts';
import { rootFields, schema } from '../support/graphql/shape.ts';
import { someOf } from '../support/random/cases.ts';
import { inputs } from '../support/world/inputs.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();
let world: World;
let headers: Record<string, string>;
beforeAll(async () => {
  world = await makeWorld(gateway);
  headers = { authorization: `Bearer ${await gateway.bearer(world.owner)}` };
});

const url = 'http://gateway/graphql';
const fetchIt = ((input: string, init: RequestInit) => gateway.app.request(input, init)) as typeof fetch;
const rootLists = someOf(
  lists.filter(({ owner }) => owner === 'Query').map(({ field }) => field.name),
  6,
);
const documentOf = (field: string) => `query Read { ${field}(first: 2) { nodes { id } totalCount } }`;

test('the root types have the names that clients take for granted', () => {
  expect(schema.getSubscriptionType()?.name).toBe('Subscription');
  expect([schema.getQueryType()?.name, schema.getMutationType()?.name]).toEqual(['Query', 'Mutation']);
});

describe('a list is read again from the cache, whole:', () => {
  test.each(rootLists)('%s by urql', async (field) => {
    const exchanges = [cacheExchange(), fetchExchange];
    const client = new Client({
      url,
      fetch: fetchIt,
      fetchOptions: { headers },
      preferGetMethod: false,
      exchanges,
    });
    const sent = await client.query(documentOf(field), {}, { requestPolicy: 'network-only' });
    expect(sent.error).toBeUndefined();
    expect(sent.data[field].nodes).not.toEqual([]);
    const kept = await client.query(documentOf(field), {}, { requestPolicy: 'cache-only' });
    expect(kept.data).toEqual(sent.data);
  });

  test.each(rootLists)('%s by Apollo Client', async (field) => {
    const link = new HttpLink({ uri: url, fetch: fetchIt, headers });
    const client = new ApolloClient({ link, cache: new InMemoryCache() });
    const query = gql(documentOf(field));
    const sent = await client.query<Record<string, { nodes: object[] }>>({ query, fetchPolicy: 'network-only' });
    expect(sent.data?.[field]?.nodes).not.toEqual([]);
    const kept = await client.query({ query, fetchPolicy: 'cache-only' });
    expect(kept.data).toEqual(sent.data);
    client.stop();
  });
});

describe('a deletion returns the id alone, so that no cache has it for two types:', () => {
  const payloads = rootFields('Mutation').flatMap(({ name, type }) => {
    const payload = getNamedType(type);
    return isObjectType(payload) ? [{ name, fields: payload.getFields() }] : [];
  });

  test('every payload with a `Deleted` has a `deletedId`, and says to use it', () => {
    const deleting = payloads.filter(({ fields }) =>
      Object.values(fields).some(({ type }) => getNamedType(type).name === 'Deleted'),
    );
    expect(deleting.length).toBeGreaterThan(10);
    for (const { fields } of deleting) {
      const old = Object.values(fields).find(({ type }) => getNamedType(type).name === 'Deleted');
      expect(String(fields.deletedId?.type)).toBe('ID!');
      expect(old?.deprecationReason).toContain('deletedId');
    }
  });

  test.each(['deleteLead', 'deleteField', 'deleteCopy', 'deletePlugin', 'deleteAgent'])('%s', async (name) => {
    const input = inputs[name]?.(world.ids) as { id: string };
    const title = name[0]?.toUpperCase() + name.slice(1);
    const what = name.replace('delete', '').toLowerCase();
    const query = `mutation ($input: ${title}Input!) { ${name}(input: $input) { deletedId ${what} { id deleted } } }`;
    const data = await gateway.data(world.owner, query, { input });
    expect(data[name]).toEqual({ deletedId: input.id, [what]: { id: input.id, deleted: true } });
  });
});

describe('an id is that of one object, by which Relay alone keeps it:', () => {
  test('objects that are no node have ids of their own', () => {
    const withId = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) && type.getFields().id);
    const ofNoNode = withId.filter((type) => isObjectType(type) && type.getInterfaces().length === 0);
    // `Deleted` is deprecated, and an event has the id of its place in a stream.
    expect(ofNoNode.map(({ name }) => name).sort()).toEqual([
      'DashboardAlert',
      'Deleted',
      'Invitation',
      'MessageAlternative',
      'TurnEvent',
    ]);
  });

  test('a reply that was replaced, and the message that it was', async () => {
    const { app, editor } = world;
    const { id: agentId } = await makeAgent(gateway, editor);
    const send = `mutation ($input: SendMessageInput!) { sendMessage(input: $input) {
      conversation { id } messages { id alternatives { id messageId } } } }`;
    const first = (await gateway.data(app, send, { input: { agentId, message: { content: 'Hello' } } })).sendMessage;
    const { id: conversationId } = first.conversation;
    const [{ id: regenerate }] = first.messages;
    const again = { agentId, conversationId, regenerate };
    const [{ alternatives }] = (await gateway.data(editor, send, { input: again })).sendMessage.messages;
    expect(alternatives).toEqual([{ id: regenerate.replace('msg_', 'alt_'), messageId: regenerate }]);
    expect((await gateway.data(editor, `{ node(id: "${alternatives[0].id}") { id } }`)).node).toBeNull();
  });

  test('an invitation, and its membership: either answers it', async () => {
    const invite = async (email: string) => {
      const input = { email, name: 'Ada', role: 'viewer' };
      const given = (await gateway.data(world.owner, inviting, { input })).inviteMember;
      const read = '{ viewer { invitations { id membershipId } } }';
      const token = secretOf(given.link.url) as never;
      const [invitation] = (await gateway.data(token, read)).viewer.invitations;
      expect(invitation.membershipId).toBe(given.membership.id);
      expect(invitation.id).toBe(given.membership.id.replace('mem_', 'inv_'));
      return { token, ...invitation };
    };
    const decline = 'mutation ($id: ID!) { declineInvitation(input: { id: $id }) { deletedId } }';
    const accept = 'mutation ($id: ID!) { acceptInvitation(input: { id: $id }) { invitation { id membershipId } } }';
    for (const by of ['id', 'membershipId'] as const) {
      const declined = await invite(newEmail());
      const { declineInvitation } = await gateway.data(declined.token, decline, { id: declined[by] });
      expect(declineInvitation).toEqual({ deletedId: declined.id });
      const { token, id, membershipId, ...rest } = await invite(newEmail());
      const { acceptInvitation } = await gateway.data(token, accept, { id: { id, membershipId }[by] });
      expect([rest, acceptInvitation.invitation]).toEqual([{}, { id, membershipId }]);
    }
  });
});

describe('objects without an id, in urql:', () => {
  const page = readFileSync('docs/graphql.md', 'utf8');
  const listed = [...(/const embedded = \[([^\]]*)\]/.exec(page)?.[1]?.matchAll(/'(\w+)'/g) ?? [])].map(
    ([, name]) => name,
  );
  const groups = new RegExp(/const groups = \/(.*)\/;/.exec(page)?.[1] ?? '-');
  const without = Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type) && !type.name.startsWith('__') && !type.getFields().id)
    .map(({ name }) => name)
    .filter((name) => !/^(Query|Mutation|Subscription|PageInfo)$|(Connection|Edge)$/.test(name));

  test('the documentation lists all of them', () => {
    expect(listed).toEqual(without.filter((name) => !groups.test(name)).sort());
  });

  test('with the documented keys, the cache has nothing to warn of', async () => {
    const told: string[] = [];
    const logger = (_severity: string, message: string) => told.push(message);
    const keys = Object.fromEntries(
      [...listed, ...Object.keys(schema.getTypeMap()).filter((name) => groups.test(name))].map((name) => [
        name,
        () => null,
      ]),
    );
    const client = new Client({
      url,
      fetch: fetchIt,
      fetchOptions: { headers },
      preferGetMethod: false,
      exchanges: [cacheExchange({ keys, logger }), fetchExchange],
    });
    const query = `{ viewer { role workspace { id settings { createdAt } usage { current } } }
      leads(first: 1) { totalCount nodes { id } groups { nodes { by { hasEmail } count } } } }`;
    const sent = await client.query(query, {}, { requestPolicy: 'network-only' });
    expect(sent.error).toBeUndefined();
    const kept = await client.query(query, {}, { requestPolicy: 'cache-only' });
    expect(kept.data).toEqual(sent.data);
    expect(told).toEqual([]);
  });
});
