import { describe, expect, test, vi } from 'vitest';
import { createTurns } from '../../src/domain/turns/running.ts';
import { sweepTurns } from '../../src/domain/turns/sweep.ts';
import { readEvents, textOf } from '../support/conversations/event-stream.ts';
import { useLedger } from '../support/conversations/ledger.ts';
import { say } from '../support/conversations/streaming.ts';
import { makeAgent, makeWorkspace } from '../support/gateway/factories.ts';

const { gateway, world, post, send, usage, stored, turnOf, die } = useLedger();

describe('64 senders at once, on two replicas', () => {
  test('in one conversation and near the ceiling are answered in order, and counted exactly', async () => {
    const small = await makeWorkspace(gateway, 41);
    const { id: agentId } = await makeAgent(gateway, small.editor);
    const { id } = (await send(say('Start'), { viewer: small.app, agentId })).body;
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, index) =>
        send(say(`Message ${index}`, { id }), {
          viewer: small.app,
          agentId,
          ...(index % 2 && { via: world.replica.fetch }),
        }),
      ),
    );
    const accepted = answers.flatMap(({ status, body }, index) => (status === 200 ? [{ index, body }] : []));
    expect(accepted).toHaveLength(40);
    expect(answers.filter(({ body }) => body.code === 'usage_limit_exceeded')).toHaveLength(24);
    expect(await usage(small.viewer)).toBe(41);
    const rows = await stored(id);
    expect(rows.map(({ position }) => position)).toEqual(Array.from({ length: 2 + 64 + 40 }, (_, place) => place));
    for (const { index, body } of accepted) {
      const reply = rows.find((row) => row.id === body.messages[0].id);
      expect(reply?.content).toBe(`Answer to Message ${index}.`);
      expect(rows[(reply?.position ?? 0) - 1]?.content).toBe(`Message ${index}`);
    }
  });
});

test('those who wait for a conversation come in the order in which they came, and not for ever', async () => {
  const turns = createTurns(gateway.services);
  const order: number[] = [];
  const leave = await turns.waitForConversation('a', 60_000);
  const waiting = [1, 2, 3].map(async (number) => {
    const leaveToo = await turns.waitForConversation('a', number === 2 ? 10 : 60_000);
    order.push(number);
    leaveToo();
  });
  await expect(waiting[1]).rejects.toMatchObject({ code: 'conversation_busy' });
  (await turns.waitForConversation('b', 60_000))();
  leave();
  await Promise.all([waiting[0], waiting[2]]);
  expect(order).toEqual([1, 3]);
});

describe('a reply that is not streamed', () => {
  test('and is stopped is answered and kept as far as it was said', async () => {
    world.scripted.held = true;
    const answer = send(say('Stop me'), { key: 'stop' });
    const call = await world.scripted.next();
    call.say('One');
    const { conversationId } = await turnOf('stop');
    await gateway.data(
      world.home.app,
      `mutation { stopTurn(input: { conversationId: "${conversationId}" }) { conversation { id } } }`,
    );
    const { status, body } = await answer;
    expect([status, body.messages[0]]).toMatchObject([200, { content: 'One', metadata: { stopped: true } }]);
    expect((await turnOf('stop')).state).toBe('stopped');
    expect((await send(say('Stop me'), { key: 'stop' })).body).toEqual(body);
  });

  test('is joined by a repetition that wants a stream, on any replica', async () => {
    world.scripted.held = true;
    const answer = send(say('Join me'), { key: 'join' });
    const call = await world.scripted.next();
    expect((await send(say('Join me'), { key: 'join', via: world.replica.fetch })).body.code).toBe(
      'request_in_progress',
    );
    const joined = readEvents(await post(say('Join me'), { key: 'join', stream: true, via: world.replica.fetch }));
    call.say('Whole');
    call.end();
    const events = await joined.rest();
    expect(textOf(events)).toBe('Whole');
    expect(events.at(-2)?.data.data).toEqual((await answer).body);
  });
});

describe('a try that failed', () => {
  test('is tried again for what it was asked, whatever was said since', async () => {
    world.scripted.held = true;
    const failed = send(say('First'), { key: 'again' });
    (await world.scripted.next()).fail();
    expect((await failed).body.code).toBe('model_error');
    world.scripted.held = false;
    const { conversationId: id } = await turnOf('again');
    await send(say('Second', { id }));
    expect((await send(say('First'), { key: 'again' })).body.messages[0].content).toBe('Answer to First.');
    expect((await stored(id)).map(({ content }) => content)).toEqual([
      'First',
      'Second',
      'Answer to Second.',
      'Answer to First.',
    ]);
    expect(await turnOf('again')).toMatchObject({ state: 'answered' });
  });

  test('gives back the interaction, also when its conversation is removed meanwhile', async () => {
    const before = await usage();
    world.scripted.held = true;
    const answer = send(say('Remove me'), { key: 'removed' });
    const call = await world.scripted.next();
    expect(await usage()).toBe(before + 1);
    const { conversationId } = await turnOf('removed');
    const remove = `mutation { deleteConversation(input: { id: "${conversationId}" }) { conversation { id } } }`;
    await gateway.data(world.home.owner, remove);
    call.end();
    expect(await answer).toMatchObject({ status: 404, body: { message: 'Conversation not found.' } });
    // Nothing is left for a retry to resume.
    expect((await send(say('Remove me'), { key: 'removed' })).status).toBe(404);
    expect(await usage()).toBe(before);
  });
});

describe('a turn whose process died', () => {
  test('is ended once, however many sweep, and its caller gets one answer', async () => {
    const before = await usage();
    world.scripted.held = true;
    const said = say('My name is Ana Lima, my email is ana.lima@dead.example', { utm: { source: 'mail' } });
    const lost = send(said, { key: 'dead' });
    const call = await world.scripted.next();
    await die('dead');
    const counts = await Promise.all(
      Array.from({ length: 16 }, (_, index) => sweepTurns(index % 2 ? world.replica.services : gateway.services)),
    );
    expect(counts.reduce((sum, count) => sum + count)).toBe(1);
    expect(await usage()).toBe(before);
    const dead = await turnOf('dead');
    expect(dead).toMatchObject({ state: 'failed', failure: { code: 'unavailable' } });
    const where = { id: dead.conversationId };
    expect(await gateway.database.conversation.findFirst({ where, include: { lead: true } })).toMatchObject({
      turnId: null,
      lead: { email: 'ana.lima@dead.example', utm: { source: 'mail' } },
    });
    world.scripted.held = false;
    const { body } = await send(said, { key: 'dead', via: world.replica.fetch });
    // The process that was taken for dead continues late.
    call.say('Late');
    call.end();
    expect((await lost).status).toBe(503);
    expect((await send(said, { key: 'dead' })).body).toEqual(body);
    expect((await stored(dead.conversationId)).map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(await usage()).toBe(before + 1);
    expect(await gateway.database.lead.count({ where: { email: 'ana.lima@dead.example' } })).toBe(1);
  });

  test('while it answered anew keeps no lead: what was said had been heard before', async () => {
    const { id } = (await send(say('My email is once@dead.example'))).body;
    const lead = await gateway.database.lead.findFirstOrThrow({ where: { email: 'once@dead.example' } });
    await gateway.rest(world.home.editor, 'DELETE', `/rest/leads/${lead.id}`);
    world.scripted.held = true;
    const [asked] = await stored(id);
    const query = `mutation ($input: SendMessageInput!) { sendMessage(input: $input) { conversation { id } } }`;
    const input = { agentId: world.agent.id, conversationId: id, regenerate: asked?.id, idempotencyKey: 'anew' };
    const anew = gateway.graphql(world.home.app, query, { input });
    const call = await world.scripted.next();
    await die('anew');
    expect(await sweepTurns(gateway.services)).toBe(1);
    call.end();
    await anew;
    expect(await gateway.database.lead.count({ where: { email: 'once@dead.example' } })).toBe(0);
  });

  test('holds up neither the next message nor the last interaction of the month', async () => {
    const small = await makeWorkspace(gateway, 1);
    const { id: agentId } = await makeAgent(gateway, small.editor);
    const options = { viewer: small.app, agentId };
    world.scripted.held = true;
    const lost = send(say('Dies'), { ...options, key: 'last' });
    const call = await world.scripted.next();
    await die('last');
    world.scripted.held = false;
    // In another conversation, so that only the ceiling leads to the dead turn.
    expect((await send(say('Lives'), options)).status).toBe(200);
    expect((await send(say('Too much'), options)).body.code).toBe('usage_limit_exceeded');
    call.end();
    expect((await lost).status).toBe(503);
    expect(await usage(small.viewer)).toBe(1);
  });
});

describe('what is done behind an answer', () => {
  test('keeps no caller waiting, and the process waits for it', async () => {
    const { queue, turns } = gateway.services;
    const slow = Promise.withResolvers<void>();
    const given = vi.spyOn(queue, 'transact').mockImplementation(() => slow.promise as never);
    world.scripted.held = true;
    const answer = send(say('Long talk'));
    const full = { omitted: 1, history: 0 } as never;
    (await world.scripted.next()).end({ content: 'Noted', prompt: full });
    world.scripted.held = false;
    expect((await answer).body.messages[0].content).toBe('Noted');
    await expect.poll(() => given.mock.calls.length).toBe(1);
    let closed = false;
    const closing = turns.close(60_000).finally(() => {
      closed = true;
    });
    gateway.services.turns = createTurns(gateway.services);
    await send(say('Meanwhile'), { via: world.replica.fetch });
    expect(closed).toBe(false);
    slow.resolve();
    await closing;
    given.mockRestore();
  });

  test('includes what a model finds out of the visitor', async () => {
    const { id: agentId } = await makeAgent(gateway, world.home.editor, { purpose: 'leads' });
    const { turns, model } = gateway.services;
    const reading = Promise.withResolvers<Awaited<ReturnType<typeof model.extract>>>();
    gateway.services.model = { ...model, extract: () => reading.promise };
    const { body } = await send(say('I am Bia Reis'), { agentId });
    const closing = turns.close(60_000);
    gateway.services.turns = createTurns(gateway.services);
    gateway.services.model = model;
    const usage = { promptTokens: 1, completionTokens: 1, cachedTokens: 0 };
    const values = [{ field: 'name', value: 'Bia Reis', message: 0 }];
    reading.resolve({ values, usage, model: 'scripted', cost: null, attempts: [], ms: 1, error: null } as never);
    await closing;
    const where = { id: body.id };
    const conversation = await gateway.database.conversation.findFirst({ where, include: { lead: true } });
    expect(conversation?.lead?.name).toBe('Bia Reis');
  });
});

describe('one key on two replicas at once', () => {
  test('is answered once, though both streams had begun before either could start', async () => {
    const { id } = (await send(say('Start'))).body;
    world.scripted.held = true;
    const first = send(say('Slow', { id }));
    const call = await world.scripted.next();
    const options = { key: 'both', stream: true };
    const waiting = await Promise.all([
      post(say('Both', { id }), options),
      post(say('Both', { id }), { ...options, via: world.replica.fetch }),
    ]);
    world.scripted.held = false;
    call.end();
    await first;
    const [one, other] = await Promise.all(waiting.map((response) => readEvents(response).rest()));
    expect(textOf(one ?? [])).toBe('Answer to Both.');
    expect(other).toEqual(one);
    expect((await stored(id)).filter(({ content }) => content === 'Both')).toHaveLength(1);
  });
});

test('whoever names a conversation of another workspace is told at once that there is none', async () => {
  const { id } = (await send(say('Mine'))).body;
  world.scripted.held = true;
  const mine = send(say('Slow', { id }));
  const call = await world.scripted.next();
  const other = await makeWorkspace(gateway);
  const { id: agentId } = await makeAgent(gateway, other.editor);
  expect((await send(say('x', { id }), { viewer: other.app, agentId })).status).toBe(404);
  call.end();
  expect((await mine).status).toBe(200);
});
