import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import { BothWays } from '../support/compiled/both-ways.ts';
import { type Gateway, openGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

/** A request sees this time; a compiled operation sees another one on its next run. */
let now = new Date('2026-11-20T12:00:00Z');
let gateway: Gateway;
const spaces: TestWorkspace[] = [];
let bothWays: BothWays;

beforeAll(async () => {
  gateway = await openGateway({}, { now: () => now });
  bothWays = new BothWays(gateway);
  for (const [count, hours] of [
    [10, 23],
    [14, 17],
  ] as const) {
    const space = await makeWorkspace(gateway);
    const places = [await makePlace(space), await makePlace(space)];
    const rows = Array.from({ length: count * 6 }, (_, at) => ({
      id: newId('conversation'),
      workspaceId: space.id,
      ...(places[at % 2] as Place),
      title: `${at % count}`,
      createdAt: new Date(Date.parse('2026-09-25T03:00:00Z') + at * hours * 3_600_000),
    }));
    await gateway.database.conversation.createMany({ data: rows });
    spaces.push(space);
  }
});
afterAll(() => gateway.close());

type Place = Awaited<ReturnType<typeof makePlace>>;

async function makePlace({ owner }: TestWorkspace) {
  const { id } = await makeAgent(gateway, owner);
  const query = 'mutation ($id: ID!) { createChannel(input: {agentId: $id, platform: telegram}) { channel { id } } }';
  const { channel } = (await gateway.data(owner, query, { id })).createChannel;
  return { agentId: id, channelId: channel.id as string };
}

const autumn = [
  { from: '2026-09-20T00:00:00Z', to: '2026-10-20T00:00:00Z' },
  { from: '2026-10-20T00:00:00Z', to: '2026-11-19T00:00:00Z' },
];
const moments = [new Date('2026-11-20T12:00:00Z'), new Date('2026-10-15T12:00:00Z')];
const inFilter = 'query ($from: DateTime, $to: DateTime)';
const between = 'filter: {createdAt: {from: $from, to: $to}}';
const newYork = 'timeZone: "America/New_York"';

/**
 * Operations whose grouping is in the document, while what is grouped depends on variables, the time and the viewer.
 */
const operations: Record<string, string> = {
  spans: `${inFilter} { conversations(${between}) { totalCount groups(first: 50, orderBy: {field: by, direction: asc}) {
    totalCount pageInfo { endCursor hasNextPage } edges { cursor node { by { day: createdAt(every: day, ${newYork}) { from to } } count } } } } }`,
  'filled, with the span before': `${inFilter} { conversations(${between}) { groups(first: 20, orderBy: {field: by, direction: asc}) {
    nodes { by { week: createdAt(every: week, ${newYork}, fill: true) { from to } agent { id name } } count previous { count } }
    other { count } } } }`,
  'until now': `{ conversations(filter: {createdAt: {last: "3w", ${newYork}}}) { groups(first: 9, orderBy: {field: count, direction: asc}) {
    nodes { by { createdAt(every: day) { from } } count recent: count(filter: {createdAt: {last: "1w"}}) previous { count } } other { count } } } }`,
  'with their rows': `${inFilter} { conversations(${between}) { groups(first: 3) { nodes { by { agent { id name } } count
    rows(first: 2) { totalCount pageInfo { endCursor } nodes { id title } groups(first: 3) { totalCount edges { cursor } nodes { by { createdAt(every: month, ${newYork}) { from } } count } } } } } } }`,
  'of each agent': `${inFilter} { agents { nodes { id conversations(${between}) { groups(first: 4) {
    pageInfo { startCursor endCursor } nodes { by { dayOfWeek(${newYork}) } count min { createdAt } } } } } } }`,
  'by variables': `query ($from: DateTime, $to: DateTime, $zone: String! = "Asia/Tokyo") { conversations(${between}) {
    groups(first: 9) { nodes { by { createdAt(every: day, timeZone: $zone) { from } } count } } } }`,
};

describe('a grouping that is compiled once answers like the resolvers', () => {
  test.each(Object.entries(operations))('%s', async (_, query) => {
    const seen = new Set<string>();
    // The order of the runs: each differs from the one before in one respect.
    for (const moment of moments) {
      now = moment;
      for (const variables of [...autumn, autumn[0]]) {
        for (const { owner } of [...spaces, ...spaces]) {
          const { compiled, resolvers } = await bothWays.ask(owner, { query, variables });
          expect(compiled.body).toBe(resolvers.body);
          expect([compiled.body.includes('"errors"'), compiled.served, bothWays.said]).toEqual([false, true, '']);
          seen.add(compiled.body);
        }
      }
    }
    expect(seen.size).toBe(4);
  });

  test('page by page, where the document holds the cursor', async () => {
    const page = (after: string) =>
      `{ conversations { groups(first: 2${after}, orderBy: {field: by, direction: asc}) {
        pageInfo { endCursor hasPreviousPage } nodes { by { createdAt(every: month) { from } } count } other { count } } } }`;
    for (const { owner } of spaces) {
      const first = await bothWays.ask(owner, { query: page('') });
      expect(first.compiled.body).toBe(first.resolvers.body);
      const { endCursor } = JSON.parse(first.compiled.body).data.conversations.groups.pageInfo;
      const second = await bothWays.ask(owner, { query: page(`, after: "${endCursor}"`) });
      expect(second.compiled.body).toBe(second.resolvers.body);
      expect(JSON.parse(second.compiled.body).data.conversations.groups.pageInfo.hasPreviousPage).toBe(true);
    }
  });
});
