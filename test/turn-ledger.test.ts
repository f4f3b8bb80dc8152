import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Viewer } from '../src/context.ts';
import { createTurns } from '../src/domain/turn-running.ts';
import { sweepTurns } from '../src/domain/turn-sweep.ts';
import type { Services } from '../src/services.ts';
import { useGateway } from './app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from './factories.ts';
import { readEvents, textOf } from './support/event-stream.ts';
import { createPuppet } from './support/puppet-model.ts';
import { openReplica, type Replica, say } from './support/streaming.ts';

const gateway = useGateway({ STREAM_PING_MS: '50' });
let replica: Replica;
let puppet: ReturnType<typeof createPuppet>;
let home: TestWorkspace;
let agent: { id: string };

beforeAll(async () => {
  puppet = createPuppet(gateway.services.model);
  gateway.services.model = puppet.service;
  replica = await openReplica(gateway);
  home = await makeWorkspace(gateway);
  agent = await makeAgent(gateway, home.editor);
  return () => replica.close();
});
beforeEach(() => {
  puppet.held = false;
});

type Options = { key?: string; viewer?: Viewer; agentId?: string; stream?: boolean; via?: typeof gateway.app.request };
async function post(body: object, { key, viewer = home.app, agentId = agent.id, stream, via }: Options = {}) {
  return (via ?? gateway.app.request)(`/api/${agentId}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${await gateway.bearer(viewer)}`,
      ...(key && { 'idempotency-key': key }),
      ...(stream && { accept: 'text/event-stream' }),
    },
    body: JSON.stringify(body),
  });
}
async function send(body: object, options: Options = {}) {
  const response = await post(body, options);
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the test expects
  return { status: response.status, body: (await response.json()) as any };
}
const usage = async (viewer = home.viewer) =>
  (await gateway.rest(viewer, 'GET', '/rest/interactions')).body.current as number;
const stored = (conversationId: string) =>
  gateway.database.message.findMany({ where: { conversationId }, orderBy: { position: 'asc' } });
const turnOf = (key: string) =>
  gateway.database.turn.findFirstOrThrow({ where: { key }, orderBy: { attempt: 'desc' } });
/** From now on the row says what it would say fifteen seconds after its process was killed. */
const die = (key: string) =>
  gateway.database.turn.updateMany({ where: { key, state: 'open' }, data: { aliveUntil: new Date(0) } });

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
          ...(index % 2 && { via: replica.fetch }),
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
  const turns = createTurns();
  const order: number[] = [];
  const leave = await turns.enter('a', 1_000);
  const waiting = [1, 2, 3].map(async (number) => {
    const leaveToo = await turns.enter('a', number === 2 ? 10 : 1_000);
    order.push(number);
    leaveToo();
  });
  await expect(waiting[1]).rejects.toMatchObject({ code: 'conversation_busy' });
  (await turns.enter('b', 1_000))();
  leave();
  await Promise.all([waiting[0], waiting[2]]);
  expect(order).toEqual([1, 3]);
});

describe('a reply that is not streamed', () => {
  test('and is stopped is answered and kept as far as it was said', async () => {
    puppet.held = true;
    const answer = send(say('Stop me'), { key: 'stop' });
    const call = await puppet.next();
    call.say('One');
    const { conversationId } = await turnOf('stop');
    await gateway.data(
      home.app,
      `mutation { stopTurn(input: { conversationId: "${conversationId}" }) { conversation { id } } }`,
    );
    const { status, body } = await answer;
    expect([status, body.messages[0]]).toMatchObject([200, { content: 'One', metadata: { stopped: true } }]);
    expect((await turnOf('stop')).state).toBe('stopped');
    expect((await send(say('Stop me'), { key: 'stop' })).body).toEqual(body);
  });

  test('is joined by a repetition that wants a stream, on any replica', async () => {
    puppet.held = true;
    const answer = send(say('Join me'), { key: 'join' });
    const call = await puppet.next();
    expect((await send(say('Join me'), { key: 'join', via: replica.fetch })).body.code).toBe('request_in_progress');
    const joined = readEvents(await post(say('Join me'), { key: 'join', stream: true, via: replica.fetch }));
    call.say('Whole');
    call.end();
    const events = await joined.rest();
    expect(textOf(events)).toBe('Whole');
    expect(events.at(-2)?.data.data).toEqual((await answer).body);
  });
});

describe('a try that failed', () => {
  test('is tried again for what it was asked, whatever was said since', async () => {
    puppet.held = true;
    const failed = send(say('First'), { key: 'again' });
    (await puppet.next()).fail();
    expect((await failed).body.code).toBe('model_error');
    puppet.held = false;
    const { conversationId: id } = await turnOf('again');
    await send(say('Second', { id }));
    expect((await send(say('First'), { key: 'again' })).body.messages[0].content).toBe('Answer to First.');
    expect((await stored(id)).map(({ content }) => content)).toEqual([
      'First',
      'Second',
      'Answer to Second.',
      'Answer to First.',
    ]);
    expect(await turnOf('again')).toMatchObject({ state: 'answered', attempt: 2 });
  });

  test('gives back the interaction, also when its conversation is removed meanwhile', async () => {
    const before = await usage();
    puppet.held = true;
    const answer = send(say('Remove me'), { key: 'removed' });
    const call = await puppet.next();
    expect(await usage()).toBe(before + 1);
    const { conversationId } = await turnOf('removed');
    await gateway.data(
      home.owner,
      `mutation { deleteConversation(input: { id: "${conversationId}" }) { conversation { id } } }`,
    );
    call.end();
    expect((await answer).status).toBe(503);
    expect(await usage()).toBe(before);
  });
});

describe('a turn whose process died', () => {
  test('is ended once, however many sweep, and its caller gets one answer', async () => {
    const before = await usage();
    puppet.held = true;
    const said = say('My name is Ana Lima, my email is ana.lima@dead.example', { utm: { source: 'mail' } });
    const lost = send(said, { key: 'dead' });
    const call = await puppet.next();
    await die('dead');
    const counts = await Promise.all(
      Array.from({ length: 16 }, (_, index) => sweepTurns(index % 2 ? replica.services : gateway.services)),
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
    puppet.held = false;
    const { body } = await send(said, { key: 'dead', via: replica.fetch });
    // The one that was taken for dead comes late.
    call.say('Late');
    call.end();
    expect((await lost).status).toBe(503);
    expect((await send(said, { key: 'dead' })).body).toEqual(body);
    expect((await stored(dead.conversationId)).map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(await usage()).toBe(before + 1);
    expect(await gateway.database.lead.count({ where: { email: 'ana.lima@dead.example' } })).toBe(1);
  });

  test('holds up neither the next message nor the last interaction of the month', async () => {
    const small = await makeWorkspace(gateway, 1);
    const { id: agentId } = await makeAgent(gateway, small.editor);
    const options = { viewer: small.app, agentId };
    puppet.held = true;
    const lost = send(say('Dies'), { ...options, key: 'last' });
    const call = await puppet.next();
    await die('last');
    puppet.held = false;
    // Of another conversation, so that nothing but the ceiling leads to the dead one.
    expect((await send(say('Lives'), options)).status).toBe(200);
    expect((await send(say('Too much'), options)).body.code).toBe('usage_limit_exceeded');
    call.end();
    expect((await lost).status).toBe(503);
    expect(await usage(small.viewer)).toBe(1);
  });
});

test('a reply is not lost when the database cannot be reached for a moment', async () => {
  puppet.held = true;
  const answer = send(say('Blip'), { key: 'blip' });
  const call = await puppet.next();
  const gone = Object.assign(new Error('Timed out fetching a new connection'), { code: 'P2024' });
  const blip = vi.spyOn(gateway.database, '$transaction').mockRejectedValueOnce(gone);
  call.say('Kept');
  call.end();
  expect((await answer).body.messages[0].content).toBe('Kept');
  expect(blip).toHaveBeenCalledTimes(2);
  blip.mockRestore();
});

describe('a process that leaves', () => {
  const leaving = (): Services => {
    const services = { ...gateway.services };
    gateway.services.turns = createTurns();
    return services;
  };

  test('waits for turns that nobody reads', async () => {
    puppet.held = true;
    const events = readEvents(await post(say('Leave'), { key: 'unread', stream: true }));
    const call = await puppet.next();
    await events.leave();
    const left = leaving().turns.close(5_000);
    call.say('All of it');
    call.end();
    await left;
    expect(await turnOf('unread')).toMatchObject({ state: 'answered' });
  });

  test('gives back what it cannot finish, so that another goes on at once', async () => {
    const before = await usage();
    puppet.held = true;
    const answer = send(say('Too long'), { key: 'long' });
    await puppet.next();
    const { turns } = leaving();
    await turns.close(10);
    expect((await answer).body.code).toBe('unavailable');
    expect(await usage()).toBe(before);
    puppet.held = false;
    const { status } = await send(say('Too long'), { key: 'long', via: replica.fetch });
    expect([status, await usage()]).toEqual([200, before + 1]);
  });
});
