import { beforeAll, describe, expect, test } from 'vitest';
import { resolveInactive } from '../../src/domain/conversations/outcomes.ts';
import { expectFailure, useGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { createScriptedModel } from '../support/model/scripted-model.ts';

const gateway = useGateway();
let home: TestWorkspace;
let agent: { id: string };
beforeAll(async () => {
  gateway.services.model = createScriptedModel(gateway.services.model).service;
  home = await makeWorkspace(gateway);
  agent = await makeAgent(gateway, home.editor);
});

const begin = async (content = 'Hello', viewer = home.app) =>
  (await gateway.rest(viewer, 'POST', `/api/${agent.id}`, { message: { content } })).body.id as string;
const read = async (id: string, viewer = home.viewer) => {
  const document = 'query ($id: ID!) { conversation(id: $id) { status outcome stage takenOverBy updatedAt } }';
  return (await gateway.data(viewer, document, { id })).conversation;
};
const change = (name: string, input: object, viewer = home.editor) => {
  const type = `${name[0]?.toUpperCase()}${name.slice(1)}Input`;
  return gateway.graphql(viewer, `mutation ($input: ${type}!) { ${name}(input: $input) { clientMutationId } }`, {
    input,
  });
};
/** Lets the periodic task come by so many minutes from now. */
async function passBy(minutes: number): Promise<void> {
  await resolveInactive({ ...gateway.services, now: () => new Date(Date.now() + minutes * 60_000) });
}
const day = 24 * 60;
const person = async (id: string) => {
  await change('takeOverConversation', { conversationId: id });
  return id;
};
const answeredByPerson = async (id: string) => {
  await person(id);
  await change('sendAsPerson', { conversationId: id, content: 'A person here.' });
  return id;
};

describe('a conversation that is silent for as long as its agent waits', () => {
  test.each<[string, string, (id: string) => Promise<string>, string?]>([
    ['resolved_by_agent', 'completed', async (id) => id, 'It opens at nine [1].'],
    ['resolved_by_person', 'completed', answeredByPerson],
    ['handed_over', 'identify', person],
    ['abandoned', 'identify', async (id) => id, 'For how many people?'],
    ['abandoned', 'identify', async (id) => id, 'Is it “for two?” [1] [2]'],
    ['abandoned', 'identify', async (id) => id, '何人ですか？'],
    ['abandoned', 'identify', async (id) => id, 'For two? 😊'],
    ['abandoned', 'identify', async (id) => id, '<p>For two?</p>'],
    ['abandoned', 'identify', async (id) => id, '{"answer": "For two?"}'],
    ['resolved_by_agent', 'completed', async (id) => id, 'Two or three? It sleeps four.'],
  ])('is resolved: %s, at the stage %s', async (outcome, stage, prepare, said) => {
    const id = await prepare(await begin());
    const where = { conversationId: id, position: 1 };
    if (said) await gateway.database.message.updateMany({ where, data: { content: said } });
    await passBy(day - 1);
    const before = await read(id);
    expect(before.outcome).toBeNull();
    await passBy(day + 1);
    const ended = await read(id);
    expect(ended).toMatchObject({ status: 'resolved', outcome, stage, takenOverBy: null });
    expect(Date.parse(ended.updatedAt)).toBeGreaterThan(Date.parse(before.updatedAt));
  });

  test('is updated as of when it ended, if that is long ago: it is not kept for longer', async () => {
    const id = await begin();
    const before = Date.parse((await read(id)).updatedAt);
    await passBy(30 * day);
    expect(Date.parse((await read(id)).updatedAt)).toBe(before + day * 60_000);
  });

  test('is handed over if it waits for a person, also where that was not recorded', async () => {
    const id = await begin();
    await gateway.database.conversation.updateMany({
      where: { id },
      data: { status: 'waiting_human', handedOver: null },
    });
    await passBy(2 * day);
    expect(await read(id)).toMatchObject({ outcome: 'handed_over', stage: 'identify' });
    expect(await gateway.database.conversation.findFirst({ where: { id } })).toMatchObject({ handedOver: true });
  });

  test('has no outcome if its last question was never answered', async () => {
    const id = await begin();
    await gateway.database.message.deleteMany({ where: { conversationId: id, role: 'assistant' } });
    await passBy(2 * day);
    expect(await read(id)).toMatchObject({ status: 'resolved', outcome: null, stage: 'identify' });
  });

  test('is one of an agent that says how long, and of no other', async () => {
    const { agentId } = await gateway.database.conversation.findFirstOrThrow({ where: { id: await begin() } });
    const set = async (resolveAfterMinutes: number) =>
      expect((await change('updateAgent', { id: agentId, resolveAfterMinutes })).errors).toBeUndefined();
    const id = await begin();
    await set(0);
    await passBy(1_000 * day);
    expect(await read(id)).toMatchObject({ status: 'active', outcome: null });
    await set(5);
    await passBy(4);
    expect(await read(id)).toMatchObject({ status: 'active', outcome: null });
    await passBy(6);
    expect(await read(id)).toMatchObject({ status: 'resolved', outcome: 'resolved_by_agent' });
    for (const wrong of [-1, 525_601])
      expectFailure(
        await change('updateAgent', { id: agentId, resolveAfterMinutes: wrong }),
        'invalid_request',
        /resolveAfterMinutes: must/,
      );
    await set(day);
  });

  test('is not one with an open turn, or one that is archived', async () => {
    const [open, archived] = [await begin(), await begin()];
    await gateway.database.conversation.updateMany({ where: { id: open }, data: { turnId: 'trn_a' } });
    await change('updateConversation', { id: archived, status: 'archived' });
    await passBy(2 * day);
    expect(await read(open)).toMatchObject({ status: 'active', outcome: null });
    expect(await read(archived)).toMatchObject({ status: 'archived', outcome: null });
    await gateway.database.conversation.updateMany({ where: { id: open }, data: { turnId: null } });
  });
});

describe('a conversation that somebody resolves', () => {
  test('was resolved by a person, or by the agent if an app says so, or as is said', async () => {
    const [byPerson, byApp, said] = [await begin(), await begin(), await begin()];
    await change('updateConversation', { id: byPerson, status: 'resolved' });
    await change('updateConversation', { id: byApp, status: 'resolved' }, home.app);
    await change('updateConversation', { id: said, status: 'resolved', outcome: 'abandoned' });
    expect(await read(byPerson)).toMatchObject({ outcome: 'resolved_by_person', stage: 'completed' });
    expect(await read(byApp)).toMatchObject({ outcome: 'resolved_by_agent', stage: 'completed' });
    expect(await read(said)).toMatchObject({ outcome: 'abandoned', stage: 'identify' });
  });

  test('by an app was resolved by the person who answered, or handed over, and keeps how it ended', async () => {
    const [answered, handed, waiting, ended] = [
      await answeredByPerson(await begin()),
      await person(await begin()),
      await begin(),
      await begin(),
    ];
    // As before it was recorded.
    const before = { status: 'waiting_human', handedOver: null } as const;
    await gateway.database.conversation.updateMany({ where: { id: waiting }, data: before });
    for (const id of [answered, handed, waiting])
      await change('updateConversation', { id, status: 'resolved' }, home.app);
    expect(await read(answered)).toMatchObject({ outcome: 'resolved_by_person' });
    for (const id of [handed, waiting])
      expect(await read(id)).toMatchObject({ outcome: 'handed_over', stage: 'identify' });
    await change('updateConversation', { id: ended, status: 'resolved', outcome: 'abandoned' });
    await change('updateConversation', { id: ended, status: 'resolved', title: 'Synced' }, home.app);
    expect(await read(ended)).toMatchObject({ outcome: 'abandoned', stage: 'identify' });
  });

  test('has the stage that is asked for', async () => {
    const id = await begin();
    await change('updateConversation', { id, status: 'resolved', stage: 'assist' });
    expect(await read(id)).toMatchObject({ outcome: 'resolved_by_person', stage: 'assist' });
  });

  test('is open again with a new message, a takeover or another status', async () => {
    const reopen: ((id: string) => Promise<unknown>)[] = [
      (id) => gateway.rest(home.app, 'POST', `/api/${agent.id}`, { id, message: { content: 'And?' } }),
      (id) => change('takeOverConversation', { conversationId: id }),
      (id) => change('updateConversation', { id, status: 'active' }),
    ];
    for (const again of reopen) {
      const id = await begin();
      await change('updateConversation', { id, status: 'resolved' });
      await again(id);
      expect(await read(id)).toMatchObject({
        outcome: null,
        status: expect.stringMatching(/^(active|waiting_human)$/),
      });
    }
  });

  test('needs the status for an outcome, and a right for both', async () => {
    const id = await begin();
    for (const status of [{}, { status: 'active' }])
      expectFailure(
        await change('updateConversation', { id, outcome: 'abandoned', ...status }),
        'invalid_request',
        /outcome: can only/,
      );
    expectFailure(await change('updateConversation', { id, status: 'resolved' }, home.viewer), 'forbidden');
    const other = await makeWorkspace(gateway);
    expectFailure(await change('updateConversation', { id, status: 'resolved' }, other.editor), 'not_found');
  });
});

test('conversations are filtered, grouped and counted by how they ended', async () => {
  const other = await makeWorkspace(gateway);
  const { id: agentId } = await makeAgent(gateway, other.editor);
  const ids: string[] = [];
  for (const outcome of ['abandoned', 'abandoned', 'handed_over', null]) {
    const { body } = await gateway.rest(other.app, 'POST', `/api/${agentId}`, { message: { content: 'Hi' } });
    ids.push(body.id);
    if (outcome) await change('updateConversation', { id: body.id, status: 'resolved', outcome }, other.editor);
  }
  const { conversations } = await gateway.data(
    other.viewer,
    `{ conversations(filter: { outcome: [abandoned] }, orderBy: { field: createdAt, direction: asc }) { nodes { id } }
       }`,
  );
  expect(conversations.nodes.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2));
  const grouped = await gateway.data(
    other.viewer,
    '{ conversations { groups(orderBy: { field: count, direction: desc }) { nodes { by { outcome } count } } } }',
  );
  expect(grouped.conversations.groups.nodes).toEqual(
    expect.arrayContaining([
      { by: { outcome: 'abandoned' }, count: 2 },
      { by: { outcome: 'handed_over' }, count: 1 },
      { by: { outcome: null }, count: 1 },
    ]),
  );
});

test('a lead that becomes completed completes its open conversations, unless a person takes over', async () => {
  const lead = await gateway.rest(home.editor, 'POST', '/rest/leads', { email: 'ana@example.com' });
  const [open, handed, resolved] = [await begin(), await begin(), await begin()];
  for (const id of [open, handed, resolved]) await change('updateConversation', { id, leadId: lead.body.id });
  await person(handed);
  await change('updateConversation', { id: resolved, status: 'resolved', outcome: 'abandoned' });
  expect(await read(open)).toMatchObject({ stage: 'identify' });
  await change('updateLead', { id: lead.body.id, name: 'Ana' });
  expect(await read(open)).toMatchObject({ stage: 'completed' });
  expect(await read(handed)).toMatchObject({ stage: 'identify' });
  expect(await read(resolved)).toMatchObject({ stage: 'identify' });
});

test('a conversation that is given a completed lead is completed, unless a person takes over or it is said otherwise', async () => {
  const lead = await gateway.rest(home.editor, 'POST', '/rest/leads', { name: 'Bea', email: 'bea@example.com' });
  const leadId = lead.body.id;
  const [open, handed, told] = [await begin(), await begin(), await begin()];
  await person(handed);
  for (const id of [open, handed]) await change('updateConversation', { id, leadId });
  await change('updateConversation', { id: told, leadId, stage: 'assist' });
  expect(await read(open)).toMatchObject({ stage: 'completed' });
  expect(await read(handed)).toMatchObject({ stage: 'identify' });
  expect(await read(told)).toMatchObject({ stage: 'assist' });
});
