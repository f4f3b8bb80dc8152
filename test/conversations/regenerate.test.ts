import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Viewer } from '../../src/core/viewer.ts';
import { newId } from '../../src/database/ids.ts';
import { say } from '../support/conversations/streaming.ts';
import { expectFailure, type GraphQLAnswer, useGateway } from '../support/gateway/app.ts';
import { ask } from '../support/gateway/ask.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { createScriptedModel } from '../support/model/scripted-model.ts';

const gateway = useGateway();
let scripted: ReturnType<typeof createScriptedModel>;
let home: TestWorkspace;
let agentId: string;
beforeAll(async () => {
  scripted = createScriptedModel(gateway.services.model);
  gateway.services.model = scripted.service;
  home = await makeWorkspace(gateway);
  agentId = (await makeAgent(gateway, home.editor)).id;
});
beforeEach(() => {
  scripted.held = false;
});

const turnFields = `conversation { messageCount messages { nodes { id content } } }
  messages { id position content alternatives { messageId content feedback usage { completionTokens } trace { model } } }`;
const mutation = `mutation ($input: SendMessageInput!) { sendMessage(input: $input) { ${turnFields} } }`;
const begin = async (content = 'Hello') => {
  const { body } = await gateway.rest(home.app, 'POST', `/api/${agentId}`, say(content));
  return { conversationId: body.id as string, reply: body.messages[0].id as string };
};
const regenerate = (
  { conversationId, reply }: { conversationId: string; reply: string },
  more: object = {},
  viewer: Viewer | null = home.editor,
) => gateway.graphql(viewer, mutation, { input: { agentId, conversationId, regenerate: reply, ...more } });
const stored = (conversationId: string) =>
  gateway.database.message.findMany({ where: { conversationId }, orderBy: { position: 'asc' } });
const usage = async () => (await gateway.rest(home.viewer, 'GET', '/rest/interactions')).body.current as number;
/** Sends a request while the model answers with `content`. */
async function saying(content: string, request: () => Promise<GraphQLAnswer>): Promise<GraphQLAnswer> {
  scripted.held = true;
  const answer = request();
  const call = await scripted.next();
  expect(call.request.history.at(-1)).toMatchObject({ role: 'user', content: 'Hello' });
  call.say(content);
  call.end();
  const answered = await answer;
  scripted.held = false;
  return answered;
}

describe('a reply that is made anew', () => {
  test('takes the place of the older one, which is kept beside it with its feedback; it counts once', async () => {
    const first = await begin();
    const like = `mutation ($id: ID!) { setFeedback(input: { id: $id, feedback: { rating: dislike, comment: "No" } }) { message { id } } }`;
    await gateway.data(home.editor, like, { id: first.reply });
    const before = await usage();
    const { sendMessage } = (await saying('Second', () => regenerate(first))).data;
    expect(sendMessage.messages).toEqual([
      {
        id: expect.not.stringContaining(first.reply),
        position: 1,
        content: 'Second',
        alternatives: [
          {
            messageId: first.reply,
            content: 'Answer to Hello.',
            feedback: { rating: 'dislike', comment: 'No' },
            usage: { completionTokens: 1 },
            trace: { model: 'scripted' },
          },
        ],
      },
    ]);
    expect(sendMessage.conversation.messageCount).toBe(2);
    expect(sendMessage.conversation.messages.nodes.map(({ content }: { content: string }) => content)).toEqual([
      'Hello',
      'Second',
    ]);
    expect(await usage()).toBe(before + 1);

    // The question refers to the new reply too, which joins the alternatives of the older one.
    const [question] = sendMessage.conversation.messages.nodes;
    const third = await saying('Third', () => regenerate({ ...first, reply: question.id }));
    const [reply] = third.data.sendMessage.messages;
    expect(reply.alternatives.map(({ content }: { content: string }) => content)).toEqual([
      'Second',
      'Answer to Hello.',
    ]);
    expect((await stored(first.conversationId)).map(({ position }) => position)).toEqual([0, 1]);
    const next = await gateway.rest(home.app, 'POST', `/api/${agentId}`, say('Next', { id: first.conversationId }));
    expect(next.status).toBe(200);
    expect((await stored(first.conversationId)).map(({ position, content }) => [position, content])).toEqual([
      [0, 'Hello'],
      [1, 'Third'],
      [2, 'Next'],
      [3, 'Answer to Next.'],
    ]);
  });

  test('is streamed as well', async () => {
    const first = await begin();
    const document = `subscription ($input: SendMessageInput!) { streamMessage(input: $input) { part turn { ${turnFields} } } }`;
    const input = { agentId, conversationId: first.conversationId, regenerate: first.reply };
    const answer = await ask(gateway, home.editor, document, { input });
    expect(answer.data.streamMessage.part).toMatchObject({ type: 'start' });
    expect((await stored(first.conversationId)).map(({ position }) => position)).toEqual([0, 1]);
    expect(await gateway.database.messageAlternative.count({ where: { conversationId: first.conversationId } })).toBe(
      1,
    );
  });

  test('leaves the older one when the model fails or is stopped before a word, and costs nothing then', async () => {
    const first = await begin();
    const before = await usage();
    scripted.held = true;
    const failing = regenerate(first, { idempotencyKey: 'fails' });
    (await scripted.next()).fail();
    expectFailure(await failing, 'model_error');
    const stopping = regenerate(first);
    await scripted.next();
    const stop = `mutation ($id: ID!) { stopTurn(input: { conversationId: $id }) { conversation { id } } }`;
    await gateway.data(home.editor, stop, { id: first.conversationId });
    expect((await stopping).data.sendMessage.messages).toEqual([]);
    expect((await stored(first.conversationId)).map(({ id }) => id)).toContain(first.reply);
    expect(await usage()).toBe(before);
    scripted.held = false;
    expect((await regenerate(first, { idempotencyKey: 'fails' })).errors).toBeUndefined();
    expect((await stored(first.conversationId)).length).toBe(2);
  });

  test('is made once by one key', async () => {
    const first = await begin();
    const before = await usage();
    const one = await regenerate(first, { idempotencyKey: 'again' });
    const two = await regenerate(first, { idempotencyKey: 'again' });
    expect(two.data.sendMessage.messages).toEqual(one.data.sendMessage.messages);
    expect(await usage()).toBe(before + 1);
    expectFailure(await regenerate(first, { idempotencyKey: 'again', format: 'text' }), 'idempotency_key_reused');
  });

  test('twice at once: the one that comes second is told so, and by the question both are made, one after another', async () => {
    const first = await begin();
    const answers = await Promise.all([regenerate(first), regenerate(first)]);
    expect(answers.map(({ errors }) => errors?.[0]?.extensions.code ?? 'made').sort()).toEqual(['conflict', 'made']);
    const reply = (await stored(first.conversationId))[0]?.id ?? '';
    const both = await Promise.all([regenerate({ ...first, reply }), regenerate({ ...first, reply })]);
    expect(both.flatMap(({ errors = [] }) => errors)).toEqual([]);
    expect((await stored(first.conversationId)).map(({ position }) => position)).toEqual([0, 1]);
    expect(await gateway.database.messageAlternative.count({ where: { conversationId: first.conversationId } })).toBe(
      3,
    );
  });

  test('keeps no more than 20 older ones', async () => {
    const first = await begin();
    const { conversationId } = first;
    const row = { workspaceId: home.id, conversationId, messageId: first.reply, createdAt: new Date() };
    const data = Array.from({ length: 20 }, (_, index) => ({
      ...row,
      id: newId('message'),
      replacedAt: new Date(Date.UTC(2026, 0, 1, 0, 0, index)),
    }));
    await gateway.database.messageAlternative.createMany({ data });
    const { alternatives } = (await regenerate(first)).data.sendMessage.messages[0];
    expect(alternatives.length).toBe(20);
    expect(alternatives[0].messageId).toBe(first.reply);
    expect(await gateway.database.messageAlternative.count({ where: { id: data[0]?.id ?? '' } })).toBe(0);
  });

  test('must be the last, of the agent, and no person’s', async () => {
    const first = await begin();
    const { conversationId } = first;
    const write = `mutation ($input: SendAsPersonInput!) { sendAsPerson(input: $input) { message { id } } }`;
    await gateway.rest(home.app, 'POST', `/api/${agentId}`, say('More', { id: conversationId }));
    expectFailure(await regenerate(first), 'conflict', /Only the last/);
    const last = { conversationId, reply: (await stored(conversationId)).at(-1)?.id ?? '' };
    await gateway.data(home.editor, write, { input: { conversationId, content: 'I am a person.' } });
    expectFailure(await regenerate(last), 'conflict', /written by a person/);
    const status = `mutation ($id: ID!) { takeOverConversation(input: { conversationId: $id }) { conversation { id } } }`;
    await gateway.data(home.editor, status, { id: conversationId });
    expectFailure(await regenerate(last), 'conflict', /the agent does not reply/);
  });

  test('takes a bearer, a permission, and what is there', async () => {
    const first = await begin();
    const other = await makeWorkspace(gateway);
    const theirs = await makeAgent(gateway, other.editor);
    expectFailure(await regenerate(first, {}, null), 'unauthorized');
    expectFailure(await regenerate(first, {}, home.viewer), 'forbidden');
    expectFailure(await regenerate(first, {}, other.owner), 'not_found');
    expectFailure(await regenerate(first, { agentId: theirs.id }, other.owner), 'not_found');
    expectFailure(await regenerate({ ...first, reply: (await begin()).reply }), 'not_found', /^Message/);
    const issues = async (more: object) =>
      expectFailure(await regenerate(first, more), 'invalid_request')?.extensions.issues?.map(({ message }) => message);
    expect(await issues({ message: { content: 'Hi' } })).toEqual([
      'regenerate: cannot be combined with messages or edit',
    ]);
    expect(await issues({ conversationId: null })).toEqual(['conversationId: is required with regenerate']);
  });
});
