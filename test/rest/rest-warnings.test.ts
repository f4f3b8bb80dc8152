import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { synonyms } from '../../src/rest/parameter-synonyms.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();
let home: World;
beforeAll(async () => {
  home = await makeWorld(gateway);
});

const warningOf = async (path: string) => (await gateway.rest(home.owner, 'GET', path)).headers.get('warning');

describe('a parameter of another service is ignored, and the warning has the name that it has here:', () => {
  const conversations = () => `/rest/conversations/list/${home.ids.agentId}`;

  test.each([
    ['pageSize=5', 'size'],
    ['page_size=5', 'size'],
    ['limit=5', 'size'],
    ['per_page=5', 'size'],
    ['Page=2', 'page'],
    ['pageNumber=2', 'page'],
    ['offset=40', 'page: page=3 for items 41 to 60 with size=20'],
    ['startDate=2026-07-01', 'createdAt: createdAt=2026-07-01/..'],
    ['from=2026-07-01', 'createdAt: createdAt=2026-07-01/..'],
    ['createdAt[gte]=2026-07-01', 'createdAt: createdAt=2026-07-01/..'],
    ['created_at[lt]=2026-07-01', 'createdAt: createdAt=../2026-08-01'],
    ['end_date=2026-07-01', 'createdAt: createdAt=../2026-08-01'],
  ])('%s of conversations', async (query, meant) => {
    const [name] = query.split('=');
    const warning = `299 parley "${name}: is unknown; the name here is ${meant}"`;
    expect(await warningOf(`${conversations()}?${query}`)).toBe(warning);
  });

  test.each([
    ['/rest/agents', 'q', 'search'],
    ['/rest/agents', 'name', 'search'],
    ['/rest/memberships', 'email', 'search'],
    ['/rest/copywriting/prompt_1', 'pageSize', 'limit'],
    ['/rest/copywriting/prompt_1', 'page', 'cursor: the cursor of the response before'],
  ])('%s with %s', async (path, name, meant) => {
    expect(await warningOf(`${path}?${name}=x`)).toBe(`299 parley "${name}: is unknown; the name here is ${meant}"`);
  });

  test('and no name is given where nothing here does the same, or half of a name is right by chance', async () => {
    expect(await warningOf(`${conversations()}?name=Ana`)).toBe('299 parley "name: is unknown"');
    expect(await warningOf('/rest/agents?createdAt[gte]=2026-07-01')).toBe('299 parley "createdAt[gte]: is unknown"');
    expect(await warningOf('/rest/agents?sort=name')).toBe('299 parley "sort: is unknown"');
  });

  test('and a caller who asks to be handled strictly is refused with it', async () => {
    const strict = { prefer: 'handling=strict' };
    const { status, body } = await gateway.rest(home.owner, 'GET', '/rest/agents?pageSize=5', undefined, strict);
    expect([status, body.issues]).toEqual([400, [{ message: 'pageSize: is unknown; the name here is size' }]]);
  });

  test('and docs/migrating.md lists every one of them', () => {
    const [, section = ''] = readFileSync('docs/migrating.md', 'utf8').split('### Parameters of other services\n');
    const table = section.split('\n### ')[0] ?? '';
    for (const [name, groups] of Object.entries(synonyms)) {
      for (const other of groups.flatMap(({ names }) => names)) {
        const row = table.split('\n').find((line) => line.includes(`\`${other}\``) && line.includes(`| \`${name}`));
        expect(row, `${other} for ${name}`).toBeDefined();
      }
    }
  });
});

describe('a channel that is made', () => {
  const make = (body: object, headers: object = {}) =>
    gateway.rest(home.owner, 'POST', `/rest/agents/${home.ids.agentId}/channels`, body, headers);

  test('for a widget says that no page may show it yet, and by what one may', async () => {
    const { status, headers, body } = await make({ platform: 'widget' });
    expect([status, body.platform]).toEqual([200, 'widget']);
    expect(headers.get('warning')).toMatch(
      /^299 parley "origins: .* updateChannel .*origins: \[https:\/\/shop\.example\]/,
    );
    const input = { id: body.id, origins: ['https://shop.example'] };
    const update = 'mutation ($input: UpdateChannelInput!) { updateChannel(input: $input) { channel { origins } } }';
    expect((await gateway.data(home.owner, update, { input })).updateChannel.channel).toEqual({
      origins: input.origins,
    });
  });

  test('is made all the same for who asks to be handled strictly, and again with the same key', async () => {
    const headers = { prefer: 'handling=strict', 'idempotency-key': 'one-widget' };
    const [first, second] = [await make({ platform: 'widget' }, headers), await make({ platform: 'widget' }, headers)];
    expect([first.status, second.status, second.body.id]).toEqual([200, 200, first.body.id]);
    expect(second.headers.get('warning')).toBe(first.headers.get('warning'));
    expect(first.headers.get('warning')).toContain('updateChannel');
  });

  test('for another platform has nothing to be told', async () => {
    expect((await make({ platform: 'email' })).headers.get('warning')).toBeNull();
  });
});
