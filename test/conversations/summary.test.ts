import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { extractSummary } from '../../src/model/prompt/extract-summary.ts';
import { estimateTokens } from '../../src/model/reply/text.ts';
import { createModelService, type HistoryMessage } from '../../src/model/service.ts';
import { olderPart } from '../../src/model/tasks/summarize.ts';
import { type Gateway, openGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { startOpenAiServer } from '../support/model/openai-server.ts';

const key = 'sk-summary';
let server: Awaited<ReturnType<typeof startOpenAiServer>>;
let gateway: Gateway;
let home: TestWorkspace;
let agent: { id: string };
beforeAll(async () => {
  server = await startOpenAiServer(key);
  const env = { MODEL_BASE_URL: server.baseUrl, MODEL_NAME: 'm', MODEL_API_KEY: key, MODEL_HISTORY_TOKENS: '200' };
  gateway = await openGateway(env);
  home = await makeWorkspace(gateway);
  agent = await makeAgent(gateway, home.editor);
  await gateway.work();
});
afterAll(async () => {
  await gateway.close();
  await server.close();
});

const long = (what: string, times = 20) => `${what} ${'and so on '.repeat(times)}`;
const summaryOf = async (id: string) =>
  (await gateway.data(home.viewer, 'query ($id: ID!) { conversation(id: $id) { summary } }', { id })).conversation
    .summary;

/** The turn ends before its summary is requested. */
const summarized = (id: string, summary: string) =>
  vi.waitFor(async () => expect(await summaryOf(id)).toBe(summary), { interval: 20, timeout: 60_000 });

/** Sends a message; returns the conversation and the request to the model. */
async function say(
  content: string,
  id?: string,
): Promise<{ id: string; replyId: string; sent: string; roles: string[] }> {
  server.requests.length = 0;
  const { status, body } = await gateway.rest(home.app, 'POST', `/api/${agent.id}`, { id, message: { content } });
  expect(status).toBe(200);
  const { messages } = server.requests[0] ?? { messages: [] };
  return {
    id: body.id,
    replyId: body.messages[0].id,
    sent: JSON.stringify(messages),
    roles: messages.map(({ role }) => role),
  };
}

test('what a model is not sent any more stands in the conversation’s summary, which the model itself writes', async () => {
  server.next({ content: 'Hello Ana.' }, { content: 'Blue it is.' });
  const { id } = await say(long('I am Ana and want a tent'));
  await say(long('A blue one'), id);
  await gateway.services.queue.idle();
  expect(await summaryOf(id)).toBeNull();

  server.next({ content: 'For two.' }, { content: 'Ana wants a blue tent.' });
  // Longer than the history limit: only this message stays, whether its reply is stored yet or not.
  await say(long('For two', 30), id);
  await summarized(id, 'Ana wants a blue tent.');
  const asked = JSON.stringify(server.requests.at(-1)?.messages);
  expect(asked).toContain('I am Ana');
  expect(asked).not.toContain('For two and so on');

  server.next({ content: 'It costs 90.' });
  const { sent, roles, replyId } = await say('How much?', id);
  expect(sent).toContain('<summary>\\nAna wants a blue tent.');
  expect(sent).not.toContain('I am Ana');
  expect(sent).toContain('For two and so on');
  expect(roles).toEqual(['system', 'user', 'assistant', 'user']);
  const trace = 'query ($id: ID!) { message(id: $id) { trace { prompt { summary omitted } } } }';
  expect((await gateway.data(home.editor, trace, { id: replyId })).message.trace.prompt).toEqual({
    summary: true,
    omitted: 0,
  });

  // The next summary builds on the previous one and the messages since.
  server.next({ content: 'Fine.' }, { content: 'Ana wants a blue tent for two.' });
  await say(long('I take it'), id);
  await summarized(id, 'Ana wants a blue tent for two.');
  expect(JSON.stringify(server.requests.at(-1)?.messages)).toContain('<notes>\\nAna wants a blue tent.');
});

test('a summary that a person writes meanwhile stays', async () => {
  const { id } = await say(long('One'));
  await say(long('Two'), id);
  const summarize = vi.spyOn(gateway.services.model, 'summarize').mockImplementationOnce(async () => {
    const change =
      'mutation ($input: UpdateConversationInput!) { updateConversation(input: $input) { conversation { id } } }';
    await gateway.data(home.editor, change, { input: { id, summary: 'Written by Bia.' } });
    return { summary: 'Written by the model.', covered: 2 };
  });
  await say(long('Three'), id);
  await vi.waitFor(() => expect(summarize).toHaveBeenCalled(), { interval: 20, timeout: 60_000 });
  await gateway.services.queue.idle();
  summarize.mockRestore();
  expect(await summaryOf(id)).toBe('Written by Bia.');
});

test('a reply does not fail because its conversation cannot be given to be summarised', async () => {
  const { id } = await say(long('One'));
  await say(long('Two'), id);
  const transact = vi.spyOn(gateway.services.queue, 'transact').mockRejectedValueOnce(new Error('no queue'));
  await say(long('Three'), id);
  await vi.waitFor(() => expect(transact).toHaveBeenCalled(), { interval: 20, timeout: 60_000 });
  transact.mockRestore();
});

const call = { id: 'c1', name: 'find', arguments: {} };
const said = (role: HistoryMessage['role'], content: string | null = long('x')): HistoryMessage => ({ role, content });

test('what is summarised ends before something that a person said, and never holds the last of it', () => {
  const tools: HistoryMessage[] = [
    { role: 'assistant', content: null, toolCalls: [call] },
    { role: 'tool', toolCallId: 'c1', content: long('found') },
  ];
  const messages = [said('user'), said('assistant'), said('user'), ...tools, said('assistant'), said('user')];
  expect(olderPart(messages, 10, 6_000)).toHaveLength(6);
  expect(olderPart(messages, 250, 6_000)).toHaveLength(2);
  expect(olderPart(messages, 10_000, 6_000)).toHaveLength(0);
  expect(olderPart([said('user'), ...tools], 1, 6_000)).toHaveLength(0);
  const many = Array.from({ length: 300 }, (_, index) => said(index % 2 ? 'assistant' : 'user'));
  const part = olderPart(many, 10, 6_000);
  expect(part.length % 2).toBe(0);
  expect(part.length).toBeLessThan(200);
});

test('what is summarised fits what its model can read, also where a person said nothing for long', () => {
  const dialogue = Array.from({ length: 100 }, (_, index) => said(index % 2 ? 'assistant' : 'user'));
  const monologue = [said('user'), ...Array.from({ length: 98 }, () => said('assistant')), said('user')];
  for (const messages of [dialogue, monologue]) {
    const small = olderPart(messages, 10, 300);
    expect(small.length).toBeGreaterThan(0);
    expect(small.length).toBeLessThan(olderPart(messages, 10, 6_000).length);
    expect(small.reduce((sum, { content }) => sum + estimateTokens(content ?? ''), 0)).toBeLessThanOrEqual(300);
  }
});

test('every message is sent or stands in the summary, however short they are and however many', async () => {
  const env = { MODEL_BASE_URL: server.baseUrl, MODEL_NAME: 'm', MODEL_API_KEY: key };
  const wide = await openGateway(env);
  try {
    const owner = await makeWorkspace(wide);
    const { id: agentId } = await makeAgent(wide, owner.editor);
    await wide.work();
    const send = async (id: string | undefined, from: number, count: number) => {
      const messages = Array.from({ length: count }, (_, index) => ({ content: `thing${from + index}.` }));
      server.requests.length = 0;
      const { body } = await wide.rest(owner.app, 'POST', `/api/${agentId}`, { id, messages });
      const sent = server.requests[0]?.messages ?? [];
      return { id: body.id as string, count: sent.length, text: JSON.stringify(sent) };
    };
    const summarizedBehind = (id: string, place: number) =>
      vi.waitFor(
        async () => {
          const row = await wide.database.conversation.findFirstOrThrow({ where: { id } });
          expect(row.summarizedTo).toBeGreaterThan(place);
          return row.summarizedTo;
        },
        { interval: 20, timeout: 60_000 },
      );
    const { id } = await send(undefined, 0, 70);
    const summarizedTo = await summarizedBehind(id, 0);
    expect(JSON.stringify(server.requests.at(-1)?.messages)).toContain('thing0.');

    // The job that would summarise these messages is late.
    const transact = vi.spyOn(wide.services.queue, 'transact').mockRejectedValueOnce(new Error('no queue'));
    await send(id, 70, 100);
    await vi.waitFor(() => expect(transact).toHaveBeenCalled(), { interval: 20, timeout: 60_000 });
    transact.mockRestore();
    const late = await send(id, 170, 1);
    expect(late.count).toBeLessThanOrEqual(101);
    const where = { conversationId: id, role: 'user' as const, position: { gte: summarizedTo } };
    const behind = await wide.database.message.findMany({ where, select: { content: true } });
    expect(behind.filter(({ content }) => !late.text.includes(content ?? ''))).toEqual([]);

    await summarizedBehind(id, summarizedTo);
    expect((await send(id, 171, 1)).count).toBeLessThan(60);
  } finally {
    await wide.close();
  }
});

test('the embedded model takes out what the visitor said of most weight, and how they are reached', async () => {
  const messages = [
    said('user', 'Hi! My name is Ana Souza, my email is ana@example.com.'),
    said('assistant', 'Hello Ana, what can I do?'),
    said('user', 'Well. The tent that I bought in March leaks at the left seam. Hm.'),
    said('assistant', 'I see.'),
  ];
  const summary = extractSummary('- They come from Porto.', messages);
  expect(summary.split('\n')).toEqual([
    '- They come from Porto.',
    expect.stringContaining('Ana Souza'),
    '- name: Ana Souza',
    '- email: ana@example.com',
    '- The tent that I bought in March leaks at the left seam.',
  ]);
  expect(extractSummary('- old line\n'.repeat(400), messages).length).toBeLessThanOrEqual(2_000);
  const model = createModelService({ models: { list: [], default: 'embedded' }, timeoutMs: 1_000, historyTokens: 20 });
  const request = { agent: { ...botOf('Bia') }, previous: null, messages: [...messages, said('user', 'Well?')] };
  expect(await model.summarize(request)).toMatchObject({ summary: expect.stringContaining('left seam'), covered: 4 });
});

const botOf = (name: string) => ({
  name,
  instructions: null,
  welcome: null,
  freedom: 'free' as const,
  purpose: 'general' as const,
  references: false,
});
