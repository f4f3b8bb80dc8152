import { expect, test } from 'vitest';
import { newId } from '../../../src/database/ids.ts';
import { expectFailure } from '../../support/gateway/app.ts';
import { useWorkspaces } from '../../support/gateway/workspaces.ts';

const { gateway, other } = useWorkspaces();

test('groups of spans without rows are no more than a page of them is worth', async () => {
  const many = Array.from({ length: 60 }, (_, at) => ({
    id: newId('lead'),
    workspaceId: other.id,
    utm: { term: `t${at}` },
    createdAt: new Date('2026-09-02T02:00:00Z'),
  }));
  await gateway.database.lead.createMany({ data: many });
  const query = (every: string) =>
    `{ leads(filter: {createdAt: {from: "2026-08-01T00:00:00Z", to: "2026-10-01T00:00:00Z"}}) {
      groups { totalCount nodes { by { createdAt(every: ${every}, fill: true) { from } utm(key: "term") } count } } } }`;
  const answer = await gateway.graphql(other.viewer, query('hour'));
  expectFailure(answer, 'invalid_request', /^fill: .* more than 50,000 groups: .* narrow filter.createdAt/);
  const { leads } = await gateway.data(other.viewer, query('day'));
  expect(leads.groups.totalCount).toBe(60 * 61);
});

test('an operation sees in groups what it has written before', async () => {
  const counted = 'lead { workspace { leads(first: 0) { groups { nodes { count } } } } }';
  const query = `mutation { a: createLead(input: {name: "A"}) { ${counted} } b: createLead(input: {name: "B"}) { ${counted} } }`;
  const { a, b } = await gateway.data(other.editor, query);
  const [first, second] = [a, b].map(({ lead }) => lead.workspace.leads.groups.nodes[0].count);
  expect(second).toBe(first + 1);
});

test('the sums of the groups and of the rest add up to the whole, and to nothing where nothing is left', async () => {
  const documents = [1.5, 2, 4, 8].map((words, day) => ({
    id: newId('document'),
    workspaceId: other.id,
    words,
    createdAt: new Date(`2026-09-0${day + 1}T12:00:00Z`),
  }));
  await gateway.database.document.createMany({ data: documents });
  const page = async (first: number, more = '') => {
    const query = `{ documents(first: 0) { groups(first: ${first}, orderBy: {field: sumWords, direction: desc}) {
      nodes { by { createdAt(every: day) { from } } sum { words } } other { count sum { words } ${more} } } } }`;
    return (await gateway.data(other.viewer, query)).documents.groups;
  };
  expect((await page(1)).nodes[0].sum.words).toBe(8);
  expect((await page(1)).other).toEqual({ count: 3, sum: { words: 7.5 } });
  expect((await page(1, 'max { words }')).other).toEqual({ count: 3, sum: { words: 7.5 }, max: { words: 4 } });
  expect((await page(4)).other).toEqual({ count: 0, sum: { words: null } });
});

test('groups of which nothing is told are as many', async () => {
  const between = 'filter: {createdAt: {from: "2026-08-01T00:00:00Z", to: "2026-10-01T00:00:00Z"}}';
  const query = `{ leads(${between}) { few: groups(first: 0) { other { __typename } } groups { nodes { previous { __typename } } } } }`;
  const { leads } = await gateway.data(other.viewer, query);
  expect(leads).toEqual({
    few: { other: { __typename: 'LeadGroupMeasures' } },
    groups: { nodes: [{ previous: { __typename: 'LeadGroupMeasures' } }] },
  });
});

test('spans at the ends of what four digits of a year tell have their bounds', async () => {
  const between = 'filter: {createdAt: {from: "9990-01-01T00:00:00Z"}}';
  const moments = ['9997-12-31T23:00:00Z', '9998-01-01T00:00:00Z', '9999-08-01T00:00:00Z'];
  const data = moments.map((at) => ({ id: newId('lead'), workspaceId: other.id, createdAt: new Date(at) }));
  await gateway.database.lead.createMany({ data });
  for (const zone of ['UTC', 'America/Sao_Paulo']) {
    const by = `by { createdAt(every: quarter, timeZone: "${zone}") { from to } }`;
    const { leads } = await gateway.data(
      other.viewer,
      `{ leads(first: 0, ${between}) { groups(orderBy: {field: by, direction: asc}) { nodes { ${by} count } } } }`,
    );
    const bounds = leads.groups.nodes.map(
      ({ by: { createdAt } }: { by: { createdAt: { from: string; to: string } } }) => [createdAt.from, createdAt.to],
    );
    const hour = zone === 'UTC' ? '00' : '03';
    const quarter = (from: string, to: string) => [from, to].map((day) => `${day}T${hour}:00:00.000Z`);
    expect(bounds).toEqual([
      quarter('9997-10-01', '9998-01-01'),
      ...(zone === 'UTC' ? [quarter('9998-01-01', '9998-04-01')] : []),
      quarter('9999-07-01', '9999-10-01'),
    ]);
  }
});

test('a cursor whose time no calendar has is refused', async () => {
  const by = 'by { createdAt(every: hour) { from } }';
  const page = (after: string) =>
    gateway.graphql(
      other.viewer,
      `{ leads(first: 0) { groups(first: 1, after: "${after}") { nodes { ${by} } pageInfo { endCursor } } } }`,
    );
  const { endCursor } = (await page('')).data.leads.groups.pageInfo;
  const [seal, value] = JSON.parse(Buffer.from(endCursor, 'base64url').toString());
  const cursorAt = (time: string) => Buffer.from(JSON.stringify([seal, value, [time]])).toString('base64url');
  expect((await page(cursorAt('2028-02-29T23:00:00'))).errors).toBeUndefined();
  for (const time of ['2026-02-29T23:00:00', '2026-04-31T00:00:00', '2026-01-01T24:00:00', '0000-01-01T00:00:00', '']) {
    expectFailure(await page(cursorAt(time)), 'invalid_request', /^after: is not a valid cursor/);
  }
});

test.each([
  [
    '(filter: {or: [{createdAt: {last: "1w"}}]}) { groups { nodes { by { createdAt(every: day, fill: true) { from } } } } }',
    /^fill: needs both ends of filter.createdAt, from and to, or last; in `and` too, but not in `or` or `not`/,
  ],
  [
    '(filter: {and: [{createdAt: {from: "2026-01-01"}}], not: {createdAt: {to: "2026-02-01"}}}) { groups { nodes { previous { count } } } }',
    /^previous: needs both ends of filter.createdAt/,
  ],
  [
    '(filter: {createdAt: {last: "1w"}, and: [{updatedAt: {last: "1w"}}]}) { groups { nodes { previous { count } } } }',
    /^previous: the filter has several time spans, createdAt and updatedAt: leave one/,
  ],
])('a span that does not limit all rows, or is one of several, is none: %s', async (list, message) => {
  expectFailure(await gateway.graphql(other.viewer, `{ leads${list} }`), 'invalid_request', message);
});

test.each([
  [
    '{ leads { groups { by { capture } } } }',
    'Its fields are distribution, edges, nodes, other, pageInfo, totalCount.',
  ],
  ['{ leads { groups { nodes { by { campaign } } } } }', /Its fields are agent, capture, .*, utm\.$/],
  ['{ documents { groups { nodes { max { title } } } } }', /Its fields are characters, createdAt, /],
  ['{ leads { groupz { totalCount } } }', 'Did you mean "groups"?'],
])('%s is told what there is', async (query, hint) => {
  const { message } = expectFailure(await gateway.graphql(other.viewer, query), 'invalid_request') ?? {};
  expect(message).toMatch(hint);
});

test('more groups than fit a page are paged', async () => {
  const answer = await gateway.graphql(other.viewer, '{ leads { groups(first: 500) { totalCount } } }');
  expectFailure(answer, 'invalid_request', /^first: must be between 0 and 100, got 500: `after` pages the rest\.$/);
});
