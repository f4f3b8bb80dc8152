import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readUpgrades } from '../../src/database/migrations.ts';
import { expectFailure, type Gateway, openGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { anthropicProtocol } from '../support/model/anthropic.ts';
import { startModelServer } from '../support/model/model-server.ts';

let server: Awaited<ReturnType<typeof startModelServer>>;
let gateway: Gateway;
let home: TestWorkspace;
let agent: { id: string };
beforeAll(async () => {
  server = await startModelServer(anthropicProtocol('k1'));
  const MODELS = `priced=anthropic:claude-haiku-4-5?url=${server.address}/v1&key=K1&input=3&output=15&cached=0.3`;
  gateway = await openGateway({ MODELS, K1: 'k1' });
  home = await makeWorkspace(gateway);
  agent = await makeAgent(gateway, home.editor);
});
afterAll(async () => {
  await gateway.close();
  await server.close();
});

/** Sends a message; returns the ids of the conversation and the reply. */
async function say(content: string, id?: string): Promise<{ id: string; replyId: string }> {
  server.next({ say: ['At nine', ', every day.'] });
  const { status, body } = await gateway.rest(home.app, 'POST', `/api/${agent.id}`, { id, message: { content } });
  expect(status).toBe(200);
  return { id: body.id, replyId: body.messages.at(-1).id };
}

/** What the upgrade of a database does to the rows in it. */
const upgrade =
  readUpgrades()
    .find(({ name }) => name.endsWith('_numbers_of_older_rows'))
    ?.script.split('DROP')[0] ?? '';
const fillInNumbers = () => gateway.handle.pool.query(upgrade);

const numbers = 'model cost replyTime timeToFirstToken rating updatedAt';
const messagesOf = async (id: string, fields = numbers) => {
  const document = `query ($id: ID!) { messages(filter: {conversationId: $id}) { nodes { role ${fields} } } }`;
  return (await gateway.data(home.editor, document, { id })).messages.nodes;
};
const grouped = (by: string, measures: string) =>
  `{ messages(filter: {role: [assistant]}) { groups { nodes { by { ${by} } count ${measures} } } } }`;

test('a reply has what its trace tells of it as numbers, and what the caller said has none', async () => {
  const { id } = await say('When do you open?');
  const [said, reply] = await messagesOf(id, `${numbers} trace { model cost totalMs firstTokenMs retrievalMs }`);
  expect(said).toMatchObject({ role: 'user', model: null, cost: null, replyTime: null, timeToFirstToken: null });
  const { model, cost, totalMs, firstTokenMs, retrievalMs } = reply.trace;
  expect(cost).toBeGreaterThan(0);
  expect(reply).toMatchObject({ model, cost, replyTime: totalMs, timeToFirstToken: firstTokenMs + retrievalMs });
});

test('cost and times are for whoever has analytics.read: not for an app, by no way', async () => {
  const { replyId } = await say('Once more?');
  const document = (fields: string) => `{ message(id: "${replyId}") { id ${fields} } }`;
  expect((await gateway.data(home.viewer, document('cost replyTime'))).message.cost).toBeGreaterThan(0);
  for (const field of ['cost', 'replyTime', 'timeToFirstToken']) {
    const answer = await gateway.graphql(home.app, document(field));
    expect(expectFailure(answer, 'forbidden')?.path).toEqual(['message', field]);
    expect(answer.data).toEqual({ message: { id: replyId, [field]: null } });
    expectFailure(await gateway.graphql(home.app, grouped('role', `p95 { ${field} }`)), 'forbidden', `p95.${field}`);
  }
  const { messages } = await gateway.data(home.app, grouped('model', 'sum { promptTokens }'));
  expect(messages.groups.nodes[0].by).toEqual({ model: 'priced' });
});

test('replies are measured by model, agent and channel, to the last digit in any order', async () => {
  const { id } = await say('A third time?');
  await say('And a fourth?', id);
  const document = grouped(
    'model agent { id name } channel { id platform }',
    'sum { cost } avg { cost replyTime } p95 { replyTime timeToFirstToken } max { cost } distinct { model agentId }',
  );
  const { messages } = await gateway.data(home.viewer, document);
  const [group, ...others] = messages.groups.nodes;
  expect(others).toEqual([]);
  const replies = (
    await gateway.data(home.editor, '{ messages(filter: {role: [assistant]}) { nodes { cost replyTime } } }')
  ).messages.nodes as { cost: number; replyTime: number }[];
  const whole = replies.reduce((sum, { cost }) => sum + Math.round(cost * 1e9), 0) / 1e9;
  expect(group).toMatchObject({
    by: { model: 'priced', agent: { id: agent.id }, channel: { platform: 'api' } },
    count: replies.length,
    sum: { cost: whole },
    max: { cost: Math.max(...replies.map(({ cost }) => cost)) },
    distinct: { model: 1, agentId: 1 },
  });
  expect(group.avg.cost).toBeCloseTo(whole / replies.length, 12);
  expect(group.p95.replyTime).toBe(
    replies
      .map((reply) => reply.replyTime)
      .toSorted((a, b) => a - b)
      .at(-1),
  );
});

describe('tokens', () => {
  const usage = 'id usage { promptTokens completionTokens cachedTokens }';
  const none = { promptTokens: null, completionTokens: null, cachedTokens: null };
  const average =
    '{ messages { groups { nodes { count avg { promptTokens completionTokens } min { promptTokens } } } } }';

  test('are null for a message that no model wrote, so that an average over all roles is that of the replies', async () => {
    const { id, replyId } = await say('How many tokens?');
    const [said, reply] = await messagesOf(id, usage);
    expect([said.usage, reply.id]).toEqual([none, replyId]);
    expect(reply.usage.promptTokens).toBeGreaterThan(0);
    const filter = (of: string) => `{ messages(filter: {conversationId: "${id}", ${of}}) { nodes { id } } }`;
    const { messages: unknown } = await gateway.data(home.viewer, filter('promptTokens: {isNull: true}'));
    const { messages: few } = await gateway.data(home.viewer, filter('promptTokens: {lt: 100000}'));
    expect([unknown.nodes, few.nodes]).toEqual([[{ id: said.id }], [{ id: replyId }]]);
    const replies = (
      await gateway.data(home.viewer, `{ messages(filter: {role: [assistant]}) { nodes { ${usage} } } }`)
    ).messages.nodes as { usage: { promptTokens: number } }[];
    const { messages } = await gateway.data(home.viewer, average);
    const sum = replies.reduce((total, each) => total + each.usage.promptTokens, 0);
    expect(messages.groups.nodes[0].avg.promptTokens).toBeCloseTo(sum / replies.length, 9);
    expect(messages.groups.nodes[0].min.promptTokens).toBeGreaterThan(0);
  });

  test('of older messages that were 0 become null once, without another time of update', async () => {
    const { id } = await say('And before?');
    const before = await messagesOf(id, `${usage} updatedAt`);
    const { messages: expected } = await gateway.data(home.viewer, average);
    await gateway.database.$executeRawUnsafe(`
      UPDATE "Message" SET "promptTokens" = 0, "completionTokens" = 0, "cachedTokens" = 0 WHERE "model" IS NULL`);
    const { messages: diluted } = await gateway.data(home.viewer, average);
    expect(diluted.groups.nodes[0].avg.promptTokens).toBeLessThan(expected.groups.nodes[0].avg.promptTokens);
    await fillInNumbers();
    expect(await messagesOf(id, `${usage} updatedAt`)).toEqual(before);
    expect((await gateway.data(home.viewer, average)).messages).toEqual(expected);
  });
});

test('a turn that fails leaves no numbers', async () => {
  server.next({ status: 400 });
  const { status } = await gateway.rest(home.app, 'POST', `/api/${agent.id}`, { message: { content: 'Fails.' } });
  expect(status).toBe(502);
  const { messages } = await gateway.data(
    home.viewer,
    '{ messages(filter: {role: [user]}) { groups { nodes { by { model agent { id } } sum { cost } max { replyTime } } } } }',
  );
  expect(messages.groups.nodes).toEqual([
    { by: { model: null, agent: { id: agent.id } }, sum: { cost: null }, max: { replyTime: null } },
  ]);
});

describe('the rating of a message', () => {
  const rate = 'mutation ($input: SetFeedbackInput!) { setFeedback(input: $input) { message { rating feedback } } }';

  test('is that of its feedback, and is grouped by', async () => {
    const { replyId: id } = await say('Is it good?');
    const feedback = { rating: 'like', comment: 'Yes' };
    const { setFeedback } = await gateway.data(home.editor, rate, { input: { id, feedback } });
    expect(setFeedback.message).toEqual({ rating: 'like', feedback });
    const liked = '{ messages(filter: {rating: [like]}) { nodes { id } } }';
    expect((await gateway.data(home.viewer, liked)).messages.nodes).toEqual([{ id }]);
    const { messages } = await gateway.data(home.viewer, grouped('rating', ''));
    expect(messages.groups.nodes).toContainEqual({ by: { rating: 'like' }, count: 1 });
    const taken = await gateway.data(home.editor, rate, { input: { id, feedback: null } });
    expect(taken.setFeedback.message).toEqual({ rating: null, feedback: null });
  });
});

describe('a conversation', () => {
  const document = 'query ($id: ID!) { conversation(id: $id) { duration handedOver createdAt } }';
  const take =
    'mutation ($input: TakeOverConversationInput!) { takeOverConversation(input: $input) { clientMutationId } }';
  const back =
    'mutation ($input: HandBackConversationInput!) { handBackConversation(input: $input) { clientMutationId } }';

  test('tells how long it went on', async () => {
    const { id } = await say('Hello');
    const createdAt = new Date(Date.now() - 90_000);
    await gateway.database.conversation.updateMany({ where: { id }, data: { createdAt } });
    await say('Still there?', id);
    const { conversation } = await gateway.data(home.viewer, document, { id });
    expect(conversation.duration).toBeGreaterThanOrEqual(90);
    expect(conversation.duration).toBeLessThan(600);
    const { conversations } = await gateway.data(
      home.viewer,
      '{ conversations { groups { nodes { max { duration } } } } }',
    );
    expect(conversations.groups.nodes).toEqual([{ max: { duration: conversation.duration } }]);
  });

  test.each(['takeOverConversation', 'updateConversation'])('that was handed over by %s stays so', async (by) => {
    const { id } = await say('A person, please.');
    expect((await gateway.data(home.viewer, document, { id })).conversation.handedOver).toBe(false);
    const update =
      'mutation ($input: UpdateConversationInput!) { updateConversation(input: $input) { clientMutationId } }';
    if (by === 'takeOverConversation') await gateway.data(home.editor, take, { input: { conversationId: id } });
    else await gateway.data(home.editor, update, { input: { id, status: 'waiting_human' } });
    await gateway.data(home.editor, back, { input: { conversationId: id } });
    expect((await gateway.data(home.viewer, document, { id })).conversation.handedOver).toBe(true);
    const groups = '{ conversations(filter: {handedOver: true}) { groups { nodes { by { handedOver } count } } } }';
    const { conversations } = await gateway.data(home.viewer, groups);
    expect(conversations.groups.nodes[0].by).toEqual({ handedOver: true });
  });
});

describe('rows of before', () => {
  /** Resets the columns to their state right after an upgrade. */
  async function forget(): Promise<void> {
    await gateway.database.$executeRawUnsafe(`
      UPDATE "Message" SET "agentId" = NULL, "channelId" = NULL, "model" = NULL, "cost" = NULL, "replyTime" = NULL,
        "timeToFirstToken" = NULL, "rating" = NULL`);
    await gateway.database.$executeRawUnsafe(`
      UPDATE "Message" SET "promptTokens" = 0, "completionTokens" = 0, "cachedTokens" = 0 WHERE "promptTokens" IS NULL`);
    await gateway.database.$executeRawUnsafe('UPDATE "Conversation" SET "duration" = NULL, "handedOver" = NULL');
  }

  test('are filled in from what their traces hold, once; what nothing tells stays null', async () => {
    const { id, replyId } = await say('Before?');
    const { id: open } = await say('A person?');
    await gateway.data(
      home.editor,
      'mutation ($input: SetFeedbackInput!) { setFeedback(input: $input) { clientMutationId } }',
      {
        input: { id: replyId, feedback: { rating: 'dislike' } },
      },
    );
    await gateway.database.conversation.updateMany({ where: { id: open }, data: { status: 'waiting_human' } });
    const columns = { select: { id: true, agentId: true, channelId: true, duration: true, handedOver: true } } as const;
    const before = await messagesOf(id, `${numbers} usage { promptTokens }`);
    expect(before[1]).toMatchObject({ model: 'priced', rating: 'dislike' });
    await forget();
    const unknown = await messagesOf(id);
    expect(unknown[1]).toMatchObject({ model: null, cost: null, replyTime: null, rating: null });
    expect(
      (await gateway.data(home.viewer, grouped('agent { id } model', 'sum { cost }'))).messages.groups.nodes,
    ).toEqual([{ by: { agent: null, model: null }, count: expect.any(Number), sum: { cost: null } }]);

    await fillInNumbers();
    expect(await messagesOf(id, `${numbers} usage { promptTokens }`)).toEqual(before);
    const filled = await gateway.database.conversation.findFirstOrThrow({ where: { id }, ...columns });
    expect(filled).toMatchObject({ agentId: agent.id, duration: expect.any(Number), handedOver: null });
    const other = await gateway.database.conversation.findFirstOrThrow({ where: { id: open }, ...columns });
    expect(other.handedOver).toBe(true);
    expect(await gateway.database.message.count({ where: { agentId: null } })).toBe(0);

    // What has its numbers keeps them.
    await gateway.database.message.updateMany({ where: { id: replyId }, data: { cost: 7 } });
    await fillInNumbers();
    expect((await messagesOf(id))[1].cost).toBe(7);
  });
});
