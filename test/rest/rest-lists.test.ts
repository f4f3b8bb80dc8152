import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();
let home: TestWorkspace;
let world: World;
beforeAll(async () => {
  home = await makeWorkspace(gateway);
  world = await makeWorld(gateway);
});

const get = (path: string, viewer = home.owner) => gateway.rest(viewer, 'GET', path);

describe('a numbered list', () => {
  beforeAll(async () => {
    for (let count = 0; count < 5; count++) await makeAgent(gateway, home.editor, { name: `Agent ${count}` });
  });
  const meta = async (query: string) => (await get(`/rest/agents?${query}`)).body.meta;

  test('has 20 items a page and begins with the first, unless told otherwise', async () => {
    expect(await meta('')).toEqual({ total: 5, page: 1, size: 20, first: 1, last: 1, next: null, previous: null });
  });

  test('tells the pages before and after, and none at its ends', async () => {
    expect(await meta('size=2')).toMatchObject({ last: 3, next: 2, previous: null });
    expect(await meta('size=2&page=2')).toMatchObject({ last: 3, next: 3, previous: 1 });
    expect(await meta('size=2&page=3')).toMatchObject({ last: 3, next: null, previous: 2 });
  });

  test('shows each item on one page, newest first', async () => {
    const pages = await Promise.all([1, 2, 3].map((page) => get(`/rest/agents?size=2&page=${page}`)));
    const names = pages.flatMap(({ body }) => body.data.map(({ name }: { name: string }) => name));
    expect(names).toEqual(['Agent 4', 'Agent 3', 'Agent 2', 'Agent 1', 'Agent 0']);
  });

  test.each(['6', '1000000', '2147483648', '9007199254740991'])(
    'is empty on page %s, beyond its last',
    async (page) => {
      const { status, body } = await get(`/rest/agents?page=${page}&size=100`);
      expect([status, body.data, body.meta.next, body.meta.last]).toEqual([200, [], null, 1]);
    },
  );

  test('without items has one empty page', async () => {
    const { body } = await get('/rest/fields');
    expect(body).toEqual({
      data: [],
      meta: { total: 0, page: 1, size: 20, first: 1, last: 1, next: null, previous: null },
    });
  });

  const lists = ['/rest/agents', '/rest/fields', '/rest/bases', '/rest/conversations/list/AGENT'];
  const values = ['0', '-1', '1.5', '1e1', '0x1', 'abc', '', ' ', 'NaN', 'Infinity', '99999999999999999999'];
  test.each(lists)('%s names page and size when they are out of range or no numbers', async (path) => {
    const address = path.replace('AGENT', world.ids.agentId);
    for (const name of ['page', 'size']) {
      for (const value of [...values, ...(name === 'size' ? ['101'] : [])]) {
        const { status, body } = await get(`${address}?${name}=${encodeURIComponent(value)}`, world.owner);
        expect([status, body.code]).toEqual([400, 'invalid_request']);
        const last = name === 'page' ? Number.MAX_SAFE_INTEGER : 100;
        expect(body.issues).toEqual([{ message: `${name}: must be a whole number from 1 to ${last}` }]);
      }
    }
    expect((await get(`${address}?page=1&size=100`, world.owner)).status).toBe(200);
  });

  test('refuses a parameter that is given twice, since it says two things', async () => {
    const { status, body } = await get('/rest/agents?page=1&page=2');
    expect([status, body.issues]).toEqual([400, [{ message: 'page: must not be given more than once' }]]);
  });

  test('takes text in search, never a pattern', async () => {
    const found = async (search: string) =>
      (await get(`/rest/agents?search=${encodeURIComponent(search)}`)).body.meta.total;
    expect(await found('AGÉNT 3')).toBe(1);
    for (const text of ['%', '_', '\\', "'", '"', 'agent_3', 'a%3', '%;--'])
      expect([text, await found(text)]).toEqual([text, 0]);
    expect(await found('')).toBe(5);
  });
});

describe('the conversations of an agent', () => {
  const times = [
    '2026-06-30T23:59:59.999Z',
    '2026-07-01T00:00:00.000Z',
    '2026-07-01T23:59:59.999Z',
    '2026-07-02T00:00:00.000Z',
  ];
  let agentId: string;
  beforeAll(async () => {
    agentId = (await makeAgent(gateway, world.editor)).id;
    const channel = { ...world.make.channel(), agentId };
    await gateway.database.channel.create({ data: channel });
    const rows = times.map((createdAt, index) => ({
      ...world.make.conversation(),
      agentId,
      channelId: channel.id,
      createdAt,
      title: String(index),
    }));
    await gateway.database.conversation.createMany({ data: rows });
  });
  const list = (createdAt: string) =>
    get(`/rest/conversations/list/${agentId}?createdAt=${encodeURIComponent(createdAt)}`, world.viewer);

  test.each([
    ['2026-07-01', '21'],
    ['2026-06-30', '0'],
    ['2026-07-03', ''],
    ['2026-07-01/2026-07-02', '21'],
    ['2026-07-01/..', '321'],
    ['../2026-07-01', '0'],
    ['../2026-07-02', '210'],
    ['2026-07-01/2026-07-01', ''],
    ['2026-07-01T00:00:00Z/2026-07-01T23:59:59.999Z', '1'],
    ['2026-07-01T02:00:00+02:00/2026-07-01T21:00:00-03:00', '21'],
    ['0000-01-01/9999-12-31', '3210'],
    ['9999-12-31', ''],
    ['0000-01-01', ''],
  ])('that began in %s are those that did', async (createdAt, titles) => {
    const { status, body } = await list(createdAt);
    expect([status, body.data?.map(({ title }: { title: string }) => title).join('')]).toEqual([200, titles]);
    expect(body.meta.total).toBe(titles.length);
  });

  test.each([
    'yesterday',
    '2026-02-30',
    '2026-13-01',
    '2026-7-1',
    '20260701',
    '2026',
    '2026-07',
    '2026-07-01T00:00:00Z',
    '2026-07-01T00:00:00/..',
    '2026-07-01/2026-02-30',
    '2026-07-02/2026-07-01',
    '2026-07-01/',
    '/2026-07-01',
    '/',
    '..',
    '../..',
    '2026-07-01/2026-07-02/2026-07-03',
    '2026-07-01/P1D',
    '2026-07-01 / 2026-07-02',
    '',
    '1782864000000',
    '2026-07-01T24:00:00Z/..',
  ])('cannot be asked for by %j', async (createdAt) => {
    const { status, body } = await list(createdAt);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.issues).toEqual([{ message: expect.stringMatching(/^createdAt: must be a date/) }]);
  });

  test('of an unknown agent, or one of another workspace, are not found', async () => {
    for (const id of [newId('agent'), 'nothing', (await makeAgent(gateway, home.editor)).id]) {
      const { status, body } = await get(`/rest/conversations/list/${id}`, world.owner);
      expect([status, body]).toEqual([404, { message: 'Agent not found.', code: 'not_found' }]);
    }
  });
});

describe('a list that is one array', () => {
  test('is whole, however many rows there are', async () => {
    const { id: workspaceId, owner } = await makeWorkspace(gateway);
    const row = { workspaceId, appId: 'portal', priceId: 'p', status: 'ended' as const };
    const data = Array.from({ length: 2_100 }, () => ({ ...row, id: newId('subscription') }));
    await gateway.database.subscription.createMany({ data });
    const { body } = await get('/rest/subscriptions', owner);
    expect(new Set(body.map(({ id }: { id: string }) => id)).size).toBe(2_101);
    expect(body).toHaveLength(2_101);
  });
});

describe('copywriting records', () => {
  const promptId = 'a prompt/with & more';
  const path = `/rest/copywriting/${encodeURIComponent(promptId)}`;
  let ids: string[];
  beforeAll(async () => {
    // Many rows with the same time, which are ordered by id.
    const data = Array.from({ length: 1_120 }, (_, index) => ({
      id: newId('copy'),
      workspaceId: home.id,
      promptId,
      completionId: `c${index}`,
      content: String(index),
      createdAt: new Date(Date.UTC(2026, 6, 1) + Math.floor(index / 100) * 1_000),
    }));
    await gateway.database.copy.createMany({ data });
    ids = data
      .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1))
      .map(({ id }) => id);
  });
  const idsOf = (body: { data: { copyId: string }[] }) => body.data.map(({ copyId }) => copyId);

  test('come 20 at a time, newest first, with their times in milliseconds', async () => {
    const { body } = await get(path);
    expect(idsOf(body)).toEqual(ids.slice(0, 20));
    expect(body.data[0].createdAt).toBe(Date.UTC(2026, 6, 1) + 11_000);
  });

  test('are read to the end by the cursor, which is empty there', async () => {
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await get(`${path}?limit=50&cursor=${encodeURIComponent(cursor)}`);
      seen.push(...idsOf(body));
      cursor = body.cursor;
    } while (cursor !== '' && seen.length < 2_000);
    expect(seen).toEqual(ids);
  });

  test('come all at once with all=true, up to 1,000 a call', async () => {
    const first = await get(`${path}?all=true&limit=1`);
    expect(idsOf(first.body)).toEqual(ids.slice(0, 1_000));
    const rest = await get(`${path}?all=true&cursor=${encodeURIComponent(first.body.cursor)}`);
    expect([idsOf(rest.body), rest.body.cursor]).toEqual([ids.slice(1_000), '']);
    expect((await get(`${path}?all=false`)).body.data).toHaveLength(20);
    for (const limit of ['0', '5000', 'ten'])
      expect(idsOf((await get(`${path}?all=true&limit=${limit}`)).body)).toEqual(ids.slice(0, 1_000));
  });

  test.each([
    ['limit=0', /^limit: must be a whole number from 1 to 50$/],
    ['limit=51', /^limit: /],
    ['limit=ten', /^limit: /],
    ['all=yes', /^all: must be one of true, false$/],
    ['cursor=nonsense', /^cursor: is not a cursor/],
    ['cursor=%F0%9F%98%80', /^cursor: /],
    ['cursor=WyJhIiwxLCJiIl0', /^cursor: /],
  ])('are refused with %s', async (query, message) => {
    const { status, body } = await get(`${path}?${query}`);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.issues).toEqual([{ message: expect.stringMatching(message) }]);
  });

  test('of one prompt cannot be read with the cursor of another', async () => {
    const { body } = await get(`${path}?limit=1`);
    const other = await get(`/rest/copywriting/another?cursor=${encodeURIComponent(body.cursor)}`);
    expect([other.status, other.body.issues[0].message]).toEqual([400, expect.stringMatching(/^cursor: /)]);
  });
});
