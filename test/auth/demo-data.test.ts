import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { conversationsOf } from '../../prisma/demo/conversations.ts';
import { dialogues } from '../../prisma/demo/dialogues.ts';
import { seedDemo } from '../../prisma/seed.ts';
import { DEMO_WORKSPACE_ID as workspaceId } from '../../src/auth/demo.ts';
import { issueToken } from '../../src/auth/issue.ts';
import type { Example, ExampleGroup } from '../../src/http/pages/examples/example.ts';
import { readEvents } from '../support/conversations/event-stream.ts';
import { type Gateway, openGateway } from '../support/gateway/app.ts';

let gateway: Gateway;
let owner: string;
beforeAll(async () => {
  gateway = await openGateway({ DEMO: 'true' });
  await seedDemo(gateway.services);
  owner = await issueToken(gateway.services, {});
});
afterAll(() => gateway?.close());

type Cited = { references: { passageId: string; quote: string }[] };
type Unanswered = { message: { content: string; conversation: { id: string } } };

async function ask(query: string, variables?: Record<string, unknown>) {
  const { data, errors } = await gateway.graphql(owner, query, variables);
  expect(errors).toBeUndefined();
  return data;
}

describe('in the demo workspace', () => {
  test('what is cited stands in a passage that is there, word for word', async () => {
    const messages = await gateway.database.message.findMany({
      where: { workspaceId, role: 'assistant', createdBy: null },
    });
    const references = messages.flatMap(({ metadata }) => (metadata as Cited).references);
    const passages = new Map(
      (await gateway.database.passage.findMany({ where: { workspaceId } })).map(({ id, text }) => [id, text]),
    );
    expect(references.length).toBeGreaterThan(200);
    for (const { passageId, quote } of references) expect(passages.get(passageId)).toContain(quote);
    for (const { content, metadata } of messages) {
      expect((content ?? '').includes('[1]')).toBe((metadata as Cited).references.length === 1);
    }
  });

  test('no source has failed, and none waits', async () => {
    const { bases } = await ask('{ bases { nodes { status records sources { nodes { status } } } } }');
    for (const base of bases.nodes) {
      expect(base).toMatchObject({ status: 'succeeded', records: expect.any(Number) });
      expect(base.records).toBeGreaterThan(0);
    }
  });

  test('the usage of each month is that of its replies', async () => {
    const replies = await gateway.database.message.findMany({
      where: { workspaceId, role: 'assistant', createdBy: null },
    });
    const counted = Map.groupBy(replies, ({ createdAt }) => createdAt.toISOString().slice(0, 7));
    const usage = await gateway.database.usage.findMany({ where: { workspaceId } });
    expect(new Map(usage.map(({ month, current }) => [month, current]))).toEqual(
      new Map([...counted].map(([month, rows]) => [month, rows.length])),
    );
    const now = (await ask('{ usage { month current } }')).usage;
    expect(now.current).toBe(counted.get(now.month)?.length ?? 0);
  });

  test('each question without an answer is in a gap, with its conversation', async () => {
    const { gaps } = await ask(
      '{ gaps(first: 50) { nodes { count agent { name } questions(first: 100) { nodes { message { content conversation { id } } } } } } }',
    );
    const unanswered = dialogues.flatMap(({ turns }) =>
      turns.flatMap(([asked, said]) => (typeof said === 'object' && 'gap' in said ? [asked] : [])),
    );
    const listed = gaps.nodes.flatMap((gap: { questions: { nodes: Unanswered[] } }) => gap.questions.nodes);
    expect(new Set(listed.map(({ message }: Unanswered) => message.content))).toEqual(new Set(unanswered));
    for (const { message } of listed) expect(message.conversation.id).toMatch(/^cnv_/);
    // Paraphrases of one question form one gap.
    expect(gaps.nodes.length).toBeLessThan(unanswered.length);
  });

  test('some of them have the answer of a colleague, who is a member', async () => {
    const proposed =
      '{ question proposedAnswer { text creator { ... on User { name } } question { message { content } } } }';
    const { gaps } = await ask(`{ gaps(filter: { proposals: {} }) { nodes ${proposed} } }`);
    expect(gaps.nodes.length).toBeGreaterThanOrEqual(2);
    for (const { proposedAnswer } of gaps.nodes) {
      const dialogue = dialogues.find(({ person }) => person === proposedAnswer.text);
      expect(dialogue?.turns.at(-1)?.[0]).toBe(proposedAnswer.question.message.content);
      expect(proposedAnswer.creator).toEqual({ name: 'Elisa Editor' });
    }
  });

  test('an agent has an evaluation set and two runs, of which the second names what fails newly', async () => {
    const fields = 'status caseCount passedCount newlyFailingCount results { nodes { passed newlyFailing } }';
    const { evaluationCases, evaluationRuns } = await ask(
      `{ evaluationCases { totalCount } evaluationRuns { nodes { ${fields} } } }`,
    );
    const [second, first] = evaluationRuns.nodes;
    expect(evaluationRuns.nodes).toHaveLength(2);
    expect(evaluationCases.totalCount).toBe(second.caseCount);
    expect(first).toMatchObject({ status: 'succeeded', passedCount: first.caseCount, newlyFailingCount: 0 });
    expect(second).toMatchObject({ status: 'succeeded', passedCount: first.caseCount - 1, newlyFailingCount: 1 });
  });

  test('leads have campaigns, channels and emails, replies costs and ratings, for every chart', async () => {
    const { database } = gateway;
    const leads = await database.lead.findMany({ where: { workspaceId }, include: { conversations: true } });
    const campaigns = new Set(leads.map(({ utm }) => (utm as { campaign?: string }).campaign));
    expect(campaigns.size).toBeGreaterThan(3);
    const months = new Set(leads.map(({ createdAt }) => createdAt.toISOString().slice(0, 7)));
    expect(months.size).toBeGreaterThanOrEqual(6);
    const withEmail = leads.filter(({ email, conversations }) => email && conversations.length > 0);
    expect(new Set(withEmail.map(({ conversations }) => conversations[0]?.platform)).size).toBeGreaterThan(2);
    const traces = await database.messageTrace.findMany({ where: { workspaceId } });
    expect(new Set(traces.map(({ data }) => (data as { model: string }).model)).size).toBe(2);
    for (const { data } of traces)
      expect(data).toMatchObject({ cost: expect.any(Number), totalMs: expect.any(Number) });
    const refunds = { workspaceId, messages: { some: { content: { contains: 'reembolso' } } } };
    expect(await database.conversation.count({ where: refunds })).toBeGreaterThan(5);
    const rated = await database.message.findMany({
      where: { workspaceId, role: 'assistant' },
      select: { feedback: true },
    });
    expect(new Set(rated.map(({ feedback }) => (feedback as { rating: string } | null)?.rating))).toEqual(
      new Set(['like', 'dislike', undefined]),
    );
    expect(leads.every(({ createdAt }) => createdAt < gateway.services.now())).toBe(true);
  });

  test('is the same on the same day, but for ids', () => {
    const agent = { id: 'agt_1', channels: [{ id: 'chn_1', platform: 'widget' as const }] };
    const cast = { guide: agent, support: agent, trips: agent, handbook: agent };
    const at = (now: string) =>
      conversationsOf({
        workspaceId,
        cast,
        now: new Date(now),
        colleagueId: 'usr_1',
        cite: (_, quote) => ({ quote }) as never,
      });
    const told = ({ messages, usage }: ReturnType<typeof at>) => ({
      usage,
      messages: messages.map(({ id: _, conversationId: __, ...message }) => message),
    });
    expect(told(at('2026-07-31T23:30:00Z'))).toEqual(told(at('2026-07-31T23:59:00Z')));
    const [first, later] = [at('2026-07-01T23:30:00Z'), at('2026-07-31T23:30:00Z')];
    expect(later.messages.map(({ content }) => content)).not.toEqual([]);
    expect(first.conversations.length).toBe(later.conversations.length);
  });
});

const answerable = dialogues.flatMap(({ agent, turns, waits }) => {
  const [asked, said] = turns[0] ?? ['', ''];
  return waits || typeof said === 'string' ? [] : [{ agent, asked, isGap: 'gap' in said }];
});

describe('an agent of the demo', () => {
  const names = { guide: 'Gear guide', support: 'Support desk', trips: 'Trip planner', handbook: 'Handbook' };
  const send = `mutation ($input: SendMessageInput!) { sendMessage(input: $input) { messages { content references { quote } } } }`;

  test.each(answerable)('$agent is asked what its history was asked: $asked', async ({ agent, asked, isGap }) => {
    const { agents } = await ask('query ($name: String) { agents(search: $name) { nodes { id } } }', {
      name: names[agent],
    });
    const input = { agentId: agents.nodes[0].id, message: { content: asked } };
    const { messages } = (await ask(send, { input })).sendMessage;
    const references = messages.at(-1).references;
    if (isGap) expect(references, messages.at(-1).content).toEqual([]);
    else expect(references.length, messages.at(-1).content).toBeGreaterThan(0);
  });
});

test('the example that asks an agent has the id of one of the demo, and is answered', async () => {
  const page = await (await gateway.app.request('/graphql', { headers: { accept: 'text/html' } })).text();
  const [, json = ''] = /id="options">(.*?)<\/script>/.exec(page) ?? [];
  const examples: Example[] = JSON.parse(json).examples.flatMap((group: ExampleGroup) => group.examples);
  const { query, variables } = examples.find(({ title }) => title === 'Ask') ?? {};
  const streamed = await gateway.app.request('/graphql', {
    method: 'POST',
    headers: { authorization: `Bearer ${owner}`, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query, variables }),
  });
  const [last] = (await readEvents(streamed).rest()).flatMap(({ data }) => data?.data?.streamMessage.turn ?? []);
  const { conversation, messages } = last;
  expect(conversation.title).toBe('How long may I return boots?');
  expect(messages.at(-1).content).toContain('45 days');
});
