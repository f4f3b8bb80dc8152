import { createHash } from 'node:crypto';
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client/core';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { Client, fetchExchange } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Gateway, useGateway } from '../support/gateway/app.ts';
import { makeWorkspace } from '../support/gateway/factories.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const query = '{ agents { totalCount } }';
const notSupported = {
  errors: [{ message: 'PersistedQueryNotSupported', extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } }],
};

const gateways: [string, Gateway][] = [
  ['compiled queries', useGateway({ COMPILED_QUERIES: 'on' })],
  ['the resolvers', useGateway({ COMPILED_QUERIES: 'off' })],
];

describe.each(gateways)('a document that is named by its hash alone, by %s', (_, gateway) => {
  let headers: Record<string, string>;
  /** The requests of a client: with or without query text and hash. */
  let sent: string[];
  beforeAll(async () => {
    headers = { authorization: `Bearer ${await gateway.bearer((await makeWorkspace(gateway)).viewer)}` };
  });
  const fetchIt = (async (input: string, init: RequestInit) => {
    const asked =
      init.method === 'GET'
        ? Object.fromEntries(new URL(input).searchParams)
        : (JSON.parse(String(init.body)) as Record<string, unknown>);
    const hashed = JSON.stringify(asked.extensions ?? '').includes('sha256Hash');
    sent.push([init.method, asked.query ? 'text' : '', hashed ? 'hash' : ''].filter(Boolean).join(' '));
    return gateway.app.request(input, init);
  }) as typeof fetch;
  const extensions = { persistedQuery: { version: 1, sha256Hash: sha256(query) } };

  test.each(['*/*', 'application/json', 'application/graphql-response+json', 'application/json, multipart/mixed'])(
    'is refused in the form that clients know, with status 200: Accept %s',
    async (accept) => {
      const asked = { headers: { ...headers, accept, 'content-type': 'application/json' } };
      const byPost = { ...asked, method: 'POST', body: JSON.stringify({ extensions, variables: {} }) };
      const address = `/graphql?extensions=${encodeURIComponent(JSON.stringify(extensions))}`;
      for (const response of [
        await gateway.app.request('/graphql', byPost),
        await gateway.app.request(address, asked),
      ]) {
        expect(response.status).toBe(200);
        expect(await response.json()).toEqual(notSupported);
      }
    },
  );

  test('is refused to nobody without a bearer: that is told first', async () => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
    const response = await gateway.app.request('/graphql', { ...init, body: JSON.stringify({ extensions }) });
    expect(response.status).toBe(401);
  });

  test('is run when its text stands beside the hash; without either, a text is asked for', async () => {
    const ask = async (body: object) => {
      const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } };
      const response = await gateway.app.request('/graphql', { ...init, body: JSON.stringify(body) });
      return [response.status, await response.json()];
    };
    expect(await ask({ query, extensions })).toEqual([200, { data: { agents: { totalCount: 0 } } }]);
    const [, refused] = await ask({ extensions: { persistedQuery: null } });
    expect(refused).toMatchObject({ errors: [{ extensions: { code: 'invalid_request' } }] });
  });

  test.each([
    [false, 'POST hash', 'POST text'],
    [true, 'GET hash', 'POST text'],
  ])('Apollo Client (hashes by GET: %s) sends its text then, and texts from then on', async (useGET, first, then) => {
    sent = [];
    const persisted = new PersistedQueryLink({ sha256, useGETForHashedQueries: useGET });
    const link = ApolloLink.from([persisted, new HttpLink({ uri: 'http://gateway/graphql', fetch: fetchIt, headers })]);
    const client = new ApolloClient({ link, cache: new InMemoryCache() });
    const ask = () => client.query({ query: gql(query), fetchPolicy: 'network-only' });
    expect((await ask()).data).toMatchObject({ agents: { totalCount: 0 } });
    expect((await ask()).data).toMatchObject({ agents: { totalCount: 0 } });
    client.stop();
    expect(sent.slice(0, 2)).toEqual([first, then]);
    expect(sent.slice(2).filter((request) => !request.endsWith(' text'))).toEqual([]);
  });

  test.each([
    [false, 'POST hash'],
    [true, 'GET hash'],
  ] as const)('urql (hashes by GET: %s) does the same', async (preferGet, first) => {
    sent = [];
    const client = new Client({
      url: 'http://gateway/graphql',
      fetch: fetchIt,
      fetchOptions: { headers },
      preferGetMethod: false,
      exchanges: [persistedExchange({ preferGetForPersistedQueries: preferGet }), fetchExchange],
    });
    const ask = () => client.query(query, {}, { requestPolicy: 'network-only' });
    expect((await ask()).data).toMatchObject({ agents: { totalCount: 0 } });
    expect((await ask()).data).toMatchObject({ agents: { totalCount: 0 } });
    expect(sent[0]).toBe(first);
    expect(sent.slice(1).filter((request) => !request.endsWith(' text'))).toEqual([]);
  });
});

test('a client that tells its version in the extensions is answered by compiled queries like others', async () => {
  const gateway = gateways[0]?.[1] as Gateway;
  const authorization = `Bearer ${await gateway.bearer((await makeWorkspace(gateway)).viewer)}`;
  const response = await gateway.app.request('/graphql', {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ query, extensions: { clientLibrary: { name: '@apollo/client', version: '4.3.8' } } }),
  });
  expect(response.headers.get('x-parley-compiled')).toBe('1');
  expect(await response.json()).toEqual({ data: { agents: { totalCount: 0 } } });
});
