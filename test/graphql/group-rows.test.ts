import { parse, validate } from 'graphql';
import { beforeAll, expect, test } from 'vitest';
import { schema } from '../../schema/index.ts';
import { groupRows } from '../../src/graphql/saved/group-rows.ts';
import { cursorBefore, type GroupRows } from '../../src/http/pages/panels/boards/group.ts';
import { type Table, tablesOf } from '../../src/http/pages/panels/table.ts';
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
async function rowsOf(table: Table, [groups]: GroupRows[]) {
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
  expect(groups.map(({ path }) => path)).toEqual(['found.groups']);
  for (const document of [groups[0]?.keys, groups[0]?.rows])
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
    gateway.data(home.owner, groups[0]?.keys ?? '', { ...last, groupsAfter: after });
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

test('what has no groups, none at the root, or keys in fragments has none', () => {
  expect(of('{ leads { totalCount } }')).toEqual([]);
  expect(of('mutation { createAgent(input: {name: "One"}) { agent { id } } }')).toEqual([]);
  expect(of('{ agents { nodes { leads { groups { nodes { by { capture } count } } } } } }')).toEqual([]);
  expect(of('{ leads { groups { nodes { count } } } }')).toEqual([]);
  expect(of('{ leads { groups { nodes { by { ...key } count } } } } fragment key on LeadGroupBy { capture }')).toEqual(
    [],
  );
});
