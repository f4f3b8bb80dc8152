import { type GraphQLObjectType, getNamedType, isObjectType, isRequiredArgument, parse, validate } from 'graphql';
import { beforeAll, expect, test } from 'vitest';
import { schema } from '../../schema/index.ts';
import { groupRows } from '../../src/graphql/saved/group-rows.ts';
import { cursorBefore, type GroupRows, rowsBehind } from '../../src/http/pages/panels/boards/group.ts';
import { type Table, tablesOf } from '../../src/http/pages/panels/charts/table.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
let home: TestWorkspace;
const of = (text: string) => groupRows(schema, text);

let agentId: string;
async function lead(input: object): Promise<void> {
  const document = 'mutation ($input: CreateLeadInput!) { createLead(input: $input) { lead { id } } }';
  await gateway.data(home.owner, document, { input: { agentId, ...input } });
}

beforeAll(async () => {
  home = await makeWorkspace(gateway);
  const made = await gateway.data(home.owner, 'mutation { createAgent(input: {name: "One"}) { agent { id } } }');
  agentId = made.createAgent.agent.id;
  await lead({ name: 'Ana', utm: { campaign: 'spring' } });
  await lead({ name: 'Bo', utm: { campaign: 'spring' } });
  await lead({ name: 'Cy', utm: { campaign: 'autumn' } });
  await lead({ name: 'Di' });
});

const text = `query ($last: String!, $key: String = "campaign", $unused: Int) {
  agents(first: $unused) { totalCount }
  found: leads(first: 0, filter: { createdAt: { last: $last } }) {
    groups(first: 2, having: { count: { gte: 1 } }, orderBy: { field: count, direction: desc }) {
      edges { node { by { campaign: utm(key: $key) agent { id name } email: hasEmail } count } }
    }
  }
}`;
const last = { last: '1d' };

/** The rows of each group of a table, as a page finds them by the keys. */
async function rowsOf(table: Table, found: GroupRows[]) {
  const groups = found.find(({ path }) => path === table.path);
  const shown: unknown[] = [];
  for (const row of table.rows.keys()) {
    const ask = (document: string, cursor: object) => gateway.data(home.owner, document, { ...last, ...cursor });
    const groupsAfter = await cursorBefore(groups as GroupRows, { table, row }, ask);
    const { found } = await gateway.data(home.owner, groups?.rows ?? '', { ...last, groupsAfter });
    const [{ by, count, rows }] = found.groups.nodes;
    expect(rows.totalCount).toBe(count);
    const names = rows.nodes.map(({ name }: { name: string }) => name).toSorted();
    shown.push([by.campaign, by.agent?.name ?? null, names]);
  }
  return shown;
}

test('groups whose keys have another name in the result lead nowhere', () => {
  expect(of('{ leads { groups { nodes { by { hasEmail } count } } } }')).toHaveLength(1);
  expect(of('{ leads { groups { nodes { keys: by { hasEmail } count } } } }')).toEqual([]);
});

test('the rows of each group of a result are found by its keys, whatever has changed since', async () => {
  const groups = of(text);
  expect(groups.map(({ path }) => path)).toEqual(['agents.totalCount', 'found.groups']);
  for (const document of [groups[1]?.keys, groups[1]?.rows])
    expect(validate(schema, parse(document ?? ''))).toEqual([]);
  const data = await gateway.data(home.owner, text.replace('first: 2', 'first: 100'), last);
  const [table] = tablesOf(data).filter(({ path }) => path === 'found.groups');
  const before = await rowsOf(table as Table, groups);
  expect(before).toContainEqual(['spring', 'One', ['Ana', 'Bo']]);
  expect(before).toContainEqual(['autumn', 'One', ['Cy']]);
  expect(before).toContainEqual([null, 'One', ['Di']]);
  // Another group is the largest now, and a new one comes first.
  for (const name of ['Ed', 'Flo', 'Gil']) await lead({ name, utm: { campaign: 'autumn' } });
  await lead({ name: 'Hal', utm: { campaign: 'a' } });
  expect(await rowsOf(table as Table, groups)).toEqual(
    before.map((one) => ((one as string[])[0] === 'autumn' ? ['autumn', 'One', ['Cy', 'Ed', 'Flo', 'Gil']] : one)),
  );
  const gone = { ...(table as Table), rows: [['never', 'agt_none', 'One', false, 1]] };
  await expect(rowsOf(gone, groups)).rejects.toThrow('no such group any more');
});

test('groups on later pages are found', async () => {
  const many = Array.from({ length: 120 }, (_, at) => `n${String(at).padStart(3, '0')}`);
  for (const campaign of many) await lead({ name: campaign, utm: { campaign } });
  const groups = of(text);
  const page = (after: string | null) =>
    gateway.data(home.owner, groups.at(-1)?.keys ?? '', { ...last, groupsAfter: after });
  const first = await page(null);
  const second = await page(first.found.groups.edges.at(-1).cursor);
  const [table] = tablesOf(second).filter(({ path }) => path === 'found.groups');
  const shown = await rowsOf(table as Table, groups);
  expect(shown.length).toBeGreaterThan(20);
  expect(shown.at(-2)).toEqual(['spring', 'One', ['Ana', 'Bo']]);
}, 60_000);

test('a key that is null in one row and an object in others is the same key', async () => {
  const operation = '{ found: leads { groups { nodes { by { agent { id name } email: hasEmail } count } } } }';
  await gateway.database.lead.updateMany({ where: { workspaceId: home.id, name: 'Di' }, data: { agentId: null } });
  const [groups] = of(operation);
  const [table] = tablesOf(await gateway.data(home.owner, operation)).filter(({ path }) => path === 'found.groups');
  const counts: number[] = [];
  for (const row of table?.rows.keys() ?? []) {
    const groupsAfter = await cursorBefore(groups as GroupRows, { table: table as Table, row }, (document, cursor) =>
      gateway.data(home.owner, document, cursor),
    );
    const { found } = await gateway.data(home.owner, groups?.rows ?? '', { groupsAfter });
    counts.push(found.groups.nodes[0].rows.totalCount);
  }
  expect(counts.at(-1)).toBe(1);
  expect(counts).toHaveLength(2);
  expect(counts).toEqual(table?.rows.map((row) => row.at(-1)));
});

test('a number of a whole list leads to its rows, one that a filter counts to those', async () => {
  const operation = `query ($last: String!, $mail: LeadFilter, $search: String = "a", $unused: Int) {
    agents(first: $unused) { totalCount pageInfo { hasNextPage } }
    leads(first: 0, filter: { createdAt: { last: $last } }) {
      all: totalCount
      groups(first: 1, having: { count: { gte: 1 } }) {
        totalCount
        nodes { count spring: count(filter: { utm: { key: "campaign", equals: "spring" } }) distinct { agentId } }
      }
    }
    named: leads(search: $search) { totalCount }
    mailed: leads { groups { edges { node { count(filter: $mail) } } } }
  }`;
  const variables = { last: '1d', mail: { hasEmail: false } };
  const data = await gateway.data(home.owner, operation, variables);
  const [numbers, groups] = ['values', 'leads.groups'].map((path) => tablesOf(data).find((one) => one.path === path));
  const shown = Object.fromEntries(
    [numbers, groups, tablesOf(data).find(({ path }) => path === 'mailed.groups')].flatMap((table) =>
      (table as Table).columns.map(({ name }, at) => [
        table === numbers ? name : `${table?.path}.${name}`,
        table?.rows[0]?.[at],
      ]),
    ),
  );
  const found = of(operation);
  expect(found.map(({ path, keys }) => [path, keys])).toEqual(
    [
      'agents.totalCount',
      'leads.all',
      'leads.groups.count',
      'leads.groups.spring',
      'leads.groups.distinct.agentId',
      'named.totalCount',
      'mailed.groups.count',
    ].map((path) => [path, null]),
  );
  for (const { path, rows } of found) {
    expect(validate(schema, parse(rows)), path).toEqual([]);
    const [list] = Object.values(await gateway.data(home.owner, rows, variables)) as [{ totalCount: number }];
    if (!path.endsWith('.distinct.agentId')) expect([path, list.totalCount]).toEqual([path, shown[path]]);
    expect(list).toMatchObject({
      nodes: expect.arrayContaining([expect.objectContaining({ id: expect.any(String) })]),
    });
  }
  const at = (table: Table | undefined, column: string) => rowsBehind(found, table as Table, column)?.path;
  expect([at(numbers, 'named.totalCount'), at(groups, 'spring')]).toEqual(['named.totalCount', 'leads.groups.spring']);
  expect(at(groups, 'totalCount')).toBeUndefined();
});

test('a count with a filter in groups leads to the rows of its group that it counts', async () => {
  const operation = `query ($filter: LeadFilter, $a: LeadFilter, $last: String!) {
    found: leads(filter: $filter, search: "a") {
      groups(first: 100, having: { count: { gte: 2 } }) {
        nodes {
          by { campaign: utm(key: "campaign") week: createdAt(every: week) { from } }
          count
          named: count(filter: { hasEmail: false, name: { equals: "Ana" } })
          ...more
        }
      }
    }
    ranged: leads(filter: { createdAt: { last: $last } }) {
      groups(first: 100) { edges { node { by { day: createdAt(every: day, fill: true) { from } } count count2: count(filter: $a) } } }
    }
  }
  fragment more on LeadGroup { ... { mailed: count(filter: { hasEmail: true }) } }`;
  await lead({ name: 'Ada', email: 'ada@a.example', utm: { campaign: 'spring' } });
  await lead({ name: 'Alma', email: 'alma@a.example', utm: { campaign: 'spring' } });
  const found = of(operation);
  expect(found.map(({ path }) => path)).toEqual([
    'found.groups',
    'found.groups.named',
    'found.groups.mailed',
    'ranged.groups',
    'ranged.groups.count2',
  ]);
  for (const given of [{}, { filter: { hasPhone: false }, a: { hasEmail: true } }]) {
    const variables = { ...last, ...given };
    const tables = tablesOf(await gateway.data(home.owner, operation, variables));
    let [some, checked] = [0, 0];
    for (const path of ['found.groups', 'ranged.groups']) {
      const table = tables.find((one) => one.path === path) as Table;
      for (const [column, { name }] of table.columns.entries()) {
        const rows = rowsBehind(found, table, name);
        if (!rows) continue;
        for (const row of table.rows.keys()) {
          const wanted = table.rows[row]?.[column];
          const cursor = cursorBefore(rows, { table, row }, (document, after) =>
            gateway.data(home.owner, document, { ...variables, ...after }),
          );
          if (wanted === 0 && path === 'found.groups') {
            await expect(cursor).rejects.toThrow('None of the rows of this group are counted here now.');
            continue;
          }
          const shown = await gateway.data(home.owner, rows.rows, { ...variables, groupsAfter: await cursor });
          const [node] = (shown.found ?? shown.ranged).groups.nodes;
          expect([name, node.rows.totalCount]).toEqual([name, wanted]);
          if (wanted !== table.rows[row]?.[table.columns.findIndex(({ name }) => name === 'count')]) some += 1;
          checked += 1;
        }
      }
    }
    expect(checked).toBeGreaterThanOrEqual(4);
    expect(some).toBeGreaterThanOrEqual(2);
  }
});

test('a number of any list of the schema leads to rows, and none to those of another', () => {
  const lists = Object.values(schema.getQueryType()?.getFields() ?? {}).filter(
    ({ type }) =>
      isObjectType(getNamedType(type)) && 'totalCount' in (getNamedType(type) as GraphQLObjectType).getFields(),
  );
  expect(lists.length).toBeGreaterThan(15);
  for (const { name, type, args } of lists) {
    const required = args.filter(isRequiredArgument);
    if (required.length > 0) continue;
    const list = getNamedType(type) as GraphQLObjectType;
    const groups =
      'groups { nodes { count } } keyed: groups { nodes { by { id: __typename } some: count(filter: {}) } }';
    const found = of(`{ ${name} { totalCount ${'groups' in list.getFields() ? groups : ''} } }`);
    for (const { path, keys, rows } of found)
      for (const document of [keys ?? rows, rows])
        expect([path, validate(schema, parse(document))]).toEqual([path, []]);
    expect([name, found.length]).toEqual([name, 'groups' in list.getFields() ? 4 : 1]);
  }
  // What is of another period, or may have keys.
  expect(of('{ leads { groups { nodes { previous { count } } } } }')).toEqual([]);
  expect(of('{ leads { groups { nodes { count ...k } } } } fragment k on LeadGroup { by { capture } }')).toEqual([]);
});

test('groups that are not at the root, or have keys in fragments, have none', () => {
  expect(of('mutation { createAgent(input: {name: "One"}) { agent { id } } }')).toEqual([]);
  expect(of('{ agents { nodes { leads { groups { nodes { by { capture } count } } } } } }')).toEqual([]);
  expect(of('{ leads { groups { nodes { by { ...key } count } } } } fragment key on LeadGroupBy { capture }')).toEqual(
    [],
  );
});
