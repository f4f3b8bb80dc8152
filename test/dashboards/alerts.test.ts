import { beforeEach, describe, expect, test } from 'vitest';
import { payloadOf } from '../../src/domain/webhooks/send.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
let home: TestWorkspace;
let board: string;

const save = (name: string, document: string, by = home.owner) =>
  gateway.data(by, 'mutation ($input: CreateOperationInput!) { createOperation(input: $input) { operation { id } } }', {
    input: { name, document },
  });
const createDashboard =
  'mutation ($input: CreateDashboardInput!) { createDashboard(input: $input) { dashboard { id tiles { alert { state } } } } }';
const updateDashboard =
  'mutation ($input: UpdateDashboardInput!) { updateDashboard(input: $input) { dashboard { id } } }';
const tiles = [
  { operation: 'agents', title: 'Too many', alert: { above: 1 } },
  { text: 'A text' },
  { operation: 'agents', title: 'For long', alert: { above: 1, column: 'agents.totalCount', forMinutes: 10 } },
];
const alerts = async () => {
  const document = `query ($id: ID!) { dashboard(id: $id) { tiles { title alert {
    id column rows above below noData forMinutes state since checkedAt pausedReason waitingReason runsAs } } } }`;
  const { dashboard } = await gateway.data(home.owner, document, { id: board });
  return dashboard.tiles.flatMap(({ alert }: { alert: object | null }) => alert ?? []);
};
const states = async () => (await alerts()).map(({ state }: { state: string }) => state);
const minuteAgo = () => new Date(Date.now() - 60_000);
/** Looks, as if a minute had passed. */
async function look(): Promise<void> {
  const where = { workspaceId: home.id };
  await gateway.services.database.alert.updateMany({ where, data: { checkedAt: minuteAgo() } });
  await gateway.app.checkAlerts();
}
const saveTiles = (given: object[], by = home.owner) =>
  gateway.data(by, updateDashboard, { input: { id: board, tiles: given } });
/** The same tiles, whose paused alerts are resumed. */
const resumed = (given: { alert?: object }[]) =>
  given.map((tile) => (tile.alert ? { ...tile, alert: { ...tile.alert, resume: true } } : tile));
async function updateOperation(changed: object, by = home.owner): Promise<void> {
  const { operations } = await gateway.data(by, '{ operations(filter: {names: ["agents"]}) { nodes { id } } }');
  const document = 'mutation ($input: UpdateOperationInput!) { updateOperation(input: $input) { operation { id } } }';
  await gateway.data(by, document, { input: { id: operations.nodes[0].id, ...changed } });
}
const told = async () => {
  const where = { workspaceId: home.id, type: { startsWith: 'alert.' } };
  return gateway.services.database.outboxEvent.findMany({ where, orderBy: { createdAt: 'asc' } });
};
const typesTold = async () => (await told()).map(({ type }) => type);
const agents = async (count: number) => {
  for (let made = 0; made < count; made += 1)
    await gateway.data(home.owner, 'mutation { createAgent(input: {name: "One"}) { agent { id } } }');
};

beforeEach(async () => {
  home = await makeWorkspace(gateway);
  await save('agents', '{ agents { totalCount } }');
  await gateway.data(
    home.owner,
    'mutation { createWebhook(input: {url: "https://example.com/hook", events: [alert_started, alert_ended, alert_paused]}) { webhook { id } } }',
  );
  const made = await gateway.data(home.owner, createDashboard, { input: { name: 'wall', title: 'Wall', tiles } });
  board = made.createDashboard.dashboard.id;
});

describe('the condition of a tile', () => {
  test('tells webhooks once when it starts, after as long as it says, and once when it ends', async () => {
    expect(await states()).toEqual(['quiet', 'quiet']);
    await look();
    expect([await states(), await typesTold()]).toEqual([['quiet', 'quiet'], []]);
    await agents(2);
    await look();
    await look();
    expect([await states(), await typesTold()]).toEqual([['started', 'pending'], ['alert.started']]);
    const where = { workspaceId: home.id, state: 'pending' as const };
    await gateway.services.database.alert.updateMany({ where, data: { since: new Date(Date.now() - 11 * 60_000) } });
    await look();
    expect([await states(), await typesTold()]).toEqual([
      ['started', 'started'],
      ['alert.started', 'alert.started'],
    ]);
    const [event] = await told();
    const payload = event && JSON.parse(await payloadOf(gateway.services, event));
    expect(payload).toMatchObject({
      type: 'alert.started',
      data: {
        dashboardId: board,
        alert: {
          state: 'started',
          title: 'Too many',
          operation: 'agents',
          condition: { above: 1, below: null, forMinutes: 0 },
          dashboard: { id: board, name: 'wall', title: 'Wall' },
        },
      },
    });
    // What the number is, the receiver may not be allowed to read.
    expect(Object.keys(payload.data.alert)).not.toContain('value');
    const { agents: some } = await gateway.data(home.owner, '{ agents { nodes { id } } }');
    await gateway.data(home.owner, `mutation { deleteAgent(input: {id: "${some.nodes[0].id}"}) { deletedId } }`);
    await look();
    expect(await states()).toEqual(['quiet', 'quiet']);
    expect((await typesTold()).slice(2)).toEqual(['alert.ended', 'alert.ended']);
  });

  test('is looked at once by all processes, and at most once a minute', async () => {
    await agents(2);
    await Promise.all([1, 2, 3].map(() => gateway.app.checkAlerts()));
    expect(await typesTold()).toEqual(['alert.started']);
    const [{ checkedAt }] = await alerts();
    await gateway.app.checkAlerts();
    expect((await alerts())[0].checkedAt).toBe(checkedAt);
  });

  test('keeps its state when its tile is moved or titled, and loses it with another condition', async () => {
    await agents(2);
    await look();
    const [first, , third] = tiles;
    const moved = [third, { ...first, title: 'Other', x: 0, y: 9 }];
    await gateway.data(home.owner, updateDashboard, { input: { id: board, tiles: moved } });
    expect(await states()).toEqual(['pending', 'started']);
    await gateway.data(home.owner, updateDashboard, { input: { id: board, title: 'Only the title' } });
    expect(await states()).toEqual(['pending', 'started']);
    const changed = [{ ...first, alert: { above: 5 } }];
    await gateway.data(home.owner, updateDashboard, { input: { id: board, tiles: changed } });
    expect(await states()).toEqual(['quiet']);
    expect(await gateway.services.database.alert.count({ where: { workspaceId: home.id } })).toBe(1);
  });

  test('asks with the rights of who set it, and pauses when they have none, until somebody resumes it', async () => {
    await gateway.data(home.editor, updateDashboard, { input: { id: board, tiles: [] } });
    await gateway.data(home.editor, updateDashboard, { input: { id: board, tiles } });
    expect((await alerts())[0].runsAs).toBe(home.editor.userId);
    const where = { workspaceId: home.id, id: home.editor.membershipId ?? '' };
    await gateway.services.database.membership.updateMany({ where, data: { acceptedAt: null } });
    await agents(2);
    await look();
    const [paused] = await alerts();
    expect(paused).toMatchObject({ state: 'quiet', pausedReason: expect.stringContaining('has left the workspace') });
    await look();
    // Once for each of the two tiles.
    expect(await typesTold()).toEqual(['alert.paused', 'alert.paused']);
    for (const event of await told()) {
      const { data } = JSON.parse((await payloadOf(gateway.services, event)) ?? '{}');
      expect(data.alert).toMatchObject({ pausedReason: paused.pausedReason });
    }
    // Whoever saves other tiles of the board lends nothing.
    await saveTiles([...tiles, { text: 'Another' }]);
    expect((await alerts())[0]).toMatchObject({ pausedReason: paused.pausedReason, runsAs: home.editor.userId });
    await saveTiles(resumed(tiles));
    expect((await alerts())[0]).toMatchObject({ pausedReason: null, runsAs: home.owner.userId });
    await look();
    expect((await typesTold()).slice(2)).toEqual(['alert.started']);
    // It is resumed once: the board keeps no wish.
    const kept = await gateway.services.database.dashboard.findFirst({ where: { workspaceId: home.id } });
    expect(JSON.stringify(kept?.tiles)).not.toContain('resume');
  });

  test.each([
    ['its document', { document: '{ agents { totalCount } leads { totalCount } }' }],
    ['its variables', { variables: { first: 2 } }],
  ])('asks the query that it was set for alone: it pauses when somebody changes %s', async (_what, changed) => {
    const document = 'query ($first: Int = 1) { agents(first: $first) { totalCount } }';
    await updateOperation({ document });
    await saveTiles(resumed(tiles));
    await agents(2);
    await updateOperation({ description: 'Only another text', chart: { type: 'number' } });
    await look();
    expect(await states()).toEqual(['started', 'pending']);
    await updateOperation({ document, ...changed }, home.editor);
    await look();
    expect((await alerts())[0]).toMatchObject({
      state: 'started',
      pausedReason: expect.stringContaining('was changed'),
    });
    await saveTiles(tiles);
    await look();
    expect((await alerts())[0].pausedReason).toContain('was changed after');
    await saveTiles(resumed(tiles), home.editor);
    await look();
    expect((await alerts())[0]).toMatchObject({ state: 'started', pausedReason: null, runsAs: home.editor.userId });
  });

  test('knows nothing of the query that it asked before, once it is set for another', async () => {
    await agents(2);
    await look();
    const [, pending] = await alerts();
    expect(await states()).toEqual(['started', 'pending']);
    const where = { workspaceId: home.id, id: pending.id };
    await gateway.services.database.alert.updateMany({ where, data: { since: new Date(Date.now() - 3 * 86_400_000) } });
    await updateOperation({ document: '{ agents { totalCount } leads { totalCount } }' });
    // Before a look has noticed the change, too.
    await saveTiles(resumed(tiles));
    expect(await states()).toEqual(['quiet', 'quiet']);
    expect(await typesTold()).toEqual(['alert.started', 'alert.ended']);
    await look();
    expect([await states(), (await alerts())[0].pausedReason]).toEqual([['started', 'pending'], null]);
  });

  test('is about the time range that the board gave it: it pauses with another, if it is not its own', async () => {
    const setPage = (page: object) => gateway.data(home.owner, updateDashboard, { input: { id: board, ...page } });
    await setPage({ last: '12w', timeZone: 'UTC' });
    const document =
      'query ($last: String!) { agents { totalCount } leads(filter: { createdAt: { last: $last } }) { totalCount } }';
    await updateOperation({ document });
    const own = { ...tiles[0], variables: { last: '2w' } };
    await saveTiles(resumed([tiles[0], own] as { alert: object }[]));
    await look();
    await setPage({ timeZone: 'Europe/Berlin', title: 'Another' });
    await look();
    expect(await alerts()).toMatchObject([{ pausedReason: null }, { pausedReason: null }]);
    await setPage({ last: '4w' });
    await look();
    const found = await alerts();
    expect(found).toMatchObject([
      { pausedReason: expect.stringContaining('the time range or zone of the board, was changed') },
      { pausedReason: null },
    ]);
    await saveTiles(resumed([tiles[0], own] as { alert: object }[]));
    await look();
    expect(await alerts()).toMatchObject([{ pausedReason: null }, { pausedReason: null }]);
  });

  test('is set for the query that there is at the first look, if it is of before these were kept', async () => {
    await gateway.services.database.alert.updateMany({ where: { workspaceId: home.id }, data: { queryHash: null } });
    await agents(2);
    await look();
    expect(await states()).toEqual(['started', 'pending']);
    await updateOperation({ document: '{ agents { totalCount } users: leads { totalCount } }' });
    await look();
    expect((await alerts())[0].pausedReason).toContain('was changed after');
  });

  test('says why its last look failed, for as long as that is so', async () => {
    await agents(2);
    const where = { workspaceId: home.id };
    const { settings } = gateway.services.database;
    await settings.upsert({ where, create: { ...where, requestsPerMinute: 1 }, update: { requestsPerMinute: 1 } });
    await look();
    await settings.updateMany({ where, data: { requestsPerMinute: null } });
    // The first of the two was within the budget, or none.
    const reasons = (await alerts()).map(({ waitingReason }: { waitingReason: string | null }) => waitingReason);
    expect(reasons).toContainEqual(expect.stringContaining('per minute'));
    expect(await alerts()).toMatchObject([{ pausedReason: null }, { pausedReason: null }]);
    await look();
    expect(await alerts()).toMatchObject([
      { state: 'started', waitingReason: null },
      { state: 'pending', waitingReason: null },
    ]);
  });

  test('is set and resumed by nobody whose token ends, though they may save other tiles', async () => {
    const minted = { ...home.owner, credential: 'minted' as const };
    const save = async (given: object[]) =>
      (await gateway.graphql(minted, updateDashboard, { input: { id: board, tiles: given } })).errors?.[0]?.message;
    const [first] = tiles;
    expect(await save([...tiles, { ...first, alert: { above: 9 } }])).toContain('cannot set alerts');
    expect(await save([...tiles, { text: 'Another' }])).toBeUndefined();
    await gateway.services.database.alert.updateMany({
      where: { workspaceId: home.id },
      data: { pausedReason: 'Why' },
    });
    expect(await save(tiles)).toBeUndefined();
    expect(await save(resumed(tiles))).toContain('cannot set alerts');
    expect((await alerts())[0].pausedReason).toBe('Why');
    const input = { name: 'other', title: 'Other', tiles: [first] };
    const { errors } = await gateway.graphql(minted, createDashboard, { input });
    expect(errors?.[0]?.message).toContain('cannot set alerts');
  });

  test('pauses when the operation is gone, or may not be read', async () => {
    await save('entries', '{ auditEntries(first: 1) { totalCount } }');
    const input = { id: board, tiles: [{ operation: 'entries', alert: { above: 0 } }, tiles[0]] };
    await gateway.data(home.editor, updateDashboard, { input });
    const { operations } = await gateway.data(home.owner, '{ operations { nodes { id name } } }');
    const { id } = operations.nodes.find(({ name }: { name: string }) => name === 'agents');
    await gateway.data(home.owner, `mutation { deleteOperation(input: {id: "${id}"}) { deletedId } }`);
    await look();
    const [refused, gone] = await alerts();
    expect(refused.pausedReason).toContain('audit: read');
    expect(gone.pausedReason).toBe('The tile cannot be drawn: its saved operation no longer exists.');
    const where = { workspaceId: home.id };
    await gateway.services.database.savedOperation.updateMany({ where, data: { document: '{ formerly }' } });
    await gateway.services.database.alert.updateMany({ where, data: { pausedReason: null } });
    await look();
    expect((await alerts())[0].pausedReason).toMatch(/^The tile cannot be drawn: .*"formerly".*[^.]\.$/);
  });

  test('is refused without a bound and without an operation', async () => {
    for (const [tile, message] of [
      [{ operation: 'agents', alert: {} }, 'tiles.0.alert: needs at least one of above, below and noData'],
      [{ text: 'A text', alert: { above: 1 } }, 'tiles.0.alert: must have an operation'],
    ] as const) {
      const { errors } = await gateway.graphql(home.owner, updateDashboard, { input: { id: board, tiles: [tile] } });
      expect(errors?.[0]?.message).toContain(message);
    }
  });
});
