import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client/core';
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { beforeAll, describe, expect, test } from 'vitest';
import { useGateway } from '../support/gateway/app.ts';
import { lists } from '../support/graphql/lists.ts';
import { schema } from '../support/graphql/shape.ts';
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
const rootLists = lists.filter(({ owner }) => owner === 'Query').map(({ field }) => field.name);
const documentOf = (field: string) => `query Read { ${field}(first: 2) { nodes { id createdAt } totalCount } }`;

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
