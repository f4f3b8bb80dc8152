import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeKey } from '../support/auth/keys.ts';
import { type Gateway, useGateway } from '../support/gateway/app.ts';
import { makeWorkspace } from '../support/gateway/factories.ts';

const create = 'mutation ($input: CreateOperationInput!) { createOperation(input: $input) { operation { id } } }';
const update = 'mutation ($input: UpdateOperationInput!) { updateOperation(input: $input) { operation { id } } }';
const document = 'query ($first: Int = 1) { agents(first: $first) { nodes { name } totalCount } }';
const hash = `sha256:${createHash('sha256').update(document).digest('hex')}`;
const json = { 'content-type': 'application/json' };

const gateways: [string, Gateway, Gateway][] = [
  ['compiled queries', useGateway({ COMPILED_QUERIES: 'on' }), useGateway({ TRUSTED_DOCUMENTS: 'only' })],
  [
    'the resolvers',
    useGateway({ COMPILED_QUERIES: 'off' }),
    useGateway({ TRUSTED_DOCUMENTS: 'only', COMPILED_QUERIES: 'off' }),
  ],
];

type Workspace = Awaited<ReturnType<typeof makeWorkspace>>;

async function prepare(gateway: Gateway): Promise<Workspace> {
  const home = await makeWorkspace(gateway);
  for (const name of ['One', 'Two', 'Three'])
    await gateway.data(
      home.owner,
      'mutation ($input: CreateAgentInput!) { createAgent(input: $input) { agent { id } } }',
      {
        input: { name },
      },
    );
  for (const [name, variables] of [
    ['agents', { first: 2 }],
    ['others', {}],
  ] as const)
    await gateway.data(home.owner, create, {
      input: { name, document: name === 'agents' ? document : `${document} #`, variables },
    });
  return home;
}

/** Status and body of a request by a bearer. */
async function send(
  gateway: Gateway,
  bearer: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
) {
  const response = await gateway.app.request(path, {
    headers: { authorization: `Bearer ${bearer}`, ...(body && json), ...headers },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, headers: response.headers };
}

describe.each(gateways)('a saved operation, run by its name, by %s', (_, gateway, trusting) => {
  let home: Workspace;
  let bearer: string;
  beforeAll(async () => {
    home = await prepare(gateway);
    bearer = await gateway.bearer(home.viewer);
  });
  const post = (body: object) => send(gateway, bearer, '/graphql', body);

  test('has the answer of its document, by POST and GET, by name and hash', async () => {
    for (const variables of [{ first: 2 }, { first: 3 }]) {
      const { text: own } = await post({ query: document, variables });
      expect(JSON.parse(own).data.agents).toMatchObject({ totalCount: 3 });
      for (const documentId of ['agents', hash]) {
        expect((await post({ documentId, variables })).text).toBe(own);
        const query = new URLSearchParams({ documentId, variables: JSON.stringify(variables) });
        expect((await send(gateway, bearer, `/graphql?${query}`)).text).toBe(own);
      }
    }
    const extensions = { persistedQuery: { version: 1, sha256Hash: hash.slice(7) } };
    expect(JSON.parse((await post({ extensions })).text).data.agents.nodes).toHaveLength(2);
  });

  test('has its saved values where a caller omits them', async () => {
    expect(JSON.parse((await post({ documentId: 'agents' })).text).data.agents.nodes).toHaveLength(2);
    expect(JSON.parse((await post({ documentId: 'others' })).text).data.agents.nodes).toHaveLength(1);
  });

  test('is 304 by GET while its answer is the same', async () => {
    const path = '/graphql?documentId=agents';
    const first = await send(gateway, bearer, path);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"/);
    const again = await send(gateway, bearer, path, undefined, { 'if-none-match': etag });
    expect([again.status, again.text]).toEqual([304, '']);
    const other = `${path}&variables=${encodeURIComponent('{"first":1}')}`;
    expect((await send(gateway, bearer, other, undefined, { 'if-none-match': etag })).status).toBe(200);
  });

  test('that is not there is 404, and one beside a text is refused', async () => {
    const stranger = await gateway.bearer((await makeWorkspace(gateway)).owner);
    for (const [body, by, code] of [
      [{ documentId: 'nothing' }, bearer, 'not_found'],
      [{ documentId: 'a\u0000' }, bearer, 'not_found'],
      [{ documentId: 'agents' }, stranger, 'not_found'],
      [{ documentId: hash }, stranger, 'not_found'],
      [{ documentId: 'agents', query: document }, bearer, 'invalid_request'],
      [{ documentId: 7 }, bearer, 'invalid_request'],
    ] as const) {
      const { text } = await send(gateway, by, '/graphql', body);
      expect(JSON.parse(text).errors[0].extensions.code).toBe(code);
    }
  });

  test('runs its new document as soon as it is updated', async () => {
    const input = { name: 'changing', document: '{ agents { totalCount } }' };
    const { createOperation } = await gateway.data(home.editor, create, { input });
    expect((await post({ documentId: 'changing' })).text).toBe('{"data":{"agents":{"totalCount":3}}}');
    const { id } = createOperation.operation;
    await gateway.data(home.editor, update, { input: { id, document: '{ bases { totalCount } }' } });
    expect((await post({ documentId: 'changing' })).text).toBe('{"data":{"bases":{"totalCount":0}}}');
  });

  describe('with a key that is limited to it', () => {
    let key: string;
    beforeAll(async () => {
      key = await makeKey(gateway, home.owner, { scopes: ['agents.read', 'leads.read'], operations: ['agents'] });
    });

    test('is all that runs, on every surface', async () => {
      const byName = await send(gateway, key, '/graphql', { documentId: 'agents' });
      expect(JSON.parse(byName.text).data.agents.totalCount).toBe(3);
      expect(JSON.parse((await send(gateway, key, '/graphql', { documentId: hash })).text).data).toBeTruthy();
      const refused = [
        await send(gateway, key, '/graphql', { documentId: 'others' }),
        await send(gateway, key, '/graphql', { query: '{ agents { totalCount } }' }),
        await send(gateway, key, `/graphql?query=${encodeURIComponent('{ agents { totalCount } }')}`),
        await send(gateway, key, '/graphql', { query: '{ viewer { role } }' }),
        await send(gateway, key, '/rest/agents'),
        await send(gateway, key, '/rest/fields'),
      ];
      expect(refused.map(({ text }) => /"code":"(\w+)"/.exec(text)?.[1])).toEqual(refused.map(() => 'forbidden'));
    });
  });

  test('is made of names that are there, and shown with the key', async () => {
    const createKey = 'mutation ($input: CreateKeyInput!) { createKey(input: $input) { key { operations } secret } }';
    const made = await gateway.data(home.owner, createKey, { input: { name: 'Page', operations: ['agents'] } });
    expect(made.createKey.key.operations).toEqual(['agents']);
    const { errors } = await gateway.graphql(home.owner, createKey, { input: { name: 'Page', operations: ['no'] } });
    expect(errors?.[0]?.extensions.code).toBe('not_found');
  });

  test('is all that runs where only saved documents are trusted, but for an owner with their own token', async () => {
    const trusted = await prepare(trusting);
    const query = '{ agents { totalCount } }';
    const codeFor = async (by: string, body: object) =>
      JSON.parse((await send(trusting, by, '/graphql', body)).text).errors?.[0].extensions.code ?? null;
    const key = await makeKey(trusting, trusted.owner, { scopes: ['agents.read'] });
    for (const by of [await trusting.bearer(trusted.editor), await trusting.bearer(trusted.app), key]) {
      expect(await codeFor(by, { query })).toBe('forbidden');
      expect(await codeFor(by, { documentId: 'agents' })).toBeNull();
    }
    expect(await codeFor(await trusting.bearer(trusted.owner), { query })).toBeNull();
    expect((await send(trusting, await trusting.bearer(trusted.editor), '/rest/agents')).status).toBe(200);
  });
});
