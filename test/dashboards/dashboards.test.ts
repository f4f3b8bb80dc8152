import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure } from '../support/gateway/app.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';

const { gateway, home, other } = useWorkspaces();
const tileFields = `operationName operation { id name } broken title text variables
  chart { type data x y y2 split } x y width height`;
const fields = `id name title description last timeZone tiles { ${tileFields} }`;
const create = `mutation ($input: CreateDashboardInput!) { createDashboard(input: $input) { dashboard { ${fields} } } }`;
const update = `mutation ($input: UpdateDashboardInput!) { updateDashboard(input: $input) { dashboard { ${fields} } } }`;
const remove = 'mutation ($input: DeleteDashboardInput!) { deleteDashboard(input: $input) { deletedId } }';
const read = `query ($id: ID!) { dashboard(id: $id) { ${fields} } }`;
const createOperation =
  'mutation ($input: CreateOperationInput!) { createOperation(input: $input) { operation { id name } } }';

const perWeek = `query ($last: String!, $timeZone: String = "UTC", $first: Int = 5) {
  leads(first: $first, filter: { createdAt: { last: $last, timeZone: $timeZone } }) { totalCount }
}`;
let count = 0;
type Member = typeof home.editor;
const saveOperation = async (document: string, viewer: Member = home.editor) =>
  (await gateway.data(viewer, createOperation, { input: { name: `operation-${++count}`, document } })).createOperation
    .operation as { id: string; name: string };
const make = async (input: object = {}, viewer: Member = home.editor) => {
  const given = { name: `board-${++count}`, title: 'Marketing', ...input };
  return (await gateway.data(viewer, create, { input: given })).createDashboard.dashboard;
};
const refuse = async (input: object, message: RegExp, code = 'invalid_request') => {
  const given = { name: `board-${++count}`, title: 'Refused', ...input };
  expectFailure(await gateway.graphql(home.editor, create, { input: given }), code as never, message);
};

let leads: { id: string; name: string };
beforeAll(async () => {
  leads = await saveOperation(perWeek);
});

describe('a dashboard', () => {
  test('has tiles of saved operations, by name or ID, with their variables, charts and texts', async () => {
    const chart = { type: 'bar', data: 'leads.groups', x: 'by.week.from', y: 'count', y2: 'sum.cost' };
    const board = await make({
      description: 'For the team',
      last: '12w',
      timeZone: 'America/Sao_Paulo',
      tiles: [
        { operation: leads.name, title: 'Leads', variables: { first: 2 }, chart, x: 6, y: 1, width: 6, height: 5 },
        { operation: leads.id },
        { text: 'Numbers of the shop.' },
      ],
    });
    expect(board).toMatchObject({ title: 'Marketing', last: '12w', timeZone: 'America/Sao_Paulo' });
    expect(board.tiles).toEqual([
      {
        operationName: leads.name,
        operation: leads,
        broken: null,
        title: 'Leads',
        text: '',
        variables: { first: 2 },
        chart: { ...chart, split: null },
        x: 6,
        y: 1,
        width: 6,
        height: 5,
      },
      expect.objectContaining({ operationName: leads.name, operation: leads, broken: null, chart: null }),
      expect.objectContaining({ operationName: null, operation: null, broken: null, text: 'Numbers of the shop.' }),
    ]);
    expect((await gateway.data(home.viewer, read, { id: board.id })).dashboard).toEqual(board);
  });

  test('places tiles that name no place beside the one before, or below all', async () => {
    const text = 'A text';
    const { tiles } = await make({
      tiles: [{ text }, { text }, { text, width: 4 }, { text, width: 8, height: 2 }, { text, width: 12 }],
    });
    expect(tiles.map(({ x, y, width, height }: Record<string, number>) => [x, y, width, height])).toEqual([
      [0, 0, 6, 4],
      [6, 0, 6, 4],
      [0, 4, 4, 4],
      [4, 4, 8, 2],
      [0, 8, 12, 4],
    ]);
  });

  test('keeps what an update omits, clears what is null, and replaces its tiles', async () => {
    const { id, name } = await make({ last: '4w', timeZone: 'UTC', tiles: [{ operation: leads.name }] });
    const kept = (await gateway.data(home.editor, update, { input: { id, title: 'Sales', timeZone: null } }))
      .updateDashboard.dashboard;
    expect(kept).toMatchObject({ name, title: 'Sales', last: '4w', timeZone: null });
    expect(kept.tiles).toHaveLength(1);
    const { updateDashboard } = await gateway.data(home.editor, update, { input: { id, tiles: [{ text: 'Moved' }] } });
    expect(updateDashboard.dashboard.tiles).toMatchObject([{ text: 'Moved' }]);
  });

  test('is listed, found by name, and gone once deleted, while its operations stay', async () => {
    const { id, name } = await make({ last: '4w', tiles: [{ operation: leads.name }] });
    const byName = `{ dashboards(filter: { names: ["${name}"] }) { totalCount nodes { id } } }`;
    expect((await gateway.data(home.viewer, byName)).dashboards).toEqual({ totalCount: 1, nodes: [{ id }] });
    const { deleteDashboard } = await gateway.data(home.editor, remove, { input: { id } });
    expect(deleteDashboard.deletedId).toBe(id);
    expect((await gateway.data(home.viewer, byName)).dashboards.nodes).toEqual([]);
    const operation = `{ operation(id: "${leads.id}") { id } }`;
    expect((await gateway.data(home.viewer, operation)).operation).toEqual({ id: leads.id });
  });

  test('has a name of its own in the workspace, and belongs to one workspace', async () => {
    const { id, name } = await make();
    await refuse({ name }, /name/, 'conflict');
    const theirs = await make({ name }, other.editor);
    expectFailure(await gateway.graphql(home.viewer, read, { id: theirs.id }), 'not_found');
    for (const document of [update, remove])
      expectFailure(await gateway.graphql(other.editor, document, { input: { id } }), 'not_found');
    expectFailure(await gateway.graphql(home.viewer, update, { input: { id, title: 'Mine' } }), 'forbidden');
  });
});

describe('a tile', () => {
  test('is refused if its operation is unknown, of another workspace, or writes', async () => {
    const theirs = await saveOperation('{ agents { totalCount } }', other.editor);
    await refuse({ tiles: [{ operation: 'nowhere' }] }, /Saved operation/, 'not_found');
    await refuse({ tiles: [{ operation: theirs.id }] }, /Saved operation/, 'not_found');
    const writes = await saveOperation('mutation { createAgent(input: { name: "New" }) { agent { id } } }');
    await refuse({ tiles: [{ operation: writes.name }] }, /tiles\.0: its saved operation writes/);
  });

  test.each([
    ['neither operation nor text', {}, /tiles\.0: must have an operation, a text or both/],
    ['blank text', { text: ' ' }, /tiles\.0: must have/],
    ['half a place', { text: 'A', x: 1 }, /both x and y/],
    ['no column of the grid', { text: 'A', x: 12, y: 0 }, /tiles\.0\.x: must be 11 or less/],
    ['a column before the first', { text: 'A', x: -1, y: 0 }, /tiles\.0\.x: must be 0 or more/],
    ['more width than there is', { text: 'A', x: 8, y: 0, width: 6 }, /12 columns/],
    ['no height', { text: 'A', height: 0 }, /tiles\.0\.height/],
    ['a text that is too long', { text: 'A'.repeat(2_001) }, /tiles\.0\.text/],
    ['variables that are too long', { text: 'A', variables: { a: 'a'.repeat(2_000) } }, /tiles\.0\.variables/],
  ])('is refused with %s', async (_, tile, message) => {
    await refuse({ tiles: [tile] }, message);
  });

  test('has no operation if its name is empty', async () => {
    expect((await make({ tiles: [{ operation: '', text: 'A' }] })).tiles).toMatchObject([{ operationName: null }]);
  });

  test('is refused upon another, and so are more than 24', async () => {
    const text = 'A text';
    await refuse({ tiles: [{ text }, { text, x: 5, y: 3 }] }, /tiles\.1: overlaps tiles\.0/);
    expect((await make({ tiles: Array(24).fill({ text }) })).tiles).toHaveLength(24);
    await refuse({ tiles: Array(25).fill({ text }) }, /tiles/);
  });

  test('takes only values that its operation declares, and needs those without a default', async () => {
    const { name: operation } = leads;
    await refuse({ last: '4w', tiles: [{ operation, variables: { size: 1 } }] }, /tiles\.0: .*no variable size/);
    await refuse({ last: '4w', tiles: [{ operation, variables: { first: 'many' } }] }, /tiles\.0: .*\$first/);
    await refuse({ tiles: [{ operation }] }, /tiles\.0: .*\$last/);
    expect((await make({ tiles: [{ operation, variables: { last: '1d' } }] })).tiles[0].broken).toBeNull();
  });

  test('says so when its operation is gone, is replaced, or no longer fits', async () => {
    const { id: operationId, name } = await saveOperation('{ agents { totalCount } }');
    const { id } = await make({ tiles: [{ operation: name, title: 'Agents' }] });
    const tileNow = async () => (await gateway.data(home.viewer, read, { id })).dashboard.tiles[0];
    const broken = { document: '{ formerly { id } }' };
    await gateway.services.database.savedOperation.updateMany({ where: { id: operationId }, data: broken });
    expect(await tileNow()).toMatchObject({ broken: expect.stringContaining('formerly'), operation: { name } });
    const removing = 'mutation ($input: DeleteOperationInput!) { deleteOperation(input: $input) { deletedId } }';
    await gateway.data(home.editor, removing, { input: { id: operationId } });
    expect(await tileNow()).toMatchObject({
      broken: 'its saved operation no longer exists',
      operation: null,
      operationName: name,
      title: 'Agents',
    });
    await gateway.data(home.editor, createOperation, { input: { name, document: '{ leads { totalCount } }' } });
    expect(await tileNow()).toMatchObject({ broken: null, operation: { name } });
  });

  test('of several boards is read with its operation', async () => {
    const tiles = [{ operation: leads.name }, { operation: leads.name, variables: { first: 1 } }];
    for (const title of ['One', 'Two', 'Three']) await make({ title, last: '4w', tiles });
    const { dashboards } = await gateway.data(
      home.viewer,
      '{ dashboards(first: 3) { nodes { tiles { operation { id } } } } }',
    );
    expect(dashboards.nodes.flatMap((board: { tiles: object[] }) => board.tiles)).toEqual(
      Array(6).fill({ operation: { id: leads.id } }),
    );
  });
});

describe('the page of a dashboard', () => {
  test.each(['Marketing', '1st', 'a_b', '', 'ä'])('is not named %j', async (name) => {
    await refuse({ name }, /name/);
  });

  test('needs a title, a span and a time zone that there are', async () => {
    await refuse({ title: ' ' }, /title/);
    for (const last of ['', 'week', '0d', '200y']) await refuse({ last }, /last/);
    for (const timeZone of ['', 'Berlin', '+01:00']) await refuse({ timeZone }, /timeZone/);
  });

  test('is one of 200 at most', async () => {
    const { database } = gateway.services;
    const { id: workspaceId } = other;
    const actors = { createdBy: 'x', updatedBy: 'x' };
    const had = await database.dashboard.count({ where: { workspaceId } });
    await database.dashboard.createMany({
      data: Array.from({ length: 200 - had }, (_, n) => ({
        ...actors,
        workspaceId,
        id: `dsb_full${n}`,
        name: `full-${n}`,
        title: 'Full',
      })),
    });
    const input = { name: 'one-more', title: 'One more' };
    expectFailure(await gateway.graphql(other.editor, create, { input }), 'conflict', /200 dashboards/);
  });
});

describe('who has no bearer', () => {
  test('reads and writes no dashboard', async () => {
    for (const query of [
      '{ dashboards { totalCount } }',
      'mutation { deleteDashboard(input: {id: "x"}) { deletedId } }',
    ]) {
      const response = await gateway.app.request('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      expect(response.status).toBe(401);
    }
  });
});
