import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { issueToken } from '../../src/auth/issue.ts';
import { dashboardOperations } from '../../src/http/pages/examples/dashboard-operations.ts';
import type { Gateway } from '../support/gateway/app.ts';
import { openDemo } from '../support/gateway/demo.ts';

let gateway: Gateway;
let owner: string;
let key: string;
beforeAll(async () => {
  gateway = await openDemo();
  owner = await issueToken(gateway.services, { userId: 'owner@demo.example' });
  const made = await gateway.graphql(
    owner,
    'mutation { createKey(input: {name: "Dashboard", scopes: ["analytics.read"]}) { secret } }',
  );
  key = made.data.createKey.secret;
});
afterAll(() => gateway?.close());

const operations = Object.fromEntries(dashboardOperations(new Date()).map((tab) => [tab.title, tab]));
async function ask(bearer: string, title: string) {
  const { query = '', variables } = operations[title] ?? {};
  return gateway.graphql(bearer, query, variables);
}
type Group = { count: number; by: Record<string, unknown> };
const totalOf = (groups: { nodes: Group[] }) => groups.nodes.reduce((sum, { count }) => sum + count, 0);

describe('on the demo workspace, in one operation each', () => {
  test.each(['LeadsPerWeek', 'ConversationsPerDay', 'CostAndReplyTime', 'EmailsByChannel'])(
    '%s has all groups on its page, and says so to the chart',
    async (title) => {
      const { data } = await ask(owner, title);
      for (const { groups } of Object.values<{ groups: { totalCount: number; nodes: Group[] } }>(data)) {
        expect(groups.totalCount).toBe(groups.nodes.length);
      }
    },
  );

  test('leads per week by campaign, with weeks that have none', async () => {
    const { data, errors } = await ask(owner, 'LeadsPerWeek');
    expect(errors).toBeUndefined();
    const { totalCount, groups } = data.leads;
    expect([totalOf(groups), groups.nodes.length]).toEqual([totalCount, groups.totalCount]);
    expect(new Set(groups.nodes.map(({ by }: Group) => by.campaign)).size).toBeGreaterThan(3);
    expect(groups.nodes.some(({ count }: Group) => count === 0)).toBe(true);
  });

  test('conversations per agent and day, in New York and in São Paulo', async () => {
    const { data, errors } = await ask(owner, 'ConversationsPerDay');
    expect(errors).toBeUndefined();
    for (const [city, offset] of [
      ['newYork', /T0[45]:00:00/],
      ['saoPaulo', /T03:00:00/],
    ] as const) {
      expect(totalOf(data[city].groups)).toBeGreaterThan(0);
      for (const { by } of data[city].groups.nodes) expect(by.day.from).toMatch(offset);
    }
  });

  test('conversations per day are those of two weeks in which clocks change, if that is not long ago', () => {
    const weeks = (day: string) =>
      dashboardOperations(new Date(`${day}T12:00:00Z`)).find(({ title }) => title === 'ConversationsPerDay')?.variables;
    expect(weeks('2026-11-24')).toEqual({ from: '2026-10-26', to: '2026-11-09' });
    expect(weeks('2026-11-03')).toEqual({ from: '2026-10-21', to: '2026-11-04' });
    expect(weeks('2026-08-01')).toEqual({ from: '2026-07-19', to: '2026-08-02' });
  });

  test('the questions that were not answered, with their conversations', async () => {
    const { data, errors } = await ask(owner, 'UnansweredQuestions');
    expect(errors).toBeUndefined();
    expect(data.gaps.nodes.length).toBeGreaterThan(2);
    for (const { questions } of data.gaps.nodes) expect(questions.nodes[0].message.conversation.id).toMatch(/^cnv_/);
  });

  test('cost and reply time by agent and model, this month and the one before', async () => {
    const { data, errors } = await ask(owner, 'CostAndReplyTime');
    expect(errors).toBeUndefined();
    const { nodes } = data.messages.groups;
    for (const group of nodes) expect(group).toMatchObject({ by: { agent: { name: expect.any(String) } } });
    const priced = nodes.filter(({ sum }: { sum: { cost: number | null } }) => sum.cost !== null);
    for (const { sum, p95 } of priced) expect([sum.cost > 0, p95.replyTime > 0]).toEqual([true, true]);
  });

  test('of the leads of each channel, how many left an email', async () => {
    const { data, errors } = await ask(owner, 'EmailsByChannel');
    expect(errors).toBeUndefined();
    const { nodes } = data.conversations.groups;
    expect(new Set(nodes.map(({ by }: Group) => (by.channel as { platform: string }).platform)).size).toBeGreaterThan(
      2,
    );
    for (const { count, withEmail } of nodes) expect(withEmail).toBeLessThanOrEqual(count);
    expect(nodes.some(({ withEmail }: { withEmail: number }) => withEmail > 0)).toBe(true);
  });

  test('conversations that mention a word, with its place in its sentence', async () => {
    const { data, errors } = await ask(owner, 'Mentions');
    expect(errors).toBeUndefined();
    expect(data.conversations.edges.length).toBeGreaterThan(2);
    for (const { match } of data.conversations.edges) {
      const [{ start, end }] = match.excerpt.highlights;
      expect(match.excerpt.text.slice(start, end)).toMatch(/reembols/i);
    }
  });
});

describe('a key with the scope analytics.read alone', () => {
  test.each(['LeadsPerWeek', 'ConversationsPerDay', 'CostAndReplyTime', 'EmailsByChannel'])(
    'opens the numbers of %s as its owner has them',
    async (title) => expect(await ask(key, title)).toEqual(await ask(owner, title)),
  );

  test.each(['UnansweredQuestions', 'Mentions'])('is refused the texts of %s, by the permission', async (title) => {
    const { data, errors } = await ask(key, title);
    expect(Object.values(data)).toEqual([null]);
    expect(errors).toMatchObject([{ extensions: { code: 'forbidden' }, message: expect.stringMatching(/\w+\.read/) }]);
  });
});
