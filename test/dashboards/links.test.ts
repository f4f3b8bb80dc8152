import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Listening, listen } from '../../src/http/server.ts';
import { readEvents } from '../support/conversations/event-stream.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
let home: TestWorkspace;
let server: Listening;
let board: string;
let other: string;

const create =
  'mutation ($input: CreateKeyInput!) { createKey(input: $input) { key { id dashboardId scopes } secret } }';
const save = (name: string, document: string) =>
  gateway.data(
    home.owner,
    'mutation ($input: CreateOperationInput!) { createOperation(input: $input) { operation { id } } }',
    { input: { name, document, description: `What ${name} says` } },
  );
async function make(name: string, tiles: object[]): Promise<string> {
  const document = 'mutation ($input: CreateDashboardInput!) { createDashboard(input: $input) { dashboard { id } } }';
  const made = await gateway.data(home.owner, document, { input: { name, title: name, last: '4w', tiles } });
  return made.createDashboard.dashboard.id;
}
const share = async (input: object = {}, by = home.owner) =>
  (await gateway.data(by, create, { input: { name: 'Link', dashboardId: board, ...input } })).createKey as {
    key: { id: string; dashboardId: string; scopes: string[] };
    secret: string;
  };
const open = (path: string, bearer: string, accept = 'text/event-stream') =>
  fetch(server.url + path, { headers: { authorization: `Bearer ${bearer}`, accept } });
const codeOf = async (response: Response) => /"code":"(\w+)"/.exec(await response.text())?.[1];

beforeAll(async () => {
  home = await makeWorkspace(gateway);
  await save('agents', 'query ($first: Int = 5) { agents(first: $first) { totalCount } }');
  await save('entries', '{ auditEntries(first: 1) { totalCount } }');
  board = await make('wall', [{ operation: 'agents', title: 'Agents', variables: { first: 3 } }, { text: 'A text' }]);
  other = await make('other', [{ operation: 'entries' }]);
  server = await listen(gateway.app.fetch as never, { host: '127.0.0.1', port: 0 });
});
afterAll(() => server?.close(0));

describe('the key of a link to a board', () => {
  test('shows the board and its results, and no document or variable', async () => {
    const { key, secret } = await share({ scopes: ['agents.read'] });
    expect(key).toMatchObject({ dashboardId: board, scopes: ['agents.read'] });
    for (const name of ['wall', board]) {
      const described = await open(`/run/boards/${name}`, secret, 'application/json');
      const text = await described.text();
      expect(JSON.parse(text)).toMatchObject({
        title: 'wall',
        last: '4w',
        tiles: [
          { operationName: 'agents', title: 'Agents', operation: { description: 'What agents says' }, width: 6 },
          { operationName: null, operation: null, text: 'A text' },
        ],
      });
      expect(text).not.toMatch(/document|variables|query/);
    }
    const response = await open('/run/boards/wall', secret);
    const first = await readEvents(response).next();
    expect(first?.data).toEqual({ tile: 0, data: { agents: { totalCount: 0 } } });
  });

  test('can do nothing else, at any address', async () => {
    const { secret } = await share();
    const post = (path: string, body: object) =>
      fetch(server.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify(body),
      });
    const refused = [
      await post('/graphql', { query: '{ agents { totalCount } }' }),
      await post('/graphql', { documentId: 'agents' }),
      await open(`/graphql?query=${encodeURIComponent('{ viewer { role } }')}`, secret, 'application/json'),
      await open('/run/agents', secret),
      await open('/run/openapi.json', secret),
      await open('/rest/agents', secret),
      await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      await post('/v1/chat/completions', { model: 'x', messages: [{ role: 'user', content: 'Hi' }] }),
    ];
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403));
    expect(await codeOf(await open('/run/boards/other', secret))).toBe('not_found');
    expect(await codeOf(await open(`/run/boards/${other}`, secret, 'application/json'))).toBe('not_found');
  });

  test('shows the board at each address that it has had, also where another board has that now', async () => {
    const moved = await make('first-name', [{ text: 'Moved' }]);
    const { secret } = await share({ dashboardId: moved });
    const update = `mutation ($name: String!) { updateDashboard(input: { id: "${moved}", name: $name }) {
      dashboard { name } } }`;
    const rename = (name: string) => gateway.graphql(home.owner, update, { name });
    expect((await rename('other')).errors?.[0]?.extensions.code).toBe('conflict');
    for (const name of ['second-name', 'third-name', 'second-name']) await rename(name);
    const found = async (name: string, bearer: string) => {
      const response = await open(`/run/boards/${name}`, bearer, 'application/json');
      return response.ok ? ((await response.json()) as { name: string }).name : response.status;
    };
    const owner = await gateway.bearer(home.owner);
    for (const name of ['first-name', 'second-name', 'third-name', moved])
      for (const bearer of [secret, owner]) expect(await found(name, bearer)).toBe('second-name');
    const taker = await make('first-name', [{ text: 'Another' }]);
    expect(await found('first-name', owner)).toBe('first-name');
    expect(await found('first-name', secret)).toBe('second-name');
    // Two boards had it: nobody can say which is meant.
    await gateway.data(home.owner, update.replace(moved, taker), { name: 'fourth-name' });
    expect(await found('first-name', owner)).toBe(404);
    expect(await found('first-name', secret)).toBe('second-name');
  });

  test('shows the board at each of several names that it is given at once', async () => {
    const renamed = await make('name-0', [{ text: 'Renamed' }]);
    const names = [1, 2, 3, 4, 5].map((at) => `name-${at}`);
    const rename = (name: string) =>
      gateway.data(
        home.owner,
        'mutation ($input: UpdateDashboardInput!) { updateDashboard(input: $input) { dashboard { id } } }',
        { input: { id: renamed, name } },
      );
    await Promise.all(names.map(rename));
    const { secret } = await share({ dashboardId: renamed });
    const found = ['name-0', ...names].map((name) => open(`/run/boards/${name}`, secret, 'application/json'));
    expect((await Promise.all(found)).map(({ status }) => status)).toEqual(found.map(() => 200));
  });

  test('is not told why a tile cannot be drawn, which names what its query asks for', async () => {
    await save('found', 'query ($filter: AgentFilter) { agents(filter: $filter) { totalCount } }');
    const wide = await make('wide', [{ operation: 'found', variables: { filter: { name: { contains: 'Ada' } } } }]);
    const { secret } = await share({ dashboardId: wide });
    const owner = await gateway.bearer(home.owner);
    const watch = async (bearer: string) => readEvents(await open('/run/boards/wide', bearer));
    const [shown, known] = [await watch(secret), await watch(owner)];
    const drawn = { tile: 0, data: { agents: { totalCount: 0 } } };
    expect([(await shown.next())?.data, (await known.next())?.data]).toEqual([drawn, drawn]);
    const change = 'mutation ($input: UpdateOperationInput!) { updateOperation(input: $input) { operation { id } } }';
    const document = 'query ($filter: [ID!]) { agents(filter: { ids: $filter }) { totalCount } }';
    const { operations } = await gateway.data(
      home.owner,
      '{ operations(filter: { names: ["found"] }) { nodes { id } } }',
    );
    await gateway.data(home.owner, change, { input: { id: operations.nodes[0].id, document } });
    await gateway.data(home.owner, 'mutation { createAgent(input: { name: "One" }) { agent { id } } }');
    // Streams that were open before, and those that are opened now.
    for (const [unknowing, knowing] of [
      [shown, known],
      [await watch(secret), await watch(owner)],
    ] as const) {
      expect((await unknowing.next())?.data).toEqual({ tile: 0, errors: [{ message: 'The tile cannot be drawn.' }] });
      expect(JSON.stringify((await knowing.next())?.data)).toContain('cannot represent');
      await Promise.all([unknowing.leave(), knowing.leave()]);
    }
  });

  test('is not told the value that a field refuses', async () => {
    await save('span', 'query ($of: String) { leads(filter: { createdAt: { last: $of } }) { totalCount } }');
    const spans = await make('spans', [{ operation: 'span', variables: { of: 'Ada' } }]);
    const { secret } = await share({ dashboardId: spans });
    for (const [bearer, message] of [
      [await gateway.bearer(home.owner), expect.stringContaining('got Ada')],
      [secret, 'The tile cannot be drawn.'],
    ] as const) {
      const events = readEvents(await open('/run/boards/spans', bearer));
      expect((await events.next())?.data).toMatchObject({ errors: [{ message }] });
      await events.leave();
    }
  });

  test('shows no more than its maker may read now', async () => {
    const { secret } = await share({}, home.editor);
    const response = await open('/run/boards/wall', secret);
    expect(response.status).toBe(200);
    const where = { workspaceId: home.id, id: home.editor.membershipId ?? '' };
    const { role } = await gateway.services.database.membership.findFirstOrThrow({ where });
    await gateway.services.database.membership.updateMany({ where, data: { acceptedAt: null } });
    await gateway.services.tokens.forget();
    expect((await open('/run/boards/wall', secret)).status).toBe(401);
    await gateway.services.database.membership.updateMany({ where, data: { acceptedAt: new Date(), role } });
    await response.body?.cancel();
  });

  test('ends when it is revoked, and with its board', async () => {
    const { key, secret } = await share();
    const list = 'query ($id: ID) { keys(filter: { dashboardId: $id, revoked: false }) { nodes { id dashboardId } } }';
    const { keys } = await gateway.data(home.owner, list, { id: board });
    expect(keys.nodes).toContainEqual({ id: key.id, dashboardId: board });
    await gateway.data(home.owner, `mutation { revokeKey(input: {id: "${key.id}"}) { key { id } } }`);
    expect((await open('/run/boards/wall', secret)).status).toBe(401);
    const gone = await make('gone', [{ operation: 'agents' }]);
    const ofGone = await share({ dashboardId: gone });
    await gateway.data(home.owner, `mutation { deleteDashboard(input: {id: "${gone}"}) { deletedId } }`);
    await gateway.services.tokens.forget();
    expect((await open('/run/boards/gone', ofGone.secret)).status).toBe(401);
    const { keys: left } = await gateway.data(home.owner, list, { id: gone });
    expect(left.nodes).toEqual([]);
  });

  test('is made by a person, of a board of the workspace, and of nothing more', async () => {
    const stranger = await makeWorkspace(gateway);
    for (const [by, input, code] of [
      [stranger.owner, {}, 'not_found'],
      [home.owner, { dashboardId: 'dash_none' }, 'not_found'],
      [home.owner, { operations: ['agents'] }, 'invalid_request'],
      [home.app, {}, 'forbidden'],
    ] as const) {
      const { errors } = await gateway.graphql(by, create, { input: { name: 'Link', dashboardId: board, ...input } });
      expect(errors?.[0]?.extensions.code).toBe(code);
    }
  });
});
