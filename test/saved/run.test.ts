import { beforeAll, describe, expect, test } from 'vitest';
import { makeKey } from '../support/auth/keys.ts';
import { expectFailure, useGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
let home: TestWorkspace;
let bearer: string;

const save = (name: string, document: string, more: object = {}, { owner } = home) =>
  gateway.data(
    owner,
    'mutation ($input: CreateOperationInput!) { createOperation(input: $input) { operation { id } } }',
    { input: { name, document, ...more } },
  );

beforeAll(async () => {
  home = await makeWorkspace(gateway);
  bearer = await gateway.bearer(home.viewer);
  for (const name of ['One', '=Two', 'Three'])
    await gateway.data(home.owner, `mutation { createAgent(input: {name: "${name}"}) { agent { id } } }`);
  await save(
    'agents',
    `query ("How many." $first: Int = 1, $status: [AgentStatus!], $isNewest: Boolean = true) {
      agents(first: $first, filter: { status: $status }) { nodes { name } totalCount @include(if: $isNewest) }
    }`,
    { variables: { first: 3 }, description: 'The newest agents.' },
  );
  await save('kept', '{ agents { totalCount } }', { maxAge: 60 });
  await save('named', 'query ($filter: AgentFilter!) { agents(first: 10, filter: $filter) { nodes { name } } }');
  await save('rename', 'mutation ($id: ID!) { updateAgent(input: {id: $id, name: "New"}) { agent { name } } }');
  await save('members', '{ memberships(first: 1) { totalCount } auditEntries(first: 1) { totalCount } }');
  const other = await makeWorkspace(gateway);
  await save('theirs', '{ agents { totalCount } }', {}, other);
});

async function get(path: string, headers: Record<string, string> = {}, by = bearer) {
  const response = await gateway.app.request(path, { headers: { authorization: `Bearer ${by}`, ...headers } });
  const text = await response.text();
  const { status } = response;
  return { status, text, type: response.headers.get('content-type'), headers: response.headers };
}
const json = async (path: string, by = bearer) => {
  const { status, text } = await get(path, {}, by);
  return { status, body: JSON.parse(text) };
};

describe('a saved query at its address', () => {
  test('may be kept for as long as it says without asking again, by nobody but the caller', async () => {
    for (const path of ['/run/kept', '/run/kept.csv', '/run/kept.svg', '/graphql?documentId=kept']) {
      const { headers, status } = await get(path);
      expect([path, status, headers.get('cache-control')]).toEqual([path, 200, 'private, max-age=60']);
      const again = await get(path, { 'if-none-match': headers.get('etag') ?? '' });
      expect([again.status, again.headers.get('cache-control')]).toEqual([304, 'private, max-age=60']);
    }
    expect((await get('/run/agents')).headers.get('cache-control')).toBe('private, no-cache');
    const document = 'mutation ($input: CreateOperationInput!) { createOperation(input: $input) { operation { id } } }';
    const input = { name: 'longer', document: '{ agents { totalCount } }', maxAge: 86_401 };
    expectFailure(
      await gateway.graphql(home.owner, document, { input }),
      'invalid_request',
      /^maxAge: must be between/,
    );
  });

  test('has the result that /graphql has, with its variables as parameters', async () => {
    for (const [query, variables] of [
      ['', {}],
      ['?first=2', { first: 2 }],
      ['?first=10&status=draft&status=active', { first: 10, status: ['draft', 'active'] }],
      ['?status=archived&isNewest=false', { status: ['archived'], isNewest: false }],
    ] as const) {
      const own = await gateway.app.request('/graphql', {
        method: 'POST',
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        body: JSON.stringify({ documentId: 'agents', variables }),
      });
      const { status, text, type } = await get(`/run/agents${query}`);
      expect([status, text, type]).toEqual([200, await own.text(), 'application/json; charset=utf-8']);
    }
    const filter = encodeURIComponent(JSON.stringify({ name: { equals: 'One' } }));
    expect((await json(`/run/named?filter=${filter}`)).body.data.agents.nodes).toEqual([{ name: 'One' }]);
  });

  test('is CSV and JSON lines too, by its ending and by Accept', async () => {
    const csv = await get('/run/agents.csv?isNewest=false');
    expect([csv.text, csv.type]).toEqual(["name\r\nThree\r\n'=Two\r\nOne", 'text/csv; charset=utf-8; header=present']);
    expect((await get('/run/agents?isNewest=false', { accept: 'text/csv' })).text).toBe(csv.text);
    const lines = await get('/run/agents.ndjson?first=2');
    expect([lines.text, lines.type]).toEqual([
      '{"name":"Three"}\n{"name":"=Two"}\n',
      'application/x-ndjson; charset=utf-8',
    ]);
    expect((await get('/run/agents?first=2', { accept: 'application/x-ndjson' })).text).toBe(lines.text);
    expect((await get('/run/agents.json?first=2', { accept: 'text/csv' })).type).toMatch(/json/);
    expect((await get('/run/agents.xml')).status).toBe(404);
  });

  test('records an export as CSV in the audit log', async () => {
    await get('/run/agents.csv');
    const { auditEntries } = await gateway.data(home.owner, '{ auditEntries(first: 1) { nodes { action } } }');
    expect(auditEntries.nodes).toEqual([{ action: 'exported' }]);
  });

  test('has a tag in every format, and is not sent again while it is the same', async () => {
    for (const path of ['/run/agents', '/run/agents.csv', '/run/agents.ndjson']) {
      const tag = (await get(path)).headers.get('etag') as string;
      const same = await get(path, { 'if-none-match': tag });
      expect([same.status, same.text]).toEqual([304, '']);
      expect((await get(`${path}?first=1`, { 'if-none-match': tag })).status).toBe(200);
    }
  });

  test('answers HEAD without a body, and no other method', async () => {
    const ask = (method: string) =>
      gateway.app.request('/run/agents', { method, headers: { authorization: `Bearer ${bearer}` } });
    const head = await ask('HEAD');
    expect([head.status, await head.text()]).toEqual([200, '']);
    const post = await ask('POST');
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('what is wrong with a request is named', () => {
  test.each([
    ['/run/agents?first=many', 400, 'first: must be a number'],
    ['/run/agents?first=1&first=2', 400, 'first: must not be given more than once'],
    ['/run/agents?isNewest=1', 400, 'isNewest: must be true or false'],
    ['/run/agents?size=1', 400, 'size: the operation has no such variable'],
    ['/run/agents?first=1.5', 400, /^first: /],
    ['/run/agents?status=gone', 400, /^status\.0: /],
    ['/run/named?filter=x', 400, 'filter: must be JSON'],
    ['/run/named', 400, 'filter: is required'],
    ['/run/rename?id=1', 405, 'rename writes: run it by POST /graphql.'],
    ['/run/theirs', 404, 'Saved operation not found.'],
    ['/run/Nothing%20there', 404, 'Saved operation not found.'],
  ])('%s', async (path, status, message) => {
    const answer = await json(path);
    const said = answer.body.message ?? answer.body.errors[0].message;
    expect([answer.status, said]).toEqual([
      status,
      typeof message === 'string' ? message : expect.stringMatching(message),
    ]);
  });

  test('a result that is refused in part has the status of its first error, in every format', async () => {
    for (const path of ['/run/members', '/run/members.csv', '/run/members.ndjson']) {
      const { status, body } = await json(path);
      expect([status, body.errors[0].extensions.code]).toEqual([403, 'forbidden']);
    }
  });

  test('needs a bearer', async () => {
    expect((await gateway.app.request('/run/agents')).status).toBe(401);
    expect((await gateway.app.request('/run/openapi.json')).status).toBe(401);
  });
});

describe('a key that is limited to some saved operations', () => {
  test('runs these, and is told of no other', async () => {
    const key = await makeKey(gateway, home.editor, { scopes: ['agents.read'], operations: ['agents'] });
    expect((await json('/run/agents?first=1', key)).body.data.agents.nodes).toHaveLength(1);
    expect((await json('/run/named?filter={}', key)).status).toBe(403);
    const { body } = await json('/run/openapi.json', key);
    expect(Object.keys(body.paths)).toEqual(['/run/agents']);
    expect((await json('/rest/agents', key)).status).toBe(403);
  });
});

describe('the description of the addresses', () => {
  test('has every saved query with typed parameters', async () => {
    const { body } = await json('/run/openapi.json');
    expect(Object.keys(body.paths)).toEqual(['/run/agents', '/run/kept', '/run/members', '/run/named']);
    const { get: agents } = body.paths['/run/agents'];
    expect(agents).toMatchObject({ operationId: 'agents', summary: 'The newest agents.' });
    expect(agents.parameters).toMatchObject([
      {
        name: 'first',
        in: 'query',
        required: false,
        description: 'How many.',
        schema: { type: 'integer', default: 3 },
      },
      { name: 'status', required: false, schema: { type: 'array', items: { type: 'string' } } },
      { name: 'isNewest', required: false, schema: { type: 'boolean', default: true } },
      { name: 'theme', in: 'query', schema: { enum: ['light', 'dark'] } },
    ]);
    expect(body.paths['/run/named'].get.parameters).toMatchObject([
      { required: true, content: { 'application/json': { schema: { $ref: '#/components/schemas/AgentFilter' } } } },
      { name: 'theme' },
    ]);
    const referred = [...JSON.stringify(body).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
    expect(referred.filter((name) => !((name as string) in body.components.schemas))).toEqual([]);
  });
});
