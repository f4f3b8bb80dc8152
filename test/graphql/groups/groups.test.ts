import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../src/database/ids.ts';
import { expectFailure } from '../../support/gateway/app.ts';
import { makeAgent } from '../../support/gateway/factories.ts';
import { useWorkspaces } from '../../support/gateway/workspaces.ts';

const { gateway, home, other } = useWorkspaces();
let agents: string[];

type Given = { at: string; campaign?: string; agent?: number; email?: string; custom?: object };
async function addLeads(all: Given[], workspaceId = home.id) {
  await gateway.database.lead.createMany({
    data: all.map(({ at, campaign, agent, email, custom = {} }) => ({
      id: newId('lead'),
      workspaceId,
      name: `Lead ${at}`,
      searchText: `lead ${at}`,
      email: email ?? null,
      agentId: agent === undefined ? null : (agents[agent] as string),
      utm: campaign === undefined ? {} : { campaign },
      custom,
      createdAt: new Date(at),
    })),
  });
}

beforeAll(async () => {
  agents = [];
  for (const name of ['Ana', 'Bia']) agents.push((await makeAgent(gateway, home.editor, { name })).id);
  await addLeads([
    { at: '2026-09-01T10:00:00Z', campaign: 'spring', agent: 0, email: 'a@x.co' },
    { at: '2026-09-02T02:00:00Z', campaign: 'spring', agent: 0 },
    { at: '2026-09-10T12:00:00Z', campaign: 'summer', agent: 1, email: 'b@x.co' },
    { at: '2026-09-29T12:00:00Z', campaign: 'spring' },
    { at: '2026-08-20T12:00:00Z', campaign: 'spring', agent: 1 },
    { at: '2026-08-03T12:00:00Z', agent: 1 },
  ]);
  await addLeads([{ at: '2026-09-02T02:00:00Z', campaign: 'theirs' }], other.id);
});

const september = 'filter: {createdAt: {from: "2026-09-01T00:00:00Z", to: "2026-10-01T00:00:00Z"}}';
const ask = async (list: string) => (await gateway.data(home.viewer, `{ list: ${list} }`)).list;
const fail = async (list: string) => gateway.graphql(home.viewer, `{ list: ${list} }`);

describe('rows are grouped', () => {
  test('by what is selected, most rows first', async () => {
    const { groups } = await ask(
      'leads { groups { totalCount nodes { by { campaign: utm(key: "campaign") agent { id name } capture } count } } }',
    );
    const by = (campaign: string | null, agent: number | null) => ({
      campaign,
      capture: 'partial',
      agent: agent === null ? null : { id: agents[agent], name: ['Ana', 'Bia'][agent] },
    });
    expect(groups).toEqual({
      totalCount: 5,
      nodes: [
        { by: by('spring', 0), count: 2 },
        { by: by('spring', 1), count: 1 },
        { by: by('spring', null), count: 1 },
        { by: by('summer', 1), count: 1 },
        { by: by(null, 1), count: 1 },
      ].sort((a, b) => b.count - a.count),
    });
  });

  test('by weeks of a zone, filled, beside the span before, with the rows and the rest', async () => {
    const { totalCount, groups } = await ask(`leads(${september}) {
      totalCount groups(first: 3, orderBy: {field: by, direction: asc}) {
        totalCount pageInfo { hasNextPage hasPreviousPage }
        nodes {
          by { week: createdAt(every: week, timeZone: "America/Sao_Paulo", fill: true) { from to } }
          count withEmail: count(filter: {hasEmail: true}) distinct { email } max { createdAt }
          previous { count } rows(first: 1) { totalCount pageInfo { hasNextPage } nodes { name } } }
        other { count distinct { email } } } }`);
    const week = (from: string, to: string) => ({ week: { from: `${from}T03:00:00.000Z`, to: `${to}T03:00:00.000Z` } });
    const rows = (count: number, name?: string) => ({
      totalCount: count,
      pageInfo: { hasNextPage: count > 1 },
      nodes: name ? [{ name }] : [],
    });
    expect({ totalCount, groups }).toEqual({
      totalCount: 4,
      groups: {
        totalCount: 5,
        pageInfo: { hasNextPage: true, hasPreviousPage: false },
        nodes: [
          {
            by: week('2026-08-31', '2026-09-07'),
            count: 2,
            withEmail: 1,
            distinct: { email: 1 },
            max: { createdAt: '2026-09-02T02:00:00.000Z' },
            previous: { count: 0 },
            rows: rows(2, 'Lead 2026-09-02T02:00:00Z'),
          },
          {
            by: week('2026-09-07', '2026-09-14'),
            count: 1,
            withEmail: 1,
            distinct: { email: 1 },
            max: { createdAt: '2026-09-10T12:00:00.000Z' },
            previous: { count: 1 },
            rows: rows(1, 'Lead 2026-09-10T12:00:00Z'),
          },
          {
            by: week('2026-09-14', '2026-09-21'),
            count: 0,
            withEmail: 0,
            distinct: { email: 0 },
            max: { createdAt: null },
            previous: { count: 0 },
            rows: rows(0),
          },
        ],
        other: { count: 1, distinct: { email: 0 } },
      },
    });
  });

  test('by months, whose time before is the month before', async () => {
    const { groups } = await ask(`leads(${september}) { groups {
      nodes { by { month: createdAt(every: month) { from } } count previous { count min { createdAt } } } } }`);
    expect(groups.nodes).toEqual([
      {
        by: { month: { from: '2026-09-01T00:00:00.000Z' } },
        count: 4,
        previous: { count: 2, min: { createdAt: '2026-08-03T12:00:00.000Z' } },
      },
    ]);
  });

  test('not at all, as one group, whatever there is', async () => {
    const grouped = (search: string) => ask(`leads(search: "${search}") { groups { totalCount nodes { count } } }`);
    expect(await grouped('lead')).toEqual({ groups: { totalCount: 1, nodes: [{ count: 6 }] } });
    expect(await grouped('nobody')).toEqual({ groups: { totalCount: 1, nodes: [{ count: 0 }] } });
  });

  test('by the hour and the day of the week that clocks show', async () => {
    const { groups } = await ask(`leads(${september}) { groups(orderBy: {field: by, direction: asc}) { nodes {
      by { dayOfWeek(timeZone: "America/Sao_Paulo") hourOfDay(timeZone: "America/Sao_Paulo") } count } } }`);
    expect(groups.nodes).toEqual([
      { by: { dayOfWeek: 'tuesday', hourOfDay: 7 }, count: 1 },
      { by: { dayOfWeek: 'tuesday', hourOfDay: 9 }, count: 1 },
      { by: { dayOfWeek: 'tuesday', hourOfDay: 23 }, count: 1 },
      { by: { dayOfWeek: 'thursday', hourOfDay: 9 }, count: 1 },
    ]);
  });

  test('of the row that they belong to, all parents in one statement', async () => {
    const { nodes } = await ask(
      'agents(orderBy: {field: name, direction: asc}) { nodes { name leads(first: 0) { groups { nodes { by { campaign: utm(key: "campaign") } count rows { totalCount nodes { agent { name } } } } } } } }',
    );
    const of = (campaign: string | null, name: string, count: number) => ({
      by: { campaign },
      count,
      rows: { totalCount: count, nodes: Array.from({ length: count }, () => ({ agent: { name } })) },
    });
    expect(nodes).toEqual([
      { name: 'Ana', leads: { groups: { nodes: [of('spring', 'Ana', 2)] } } },
      {
        name: 'Bia',
        leads: { groups: { nodes: [of('spring', 'Bia', 1), of('summer', 'Bia', 1), of(null, 'Bia', 1)] } },
      },
    ]);
  });

  test('again within a group', async () => {
    const { groups } = await ask(`leads { groups(first: 1) { nodes { by { utm(key: "campaign") } count
      rows(first: 0) { totalCount groups { totalCount nodes { by { agent { name } } count rows { totalCount } } } } } } }`);
    const [{ count, rows }] = groups.nodes;
    expect([count, rows.totalCount, rows.groups.totalCount]).toEqual([4, 4, 3]);
    for (const inner of rows.groups.nodes) expect(inner.rows.totalCount).toBe(inner.count);
    expect(rows.groups.nodes.map((inner: { count: number }) => inner.count)).toEqual([2, 1, 1]);
  });
});

describe('pages of groups', () => {
  const orders = [
    '{field: by, direction: asc}',
    '{field: by, direction: desc}',
    '{field: count, direction: asc}',
    '{field: maxCreatedAt, direction: desc}',
    '{field: distinctEmail, direction: desc}',
  ];
  test.each(orders)('follow each other without a gap, by %s', async (orderBy) => {
    const by = 'by { utm(key: "campaign") agent { name } }';
    const whole = await ask(`leads { groups(orderBy: ${orderBy}) { nodes { ${by} count } } }`);
    const pages: unknown[] = [];
    let after = '';
    for (let page = 0; page < 10; page += 1) {
      const { groups } = await ask(
        `leads { groups(first: 2, after: "${after}", orderBy: ${orderBy}) { nodes { ${by} count } pageInfo { hasNextPage endCursor } other { count } } }`,
      );
      pages.push(...groups.nodes);
      const seen = (pages as { count: number }[]).reduce((sum, { count }) => sum + count, 0);
      expect(seen + groups.other.count).toBe(6);
      if (!groups.pageInfo.hasNextPage) break;
      after = groups.pageInfo.endCursor;
    }
    expect(pages).toEqual(whole.groups.nodes);
    expect(pages).toHaveLength(5);
  });

  test('and those of the rows of a group, which no other group takes', async () => {
    const rows = (after: string) =>
      `leads { groups(first: 2) { nodes { by { utm(key: "campaign") } rows(first: 3, after: "${after}") { nodes { name } pageInfo { endCursor } } } } }`;
    const [spring] = (await ask(rows(''))).groups.nodes;
    const next = await fail(rows(spring.rows.pageInfo.endCursor));
    expect(next.data.list.groups.nodes[0].rows.nodes).toEqual([{ name: 'Lead 2026-08-20T12:00:00Z' }]);
    expect(next.data.list.groups.nodes[1].rows).toBeNull();
    expectFailure(next, 'invalid_request', /after/);
  });
});

describe('what is no grouping is refused, and says why:', () => {
  const groups = (selection: string, args = '') => `leads { groups${args} { ${selection} } }`;
  test.each([
    [groups('nodes { a: by { capture } b: by { hasEmail } count }'), /^by: can be selected once per group/],
    [groups('nodes { by { capture } } edges { node { by { hasEmail } } }'), /^by: nodes and edges/],
    [
      groups('nodes { by { createdAt(every: day, fill: true) { from } } }'),
      /^fill: needs both ends of filter.createdAt/,
    ],
    [
      groups('nodes { by { updatedAt(every: day, fill: true) { from } } }'),
      /^fill: needs both ends of filter.updatedAt/,
    ],
    [groups('nodes { previous { count } }'), /^previous: needs both ends of filter.createdAt/],
    [groups('nodes { by { createdAt(every: day, timeZone: "Mars/Base") { from } } }'), /^timeZone: .*got Mars\/Base/],
    [groups('nodes { by { createdAt(every: day, timeZone: "+03:00") { from } } }'), /^timeZone: /],
    [groups('nodes { count }', '(first: 101)'), /^first: must be between 0 and 100/],
    [groups('nodes { count }', '(first: -1)'), /^first: /],
    [groups('nodes { count }', '(after: "W10")'), /^after: is not a valid cursor/],
    [
      'leads(filter: {createdAt: {from: "2020-01-01T00:00:00Z", to: "2026-01-01T00:00:00Z"}}) { groups { nodes { by { createdAt(every: hour, fill: true) { from } } } } }',
      /^fill: filter.createdAt has about 52,608 spans, but at most 10,000 are/,
    ],
  ])('%s', async (list, message) => {
    const answer = await fail(list);
    expectFailure(answer, 'invalid_request', message);
    expect(answer.data.list.groups).toBeNull();
  });

  test('a cursor of another order', async () => {
    const first = await ask(groups('pageInfo { endCursor }', '(first: 1)'));
    const given = `(after: "${first.groups.pageInfo.endCursor}", orderBy: {field: by, direction: asc})`;
    expectFailure(await fail(groups('nodes { count }', given)), 'invalid_request', /is from other groups/);
  });

  test('more of them in one operation than are answered', async () => {
    const many = Array.from(
      { length: 101 },
      (_, at) => `l${at}: leads(first: 0) { groups(first: 1) { nodes { by { custom(key: "k${at}") } } } }`,
    );
    expectFailure(
      await gateway.graphql(home.viewer, `{ ${many.join(' ')} }`),
      'invalid_request',
      /^groups: an operation may ask for 100 /,
    );
  });
});

describe('groups are', () => {
  test('for those who may read the list, and of their workspace', async () => {
    const query = '{ list: leads { groups { nodes { by { utm(key: "campaign") } count } } } }';
    expect((await gateway.graphql(null, query)).errors?.[0]?.extensions.code).toBe('unauthorized');
    const theirs = await gateway.data(other.viewer, query);
    expect(theirs.list.groups.nodes).toEqual([{ by: { utm: 'theirs' }, count: 1 }]);
    expectFailure(
      await gateway.graphql(home.viewer, '{ webhookDeliveries { groups { nodes { count } } } }'),
      'forbidden',
    );
  });

  test('asked for with fragments and directives', async () => {
    const query = `query ($yes: Boolean!, $no: Boolean!) { leads { groups { ...Groups } } }
      fragment Groups on LeadGroupConnection { nodes { by { ...By hasEmail @include(if: $no) } ... on LeadGroup { count } } }
      fragment By on LeadGroupBy { hasPhone @skip(if: $no) capture @include(if: $yes) }`;
    const { leads } = await gateway.data(home.viewer, query, { yes: true, no: false });
    expect(leads.groups.nodes).toEqual([{ by: { hasPhone: false, capture: 'partial' }, count: 6 }]);
  });
});

test('the example of the documentation works', async () => {
  const [, example = ''] = /## Groups[^]*?```graphql\n([^`]*)```/.exec(readFileSync('docs/graphql.md', 'utf8')) ?? [];
  const { leads } = await gateway.data(home.viewer, example);
  expect(leads.totalCount).toBe(4);
  expect(leads.groups.nodes.filter(({ count }: { count: number }) => count > 0)).toHaveLength(3);
  // Nine weeks for each of three combinations.
  expect(leads.groups.totalCount).toBe(27);
  for (const { count, rows } of leads.groups.nodes) expect(rows.totalCount).toBe(count);
});
