import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import { asksAgent } from '../../src/domain/knowledge/gap-reason.ts';
import type { Reply } from '../../src/model/service.ts';
import { expectFailure, useGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { create, faq } from '../support/knowledge/knowledge.ts';
import { createScriptedModel } from '../support/model/scripted-model.ts';

const gateway = useGateway();
let home: TestWorkspace;
let scripted: ReturnType<typeof createScriptedModel>;
let agentId: string;
let baseId: string;
beforeAll(async () => {
  scripted = createScriptedModel(gateway.services.model);
  home = await makeWorkspace(gateway);
  await gateway.work();
  const input = { description: 'Camp', sources: [faq('When is the pool open?', 'The pool is open from May.')] };
  baseId = (await gateway.data(home.editor, create, { input })).createBase.base.id;
  await gateway.services.queue.idle();
});
beforeEach(async () => {
  agentId = await agentWithBase();
});

async function agentWithBase(input: object = {}): Promise<string> {
  const { id } = await makeAgent(gateway, home.editor, input);
  await gateway.data(
    home.editor,
    `mutation { attachBase(input: { agentId: "${id}", baseId: "${baseId}" }) { agent { id } } }`,
  );
  return id;
}

type Said = { conversationId: string; content: string; messageId: string };
async function say(content: string, more: object = {}, agent = agentId): Promise<Said> {
  const { status, body } = await gateway.rest(home.app, 'POST', `/api/${agent}`, { message: { content }, ...more });
  expect(status).toBe(200);
  const last = body.messages.at(-1);
  return { conversationId: body.id, content: last.content, messageId: last.id };
}

const fields = `id state question count firstAskedAt lastAskedAt sourceId agent { id }
  questions(first: 10) { totalCount nodes { reason askedAt message { content } } }`;
const document = `query ($agentId: ID, $state: [GapState!], $orderBy: GapOrder) {
  gaps(filter: { agentId: $agentId, state: $state }, orderBy: $orderBy) { totalCount nodes { ${fields} } }
}`;
type Seen = any;
const gaps = async (variables: object = {}): Promise<Seen[]> =>
  (await gateway.data(home.viewer, document, { agentId, ...variables })).gaps.nodes;
const answer = (input: object, viewer = home.editor) =>
  gateway.graphql(viewer, `mutation ($input: AnswerGapInput!) { answerGap(input: $input) { gap { ${fields} } } }`, {
    input,
  });
const dismiss = (gapId: string) =>
  gateway.data(home.editor, `mutation { dismissGap(input: { gapId: "${gapId}" }) { gap { state } } }`);

/** Replies as a configured model would, with these references. */
async function replying(content: string, reply: Partial<Reply>, asking: () => Promise<Said>): Promise<Said> {
  const { services } = gateway;
  const own = services.model;
  services.model = scripted.service;
  scripted.held = true;
  try {
    const said = asking();
    const call = await scripted.next();
    const [passage] = call.request.passages;
    call.say(content);
    const references = reply.references?.map((reference) => ({ ...reference, passageId: passage?.id ?? '' }));
    call.end({ ...reply, ...(references && { references }) });
    return await said;
  } finally {
    services.model = own;
    scripted.held = false;
  }
}

describe('a question without an answer', () => {
  test('is kept with its words and when it was asked, and one with an answer is not', async () => {
    expect((await say('When is the pool open?')).content).toContain('from May');
    expect(await gaps()).toEqual([]);
    expect((await say('Are parking places free?')).content).toMatch(/^I don't know/);
    expect(await gaps()).toEqual([
      {
        id: expect.stringMatching(/^gap_/),
        state: 'open',
        question: 'Are parking places free?',
        count: 1,
        firstAskedAt: expect.any(String),
        lastAskedAt: expect.any(String),
        sourceId: null,
        agent: { id: agentId },
        questions: {
          totalCount: 1,
          nodes: [
            { reason: 'nothing_found', askedAt: expect.any(String), message: { content: 'Are parking places free?' } },
          ],
        },
      },
    ]);
  });

  test('is one gap with those that ask the same in other words, and tells how often', async () => {
    await say('Are parking places free?');
    await say('is parking FREE, in which place');
    await say('Do you rent canoes?');
    const found = await gaps({ orderBy: { field: 'count', direction: 'desc' } });
    expect(found.map(({ question, count }) => [question, count])).toEqual([
      ['is parking FREE, in which place', 2],
      ['Do you rent canoes?', 1],
    ]);
    expect(found[0].questions.totalCount).toBe(2);
    expect(Date.parse(found[0].firstAskedAt)).toBeLessThanOrEqual(Date.parse(found[0].lastAskedAt));
    expect((await gaps()).map(({ question }) => question)).toEqual([
      'Do you rent canoes?',
      'is parking FREE, in which place',
    ]);
  });

  test('is one gap though many ask it at the same moment', async () => {
    await Promise.all(Array.from({ length: 5 }, () => say('Are parking places free?')));
    expect((await gaps()).map(({ count }) => count)).toEqual([5]);
  });

  test('is counted for each agent by itself', async () => {
    const another = await agentWithBase();
    await say('Are parking places free?');
    await say('Are parking places free?', {}, another);
    const own = `query { agent(id: "${another}") { gaps { totalCount nodes { count agent { id } } } } }`;
    expect((await gateway.data(home.viewer, own)).agent.gaps).toEqual({
      totalCount: 1,
      nodes: [{ count: 1, agent: { id: another } }],
    });
    expect(await gaps()).toHaveLength(1);
  });

  test('is none where nothing is asked, in a preview, or when it was stopped', async () => {
    for (const content of ['Hello', 'Thank you!', 'Are you a robot?', 'I am Ana, ana@example.com']) await say(content);
    await say('Are parking places free?', { preview: true });
    await replying('I', { finish: 'stopped' }, () => say('Are parking places free?'));
    expect(await gaps()).toEqual([]);
  });

  test('of a configured model is one that admits it, or cites nothing of what was found', async () => {
    const reference = { passageId: '', sourceId: '', baseId: '', quote: 'from May' };
    await replying('From May. [1]', { references: [reference] }, () => say('When is the pool open?'));
    expect(await gaps()).toEqual([]);
    await replying('It opens at noon.', {}, () => say('When is the pool open?'));
    expect((await gaps())[0]).toMatchObject({ questions: { nodes: [{ reason: 'unknown' }] } });
    agentId = await agentWithBase({ references: false });
    await replying('It opens in May.', {}, () => say('When is the pool open?'));
    expect(await gaps()).toEqual([]);
    await replying('Sorry, não sei dizer.', {}, () => say('When is the pool open?'));
    expect((await gaps())[0]).toMatchObject({ question: 'When is the pool open?' });
  });

  test('of an agent without bases is one only where its model admits it', async () => {
    ({ id: agentId } = await makeAgent(gateway, home.editor));
    await replying('It opens in May.', {}, () => say('When is the pool open?'));
    expect(await gaps()).toEqual([]);
    await replying('I do not know.', {}, () => say('When is the pool open?'));
    expect((await gaps())[0]).toMatchObject({ questions: { nodes: [{ reason: 'unknown' }] } });
  });

  test('is counted once though its reply is made anew, and not at all when that answers it', async () => {
    const { conversationId, messageId } = await say('Are parking places free?');
    const anew = async (regenerate: string) => {
      const send = `mutation ($input: SendMessageInput!) { sendMessage(input: $input) { messages { id content } } }`;
      const data = await gateway.data(home.editor, send, { input: { agentId, conversationId, regenerate } });
      const { id, content } = data.sendMessage.messages.at(-1);
      return { conversationId, messageId: id, content };
    };
    const second = await anew(messageId);
    expect((await gaps()).map(({ count }) => count)).toEqual([1]);
    const reference = { passageId: '', sourceId: '', baseId: '', quote: 'free' };
    await replying('They are free. [1]', { references: [reference] }, () => anew(second.messageId));
    expect(await gaps()).toEqual([]);
  });

  test('goes with its conversation, and with its agent', async () => {
    const first = await say('Are parking places free?');
    const second = await say('Are the parking places free?');
    const remove = 'mutation ($id: ID!) { deleteConversation(input: { id: $id }) { conversation { id } } }';
    await gateway.data(home.owner, remove, { id: second.conversationId });
    expect(await gaps()).toMatchObject([{ count: 1, question: 'Are parking places free?' }]);
    await gateway.data(home.owner, remove, { id: first.conversationId });
    expect(await gaps()).toEqual([]);
    await say('Are parking places free?');
    await gateway.data(home.owner, `mutation { deleteAgent(input: { id: "${agentId}" }) { agent { id } } }`);
    expect(await gaps()).toEqual([]);
    expect(await gateway.database.gapQuestion.count({ where: { gap: { agentId } } })).toBe(0);
  });
});

describe('a gap', () => {
  test('is answered by one mutation, and the agent answers from it', async () => {
    await say('Are parking places free?');
    const [gap] = await gaps();
    const input = { gapId: gap.id, baseId, answer: 'Parking is free for guests.' };
    const answered = (await answer(input)).data.answerGap.gap;
    expect(answered).toMatchObject({ state: 'answered', sourceId: expect.stringMatching(/^src_/) });
    await gateway.services.queue.idle();
    const source = `query { source(id: "${answered.sourceId}") { type status base { id } file { data } } }`;
    expect((await gateway.data(home.viewer, source)).source).toEqual({
      type: 'faq',
      status: 'succeeded',
      base: { id: baseId },
      file: { data: { question: 'Are parking places free?', answer: 'Parking is free for guests.' } },
    });
    expect((await say('Are parking places free?')).content).toContain('Parking is free for guests.');
    expect(await gaps()).toMatchObject([{ state: 'answered', count: 1 }]);
    expectFailure(await answer(input), 'conflict', /already been answered/);
  });

  test('that was asked at length is answered by a source that can be read all the same', async () => {
    const asked = `Where is the obelisk? ${Array.from({ length: 400 }, (_, index) => `please${index}`).join(' ')}`;
    await say(asked);
    const [{ id: gapId }] = await gaps();
    const { sourceId } = (await answer({ gapId, baseId, answer: 'In the park.' })).data.answerGap.gap;
    await gateway.services.queue.idle();
    const source = `query { source(id: "${sourceId}") { status reason file { data } } }`;
    const { status, reason, file } = (await gateway.data(home.viewer, source)).source;
    expect([status, reason]).toEqual(['succeeded', null]);
    expect(file.data.question).toMatch(/^Where is the obelisk\? please0 .*…$/);
  });

  test('that was answered is open again when the same has no answer all the same; a dismissed one stays so', async () => {
    await say('Do you have a sauna?');
    await say('Is there a bakery nearby?');
    const [bakery, sauna] = await gaps();
    const input = { gapId: sauna.id, baseId, answer: 'Yes.', question: 'Which saunas are there?' };
    const { sourceId } = (await answer(input)).data.answerGap.gap;
    await dismiss(bakery.id);
    await gateway.services.queue.idle();
    await gateway.data(home.editor, `mutation { deleteSource(input: { id: "${sourceId}" }) { source { id } } }`);
    await say('Do you have a sauna?');
    await say('Is there a bakery nearby?');
    expect(await gaps({ state: ['open'] })).toMatchObject([{ id: sauna.id, count: 2, sourceId }]);
    expect(await gaps({ state: ['dismissed'] })).toMatchObject([{ id: bakery.id, count: 2 }]);
  });

  test('is answered by nobody who may not write bases, nor without an answer, nor in a base that is not there', async () => {
    await say('Where is the laundry room?');
    const [{ id: gapId }] = await gaps();
    const input = { gapId, baseId, answer: 'Yes.' };
    expectFailure(await answer(input, home.viewer), 'forbidden');
    expectFailure(await answer({ ...input, answer: ' ' }), 'invalid_request', /answer/);
    expectFailure(await answer({ ...input, answer: '\u200b' }), 'invalid_request', /answer/);
    expectFailure(await answer({ ...input, question: '' }), 'invalid_request', /question/);
    expectFailure(await answer({ ...input, baseId: newId('base') }), 'not_found', 'Base not found.');
    expectFailure(await answer({ ...input, gapId: newId('gap') }), 'not_found', 'Gap not found.');
    const { editor } = await makeWorkspace(gateway);
    expectFailure(await answer(input, editor), 'not_found', 'Gap not found.');
    expect(await gaps()).toMatchObject([{ state: 'open', sourceId: null }]);
  });
});

test.each([
  ['Are dogs allowed?', true],
  ['how much is a canoe', true],
  ['quanto custa a canoa', true],
  ['necesito la clave del wifi', true],
  ['My kayak has a hole in its side', true],
  ['ana@example.com, is that enough?', true],
  ['Ana Souza', false],
  ['yes please', false],
  ['ok', false],
  ['Bom dia!', false],
  ['my phone is +55 11 98765-4321', false],
  ['And why?', false],
])('whether something is asked: %s', (text, asks) => {
  expect(asksAgent(text, 'Camp host')).toBe(asks);
});
