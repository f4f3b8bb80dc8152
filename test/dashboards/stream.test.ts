import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Listening, listen } from '../../src/http/server.ts';
import { makeKey } from '../support/auth/keys.ts';
import { readEvents } from '../support/conversations/event-stream.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
let home: TestWorkspace;
let bearer: string;
let server: Listening;

const run = (document: string, input: object, { owner } = home) => gateway.data(owner, document, { input });
const save = (name: string, document: string) =>
  run('mutation ($input: CreateOperationInput!) { createOperation(input: $input) { operation { id } } }', {
    name,
    document,
  });
const make = (name: string, tiles: object[], more: object = {}, workspace = home) =>
  run(
    'mutation ($input: CreateDashboardInput!) { createDashboard(input: $input) { dashboard { id } } }',
    { name, title: name, tiles, ...more },
    workspace,
  );
const createAgent = (name: string) =>
  gateway.data(home.owner, `mutation { createAgent(input: {name: "${name}"}) { agent { id } } }`);

beforeAll(async () => {
  home = await makeWorkspace(gateway);
  bearer = await gateway.bearer(home.viewer);
  const { id: agentId } = (await createAgent('One')).createAgent.agent;
  const created = await gateway.data(
    home.owner,
    `mutation { createLead(input: {agentId: "${agentId}", name: "Ana"}) { lead { id } } }`,
  );
  await gateway.services.database.lead.updateMany({
    where: { workspaceId: home.id, id: created.createLead.lead.id },
    data: { createdAt: new Date(Date.now() - 14 * 86_400_000) },
  });
  await save('agents', 'query ($first: Int = 5) { agents(first: $first) { nodes { name } } }');
  await save(
    'span',
    'query ($last: String!, $timeZone: String = "UTC") { leads(first: 0, filter: { createdAt: { last: $last, timeZone: $timeZone } }) { totalCount } }',
  );
  await save('audit', '{ auditEntries(first: 1) { totalCount } }');
  await save('gone', '{ bases { totalCount } }');
  await make(
    'wall',
    [{ operation: 'agents' }, { text: 'A text' }, { operation: 'span' }, { operation: 'audit' }, { operation: 'gone' }],
    { last: '4w' },
  );
  const other = await makeWorkspace(gateway);
  await make('theirs', [{ text: 'Theirs' }], {}, other);
  const found = '{ operations(filter: { names: ["gone"] }) { nodes { id } } }';
  const { operations } = await gateway.data(home.owner, found);
  await run('mutation ($input: DeleteOperationInput!) { deleteOperation(input: $input) { deletedId } }', {
    id: operations.nodes[0].id,
  });
  server = await listen(gateway.app.fetch as never, { host: '127.0.0.1', port: 0 });
});
afterAll(() => server?.close(0));

const open = (path: string, by: string | null = bearer) =>
  fetch(server.url + path, { headers: by === null ? {} : { authorization: `Bearer ${by}` } });
type Event = { data: { tile: number; data?: unknown; errors?: { message: string; extensions?: { code: string } }[] } };

/** The first result of each tile, by its place. */
async function firstOf(path: string, count: number) {
  const response = await open(path);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  const events = readEvents(response);
  const results: Record<number, Event['data']> = {};
  while (Object.keys(results).length < count) {
    const { data } = (await events.next()) as Event;
    results[data.tile] = data;
  }
  return { events, results };
}

describe('the results of a board', () => {
  test('are those of its tiles, in one stream, with what a tile fails with in its place', async () => {
    const { events, results } = await firstOf('/run/boards/wall', 4);
    expect(results).toEqual({
      0: { tile: 0, data: { agents: { nodes: [{ name: 'One' }] } } },
      2: { tile: 2, data: { leads: { totalCount: 1 } } },
      3: expect.objectContaining({
        tile: 3,
        errors: [expect.objectContaining({ extensions: expect.objectContaining({ code: 'forbidden' }) })],
      }),
      4: { tile: 4, errors: [{ message: 'The tile cannot be drawn: its saved operation no longer exists.' }] },
    });
    await events.leave();
  });

  test.each([
    ['{ formerly }', /^The tile cannot be drawn: Line 1: Cannot query field "formerly" on type "Query"\..*[^.?]\.$/],
    [
      '{ agentz { totalCount } }',
      /^The tile cannot be drawn: Line 1: Cannot query field "agentz" .*Did you mean .*"\?$/,
    ],
  ])('say in whole sentences why a tile cannot be drawn: %s', async (document, message) => {
    const { id } = (await save('former', '{ leads { totalCount } }')).createOperation.operation;
    const board = await make('broken', [{ operation: 'former' }]);
    const where = { workspaceId: home.id, id };
    await gateway.services.database.savedOperation.updateMany({ where, data: { document } });
    const { events, results } = await firstOf('/run/boards/broken', 1);
    expect(results[0]?.errors?.[0]?.message).toMatch(message);
    await events.leave();
    await gateway.data(home.owner, `mutation { deleteOperation(input: {id: "${id}"}) { deletedId } }`);
    const made = board.createDashboard.dashboard.id;
    await gateway.data(home.owner, `mutation { deleteDashboard(input: {id: "${made}"}) { deletedId } }`);
  });

  test('come again for the tile whose rows have changed, and for no other', async () => {
    const { events } = await firstOf('/run/boards/wall', 4);
    await createAgent('Two');
    expect((await events.next())?.data).toEqual({
      tile: 0,
      data: { agents: { nodes: [{ name: 'Two' }, { name: 'One' }] } },
    });
    await events.leave();
  });

  test('are of the time range and zone of the address, if it names them', async () => {
    const { events, results } = await firstOf('/run/boards/wall?last=1d&timeZone=Europe/Berlin', 4);
    expect(results[2]?.data).toEqual({ leads: { totalCount: 0 } });
    await events.leave();
    for (const [query, message] of [
      ['last=week', /^last: /],
      ['timeZone=Berlin', /^timeZone: /],
    ] as const) {
      const response = await open(`/run/boards/wall?${query}`);
      expect([response.status, (await response.json()).message]).toEqual([400, expect.stringMatching(message)]);
    }
  });

  test('are for who may read the board', async () => {
    expect((await open('/run/boards/wall', null)).status).toBe(401);
    expect((await open('/run/boards/theirs')).status).toBe(404);
    expect((await open('/run/boards/Nothing%20there')).status).toBe(404);
    const key = await makeKey(gateway, home.editor, { scopes: ['agents.read'] });
    expect((await open('/run/boards/wall', key)).status).toBe(403);
    const head = await fetch(`${server.url}/run/boards/wall`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${bearer}` },
    });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const posted = await fetch(`${server.url}/run/boards/wall`, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});
