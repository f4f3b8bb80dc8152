import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import { makeKey } from '../support/auth/keys.ts';
import { expectFailure, useGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { create, faq } from '../support/knowledge/knowledge.ts';

const gateway = useGateway();
let home: TestWorkspace;
let other: TestWorkspace;
let agentId: string;
let baseId: string;
beforeAll(async () => {
  home = await makeWorkspace(gateway);
  other = await makeWorkspace(gateway);
  await gateway.work();
  const input = { description: 'Camp', sources: [faq('When is the pool open?', 'The pool is open from May.')] };
  baseId = (await gateway.data(home.editor, create, { input })).createBase.base.id;
  await gateway.services.queue.idle();
});
beforeEach(async () => {
  agentId = (await makeAgent(gateway, home.editor)).id;
  const attach = `mutation { attachBase(input: { agentId: "${agentId}", baseId: "${baseId}" }) { agent { id } } }`;
  await gateway.data(home.editor, attach);
});

/** Sends a visitor's message, without `id` in a new conversation. Returns the id of the conversation. */
async function visitor(content: string, id?: string, more: object = {}): Promise<string> {
  const { status, body } = await gateway.rest(home.app, 'POST', `/api/${agentId}`, {
    message: { content },
    ...(id && { id }),
    ...more,
  });
  expect(status).toBe(200);
  return body.id;
}
async function takeOver(id: string): Promise<void> {
  const document =
    'mutation ($id: ID!) { takeOverConversation(input: { conversationId: $id }) { conversation { id } } }';
  await gateway.data(home.editor, document, { id });
}
async function person(conversationId: string, content: string): Promise<string> {
  const document = 'mutation ($input: SendAsPersonInput!) { sendAsPerson(input: $input) { message { id } } }';
  return (await gateway.data(home.editor, document, { input: { conversationId, content } })).sendAsPerson.message.id;
}

const proposal =
  'id text createdBy createdAt messageId message { content } question { message { content } } creator { ... on User { id } }';
const document = `query ($agentId: ID) { gaps(filter: { agentId: $agentId }) { nodes {
  id state question count sourceId proposedAnswer { ${proposal} } proposals { totalCount nodes { text } }
} } }`;
type Seen = any;
const gaps = async (): Promise<Seen[]> => (await gateway.data(home.viewer, document, { agentId })).gaps.nodes;
const proposed = async (): Promise<string[][]> =>
  (await gaps()).map(({ proposals }) => proposals.nodes.map(({ text }: Seen) => text));
const accept = (input: object, viewer = home.editor) =>
  gateway.graphql(
    viewer,
    'mutation ($input: AnswerGapInput!) { answerGap(input: $input) { gap { state sourceId } } }',
    { input: { baseId, ...input } },
  );
const fileOf = async (sourceId: string) =>
  (await gateway.data(home.viewer, `query { source(id: "${sourceId}") { type file { data } } }`)).source;

describe('what a person replies after an unanswered question', () => {
  test('is proposed as the answer of its gap, with its text, its author and its question', async () => {
    const id = await visitor('Are parking places free?');
    await takeOver(id);
    const messageId = await person(id, 'Parking is free for guests.');
    expect(await gaps()).toMatchObject([
      {
        state: 'open',
        question: 'Are parking places free?',
        proposedAnswer: {
          id: expect.stringMatching(/^prp_/),
          text: 'Parking is free for guests.',
          messageId,
          message: { content: 'Parking is free for guests.' },
          question: { message: { content: 'Are parking places free?' } },
          createdBy: home.editor.userId,
          creator: { id: home.editor.userId },
        },
        proposals: { totalCount: 1 },
      },
    ]);
  });

  test('is accepted by one call, and the agent answers from it', async () => {
    const id = await visitor('Are parking places free?');
    await person(id, 'Parking is free for guests.');
    // Paraphrased in another conversation; the proposal keeps its own question.
    await visitor('is parking FREE, in which place');
    const [gap] = await gaps();
    expect(gap).toMatchObject({ count: 2, question: 'is parking FREE, in which place' });
    const { sourceId, state } = (await accept({ gapId: gap.id })).data.answerGap.gap;
    expect(state).toBe('answered');
    expect(await fileOf(sourceId)).toEqual({
      type: 'faq',
      file: { data: { question: 'Are parking places free?', answer: 'Parking is free for guests.' } },
    });
    await gateway.services.queue.idle();
    const { body } = await gateway.rest(home.app, 'POST', `/api/${agentId}`, {
      message: { content: 'Are parking places free?' },
    });
    expect(body.messages.at(-1).content).toContain('Parking is free for guests.');
  });

  test('is listed newest first, of which any may be accepted, reworded or not, and at most 10 are kept', async () => {
    const id = await visitor('Do you rent canoes?');
    await takeOver(id);
    for (let count = 1; count <= 12; count++) await person(id, `We have ${count} canoes.`);
    const [texts] = await proposed();
    expect(texts).toEqual(Array.from({ length: 10 }, (_, index) => `We have ${12 - index} canoes.`));
    const [gap] = await gaps();
    const all = `query { gap(id: "${gap.id}") { proposals(first: 10) { nodes { id text } } } }`;
    const { id: proposalId } = (await gateway.data(home.viewer, all)).gap.proposals.nodes[3];
    const answered = await accept({
      gapId: gap.id,
      proposalId,
      answer: 'Nine, from May.',
      question: 'How many canoes?',
    });
    const { file } = await fileOf(answered.data.answerGap.gap.sourceId);
    expect(file.data).toEqual({ question: 'How many canoes?', answer: 'Nine, from May.' });
  });

  test('counts as an answer though the visitor asked for a person or gave details in between', async () => {
    const id = await visitor('Do you repair boats?');
    await visitor('Can I talk to a person?', id);
    await takeOver(id);
    await person(id, 'Hello!');
    await person(id, 'Which boat do you have?');
    await visitor('A wooden one from last year, with a hole', id);
    await person(id, 'We repair wooden boats in April.');
    const found = await gaps();
    const repair = found.find(({ question }) => question === 'Do you repair boats?');
    expect(repair.proposals.nodes).toEqual([{ text: 'We repair wooden boats in April.' }]);
    expect(found.filter((gap) => gap !== repair && gap.proposals.totalCount > 0)).toEqual([]);
  });

  test('is none when it replies to something else: another question, or thanks', async () => {
    const id = await visitor('Do you sell maps?');
    await visitor('When is the pool open?', id);
    await person(id, 'Only until September.');
    expect(await proposed()).toEqual([[]]);
    const thanked = await visitor('Do you sell maps?');
    await takeOver(thanked);
    await person(thanked, 'Yes, at the desk.');
    await visitor('Thank you!', thanked);
    await person(thanked, 'Have a good stay with us.');
    await visitor('And where is the desk?', thanked);
    await person(thanked, 'Behind the gate.');
    expect(await proposed()).toEqual([['Yes, at the desk.']]);
  });

  test('is none in a preview, nor without an unanswered question', async () => {
    const answered = await visitor('When is the pool open?');
    await person(answered, 'Every day.');
    const preview = await visitor('Are dogs allowed?', undefined, { preview: true });
    await person(preview, 'On a leash.');
    expect(await gaps()).toEqual([]);
  });

  test('is found by a filter, and goes with its conversation', async () => {
    const first = await visitor('Are dogs allowed?');
    await visitor('are DOGS allowed');
    await visitor('Do you have a sauna?');
    await person(first, 'Dogs are allowed on a leash.');
    const withProposals = `query ($agentId: ID) {
      gaps(filter: { agentId: $agentId, proposals: {} }) { nodes { count proposals { totalCount } } }
    }`;
    expect((await gateway.data(home.viewer, withProposals, { agentId })).gaps.nodes).toEqual([
      { count: 2, proposals: { totalCount: 1 } },
    ]);
    const remove = 'mutation ($id: ID!) { deleteConversation(input: { id: $id }) { conversation { id } } }';
    await gateway.data(home.owner, remove, { id: first });
    expect((await gateway.data(home.viewer, withProposals, { agentId })).gaps.nodes).toEqual([]);
    expect(await gaps()).toMatchObject([{ proposedAnswer: null }, { count: 1, proposedAnswer: null }]);
  });
});

describe('a proposal', () => {
  test('is accepted by nobody who may not write bases, nor of another gap or workspace, nor where there is none', async () => {
    const id = await visitor('Where is the laundry room?');
    const [{ id: gapId }] = await gaps();
    expectFailure(await accept({ gapId }), 'invalid_request', /answer: is required/);
    await person(id, 'In the basement.');
    const [{ proposedAnswer }] = await gaps();
    expectFailure(await accept({ gapId }, home.viewer), 'forbidden');
    expectFailure(await accept({ gapId }, other.editor), 'not_found', 'Gap not found.');
    expectFailure(await accept({ gapId, proposalId: newId('proposal') }), 'not_found', 'Gap proposal not found.');
    await visitor('Do you rent bikes?');
    const bikes = (await gaps()).find(({ question }) => question === 'Do you rent bikes?');
    expectFailure(
      await accept({ gapId: bikes.id, proposalId: proposedAnswer.id }),
      'not_found',
      'Gap proposal not found.',
    );
    const node = `query { node(id: "${proposedAnswer.id}") { ... on GapProposal { text } } }`;
    expect((await gateway.data(other.viewer, node)).node).toBeNull();
    expect((await gateway.data(home.viewer, node)).node).toEqual({ text: 'In the basement.' });
    expect((await gaps()).map(({ state }) => state)).toEqual(['open', 'open']);
  });

  test('shows its text to a key only if that may read conversations', async () => {
    const id = await visitor('Where is the laundry room?');
    await person(id, 'In the basement.');
    const [{ id: gapId }] = await gaps();
    const read = async (scopes: string[]) => {
      const secret = await makeKey(gateway, home.owner, { scopes });
      return gateway.graphql(secret, `{ gap(id: "${gapId}") { proposedAnswer { createdAt text } } }`);
    };
    const secret = await makeKey(gateway, home.owner, { scopes: ['bases.write'] });
    const input = `{ gapId: "${gapId}", baseId: "${baseId}" }`;
    const refused = await gateway.graphql(secret, `mutation { answerGap(input: ${input}) { gap { id } } }`);
    expectFailure(refused, 'forbidden', /conversations.read/);
    expect((await read(['bases.read', 'conversations.read'])).data.gap.proposedAnswer.text).toBe('In the basement.');
    const { errors } = await read(['bases.read']);
    expect(errors?.[0]?.extensions.code).toBe('forbidden');
  });
});
