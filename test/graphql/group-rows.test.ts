import { getOperationAST, parse, validate } from 'graphql';
import { beforeAll, expect, test } from 'vitest';
import { schema } from '../../schema/index.ts';
import { groupRows } from '../../src/graphql/saved/group-rows.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
let home: TestWorkspace;
const of = (text: string) => {
  const operation = getOperationAST(parse(text));
  return operation ? groupRows(schema, operation) : [];
};

beforeAll(async () => {
  home = await makeWorkspace(gateway);
  const { createAgent } = await gateway.data(
    home.owner,
    'mutation { createAgent(input: {name: "One"}) { agent { id } } }',
  );
  const lead = 'mutation ($input: CreateLeadInput!) { createLead(input: $input) { lead { id } } }';
  for (const [name, campaign] of [
    ['Ana', 'spring'],
    ['Bo', 'spring'],
    ['Cy', 'autumn'],
    ['Di', null],
  ])
    await gateway.data(home.owner, lead, {
      input: { agentId: createAgent.agent.id, name, ...(campaign && { utm: { campaign } }) },
    });
});

test('the rows of each group of a result are found, in its order and with its filter', async () => {
  const text = `query ($last: String!, $key: String = "campaign", $unused: Int) {
    agents(first: $unused) { totalCount }
    found: leads(first: 0, filter: { createdAt: { last: $last } }) {
      groups(first: 100, having: { count: { gte: 1 } }, orderBy: { field: count, direction: asc }) {
        edges { node { by { campaign: utm(key: $key) } count } }
      }
    }
  }`;
  const [groups, ...others] = of(text);
  expect([groups?.path, others]).toEqual(['found.groups', []]);
  for (const document of [groups?.before, groups?.rows]) expect(validate(schema, parse(document ?? ''))).toEqual([]);
  const last = { last: '1d' };
  const { found } = await gateway.data(home.owner, text, last);
  const names: string[][] = [];
  for (const [place, { node }] of found.groups.edges.entries()) {
    const cursor =
      place > 0 && (await gateway.data(home.owner, groups?.before ?? '', { ...last, groupsBefore: place }));
    const groupsAfter = cursor ? cursor.found.groups.pageInfo.endCursor : null;
    const { found: one } = await gateway.data(home.owner, groups?.rows ?? '', { ...last, groupsAfter });
    const [group] = one.groups.nodes;
    expect([group.by, group.count, group.rows.totalCount]).toEqual([node.by, node.count, node.count]);
    names.push(group.rows.nodes.map(({ name }: { name: string }) => name).toSorted());
  }
  expect(names.toSorted((a, b) => (a[0] ?? '').localeCompare(b[0] ?? ''))).toEqual([['Ana', 'Bo'], ['Cy'], ['Di']]);
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
