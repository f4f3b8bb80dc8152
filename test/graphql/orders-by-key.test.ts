import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import { maxRowsSortedByKey } from '../../src/lists/key-order.ts';
import { BothWays } from '../support/compiled/both-ways.ts';
import { seedConversation } from '../support/conversations/seeded-conversation.ts';
import { expectFailure } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';

const { gateway, home, other } = useWorkspaces();
let bothWays: BothWays;
let agentId: string;
type Lead = { id: string; utm: Record<string, unknown> };
let leads: Lead[];

/** Several values of each type, including duplicates and values without an order. */
const values = ['b', 'a', 'b', '', 'zz', 10, 9, 9.5, -1, 10, true, false, true, null, [1], { a: 1 }, undefined];

beforeAll(async () => {
  bothWays = new BothWays(gateway);
  agentId = (await makeAgent(gateway, home.editor)).id;
  leads = [...values, ...values].map((value, index) => ({
    id: newId('lead'),
    utm: value === undefined ? {} : { "it's": value, n: index },
  }));
  const data = leads.map((lead) => ({ ...lead, workspaceId: home.id, agentId, custom: lead.utm }));
  await gateway.database.lead.createMany({ data: data as never });
  await gateway.database.lead.create({ data: { workspaceId: other.id, id: newId('lead'), utm: { "it's": 'a' } } });
});

const kinds = ['string', 'number', 'boolean'];
const compare = <Value extends string | number>(a: Value, b: Value) => (a < b ? -1 : a > b ? 1 : 0);

/** The ids of all leads in order, sorted in JavaScript. */
function sorted(direction: 'asc' | 'desc', all = leads): string[] {
  const sign = direction === 'asc' ? 1 : -1;
  const kindOf = ({ utm }: Lead) => kinds.indexOf(typeof utm["it's"]);
  const valueOf = ({ utm }: Lead) => (typeof utm["it's"] === 'boolean' ? Number(utm["it's"]) : utm["it's"]) as number;
  const inOrder = all.toSorted((a, b) => {
    const [first, second] = [kindOf(a), kindOf(b)];
    if (first < 0 !== second < 0) return first < 0 ? 1 : -1;
    const byValue = first < 0 ? 0 : compare(first, second) || compare(valueOf(a), valueOf(b));
    return sign * (byValue || compare(a.id, b.id));
  });
  return inOrder.map(({ id }) => id);
}

/** The answer, after checking that compiled queries and resolvers agree. */
async function ask(query: string, variables?: object, workspace: TestWorkspace = home) {
  const { compiled, resolvers } = await bothWays.ask(workspace.viewer, { query, ...(variables && { variables }) });
  expect(compiled.body).toBe(resolvers.body);
  return JSON.parse(resolvers.body);
}

const page = `edges { cursor node { id } } pageInfo { startCursor endCursor hasNextPage hasPreviousPage }`;
const rootPages = `query ($first: Int, $after: String, $last: Int, $before: String, $order: LeadOrder) {
  list: leads(first: $first, after: $after, last: $last, before: $before, orderBy: $order) { ${page} } }`;
const nestedPages = () => `query ($first: Int, $after: String, $last: Int, $before: String, $order: LeadOrder) {
  of: agent(id: "${agentId}") { list: leads(first: $first, after: $after, last: $last, before: $before, orderBy: $order) { ${page} } } }`;

describe('leads by a key', () => {
  describe.each(['asc', 'desc'] as const)('%s', (direction) => {
    const order = { field: direction === 'asc' ? 'utm' : 'custom', direction, key: "it's" };

    test('are each on one page, forward and backward, texts before numbers before booleans, the rest last', async () => {
      for (const query of [rootPages, nestedPages()]) {
        const read = async (given: object) => {
          const { data } = await ask(query, { ...given, order });
          return (data.of ?? data).list;
        };
        const forward: string[] = [];
        for (let after: string | null = null; ; ) {
          const { edges, pageInfo } = await read({ first: 7, after });
          expect(pageInfo.hasPreviousPage).toBe(after !== null);
          forward.push(...edges.map(({ node }: any) => node.id));
          after = pageInfo.endCursor;
          if (!pageInfo.hasNextPage) break;
        }
        expect(forward).toEqual(sorted(direction));
        const backward: string[] = [];
        for (let before: string | null = null; ; ) {
          const { edges, pageInfo } = await read({ last: 7, before });
          backward.unshift(...edges.map(({ node }: any) => node.id));
          before = pageInfo.startCursor;
          if (!pageInfo.hasPreviousPage) break;
        }
        expect(backward).toEqual(sorted(direction));
      }
    });

    test('are skipped by an offset, and filtered', async () => {
      const query = `query ($order: LeadOrder) {
        skipped: leads(first: 5, offset: 11, orderBy: $order) { nodes { id } }
        narrow: leads(first: 50, orderBy: $order, filter: {utm: [{key: "n", exists: true}]}) { totalCount nodes { id } } }`;
      const { data } = await ask(query, { order });
      const idsOf = ({ nodes }: { nodes: { id: string }[] }) => nodes.map(({ id }) => id);
      expect(idsOf(data.skipped)).toEqual(sorted(direction).slice(11, 16));
      const keyed = sorted(
        direction,
        leads.filter(({ utm }) => 'n' in utm),
      );
      expect([data.narrow.totalCount, idsOf(data.narrow)]).toEqual([keyed.length, keyed]);
    });
  });
});

test('the rows of a group are sorted by a key', async () => {
  const { data } = await ask(
    `query ($order: LeadOrder) { leads { groups { nodes { count rows(first: 50, orderBy: $order) { nodes { id } edges { cursor } } } } } }`,
    { order: { field: 'utm', direction: 'asc', key: "it's" } },
  );
  const [{ rows }] = data.leads.groups.nodes;
  expect(rows.nodes.map(({ id }: Lead) => id)).toEqual(sorted('asc'));
});

test('what is searched, messages and sources are sorted by a key', async () => {
  const { conversationId, ids } = await seedConversation(gateway, home, [
    'reembolso um',
    'reembolso dois',
    'reembolso três',
  ]);
  const { database } = gateway;
  for (const [index, id] of ids.entries()) {
    await database.message.updateMany({ where: { id }, data: { metadata: index === 0 ? {} : { mood: 3 - index } } });
  }
  await database.conversation.updateMany({ where: { id: conversationId }, data: { context: { plan: 'pro' } } });
  const order = 'orderBy: {field: metadata, direction: asc, key: "mood"}';
  const { data } = await ask(`{
    messages(search: "reembolso", ${order}) { nodes { id } edges { cursor match { messageId } } }
    conversation(id: "${conversationId}") { messages(${order}) { nodes { id } } }
    conversations(orderBy: {field: context, direction: desc, key: "plan"}) { nodes { id } }
    sources(orderBy: {field: tags, direction: asc, key: "city"}) { nodes { id } }
  }`);
  const inOrder = [ids[2], ids[1], ids[0]].map((id) => ({ id }));
  expect(data.messages.nodes).toEqual(inOrder);
  expect(data.messages.edges.map(({ match }: any) => match.messageId)).toEqual([ids[2], ids[1], ids[0]]);
  expect(data.conversation.messages.nodes).toEqual(inOrder);
  expect(data.conversations.nodes).toEqual([{ id: conversationId }]);
  expect(data.sources.nodes).toEqual([]);
});

describe('an order by a key', () => {
  test.each([
    ['{field: utm, direction: asc}', /^orderBy\.key: name the key of utm/],
    ['{field: createdAt, direction: asc, key: "plan"}', /^orderBy\.key: cannot be given with the field createdAt/],
    ['{field: utm, direction: asc, key: ""}', /^orderBy\.key: must have 1 to 200 characters/],
    [`{field: utm, direction: asc, key: "${'x'.repeat(201)}"}`, /^orderBy\.key: must have 1 to 200 characters/],
    ['{field: custom, direction: asc, key: "\\u0000"}', /^orderBy\.key: contains a NUL character/],
  ])('%s is refused', async (order, message) => {
    expectFailure(await ask(`{ leads(orderBy: ${order}) { nodes { id } } }`), 'invalid_request', message);
  });

  test('takes its own cursors alone, and no forged ones', async () => {
    const read = (key: string, after = '') =>
      ask(`{ leads(first: 1, after: "${after}", orderBy: {field: utm, direction: asc, key: "${key}"}) { ${page} } }`);
    const { endCursor } = (await read("it's")).data.leads.pageInfo;
    expectFailure(await read('n', endCursor), 'invalid_request', /another list, order/);
    const [seal, , id] = JSON.parse(Buffer.from(endCursor, 'base64url').toString());
    for (const value of [5, '{}', 'x', '"\\u0000"', '"\\ud800"', '1e999', '[]', 'null']) {
      const forged = Buffer.from(JSON.stringify([seal, value, id])).toString('base64url');
      expectFailure(await read("it's", forged), 'invalid_request', /^after: is not a valid cursor/);
    }
  });

  test('takes a bearer', async () => {
    const query = '{ leads(orderBy: {field: utm, direction: asc, key: "n"}) { nodes { id } } }';
    expectFailure(await gateway.graphql(null, query), 'unauthorized');
  });

  test('is refused where the list has more rows than can be sorted, with what to narrow', async () => {
    const many = await makeWorkspace(gateway);
    const agent = (await makeAgent(gateway, many.editor)).id;
    await gateway.handle.pool.query(
      `INSERT INTO "Lead" (id, "workspaceId", "agentId", utm, "createdAt", "updatedAt")
       SELECT 'lead_' || lpad(n::text, 26, '0'), $1, $2, jsonb_build_object('n', n), '2026-01-01Z'::timestamptz + n * interval '1 minute', now()
       FROM generate_series(0, ${maxRowsSortedByKey}) AS n`,
      [many.id, agent],
    );
    const by = 'orderBy: {field: utm, direction: desc, key: "n"}';
    const message =
      /^orderBy\.key: a list of more than 10,000 rows cannot be sorted by a key\. Narrow filter\.createdAt/;
    const [root, nested, rows] = [
      `{ leads(first: 1, ${by}) { totalCount nodes { utm } } }`,
      `{ agent(id: "${agent}") { id leads(first: 1, ${by}) { nodes { utm } } } }`,
      `{ leads { groups { nodes { count rows(first: 1, ${by}) { nodes { utm } } } } } }`,
    ];
    for (const query of [root, nested, rows]) expectFailure(await ask(query, {}, many), 'invalid_request', message);
    const filter = 'filter: {createdAt: {from: "2026-01-01T00:01:00Z"}}';
    const { data } = await ask(`{ leads(first: 1, ${by}, ${filter}) { totalCount nodes { utm } } }`, {}, many);
    expect(data.leads).toEqual({ totalCount: maxRowsSortedByKey, nodes: [{ utm: { n: maxRowsSortedByKey } }] });
  });
});
