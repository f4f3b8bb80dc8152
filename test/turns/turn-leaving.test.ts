import { describe, expect, test } from 'vitest';
import type { Services } from '../../src/context.ts';
import { createTurns } from '../../src/domain/turns/running.ts';
import { readEvents } from '../support/conversations/event-stream.ts';
import { useLedger } from '../support/conversations/ledger.ts';
import { say } from '../support/conversations/streaming.ts';

const { gateway, world, post, send, usage, stored, turnOf } = useLedger();

test('a stream is repeated byte for byte, but for its pings', async () => {
  const textOf = async (response: Promise<Response>) => (await (await response).text()).replaceAll(': ping\n\n', '');
  world.scripted.held = true;
  const options = { key: 'bytes', stream: true };
  const first = post(say('Byte for byte'), options);
  const call = await world.scripted.next();
  call.say('One ');
  call.say('two.');
  const reference = { passageId: 'psg_1', sourceId: 'src_1', baseId: 'bas_1', quote: 'two' };
  call.end({ references: [reference] });
  const text = await textOf(first);
  expect(text).toContain('"references":[{"passageId":"psg_1"');
  expect(await textOf(post(say('Byte for byte'), options))).toBe(text);
  expect(await textOf(post(say('Byte for byte'), { ...options, via: world.replica.fetch }))).toBe(text);
  // Of an expired stream, the text is one event.
  const { id, workspaceId } = await turnOf('bytes');
  const where = { workspaceId_id: { workspaceId, id } };
  await gateway.database.turn.update({ where, data: { streamUntil: new Date(0) } });
  const later = await textOf(post(say('Byte for byte'), options));
  const ends = [text, later].map((all) => all.split('\n').filter((line) => /"type":"(finish|data-turn)"/.test(line)));
  expect(ends[0]).toHaveLength(2);
  expect(ends[1]).toEqual(ends[0]);
});

describe('a process that leaves', () => {
  const leaving = (): Services => {
    const services = { ...gateway.services };
    gateway.services.turns = createTurns(gateway.services);
    return services;
  };

  test('waits for turns that nobody reads', async () => {
    world.scripted.held = true;
    const events = readEvents(await post(say('Leave'), { key: 'unread', stream: true }));
    const call = await world.scripted.next();
    await events.leave();
    const left = leaving().turns.close(60_000);
    call.say('All of it');
    call.end();
    await left;
    expect(await turnOf('unread')).toMatchObject({ state: 'answered' });
  });

  test('gives back what it cannot finish, so that another goes on at once', async () => {
    const before = await usage();
    world.scripted.held = true;
    const answer = send(say('Too long'), { key: 'long' });
    await world.scripted.next();
    const { turns } = leaving();
    await turns.close(10);
    expect((await answer).body.code).toBe('unavailable');
    expect(await usage()).toBe(before);
    world.scripted.held = false;
    const { status } = await send(say('Too long'), { key: 'long', via: world.replica.fetch });
    expect([status, await usage()]).toEqual([200, before + 1]);
  });

  test('tells a caller without a key how to get the reply to what is stored', async () => {
    const { id } = (await send(say('Start'))).body;
    world.scripted.held = true;
    const answer = send(say('Without a key', { id }));
    await world.scripted.next();
    await leaving().turns.close(10);
    const { status, body } = await answer;
    expect([status, body.message]).toEqual([503, expect.stringContaining('Without a key, it would store them twice')]);
    world.scripted.held = false;
    const input = { agentId: world.agent.id, conversationId: id, regenerate: 'last' };
    const query = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { messages { content } } }';
    const { sendMessage } = await gateway.data(world.home.app, query, { input });
    expect(sendMessage.messages).toEqual([{ content: 'Answer to Without a key.' }]);
    expect((await stored(id)).filter(({ content }) => content === 'Without a key')).toHaveLength(1);
  });

  test('says so where it has not begun', async () => {
    const { id } = (await send(say('Start'))).body;
    world.scripted.held = true;
    const first = send(say('First', { id }));
    await world.scripted.next();
    // The other replica’s turn waits until the first one has ended.
    const { services } = world.replica;
    const waiting = send(say('Second', { id }), { via: world.replica.fetch });
    await services.turns.close(10);
    const { status, body } = await waiting;
    expect([status, body.message]).toEqual([503, expect.stringContaining('has not begun this request')]);
    expect((await send(say('Third', { id }), { via: world.replica.fetch })).body).toEqual(body);
    services.turns = createTurns(services);
    await leaving().turns.close(10);
    expect((await first).status).toBe(503);
    expect((await stored(id)).map(({ content }) => content)).toEqual(['Start', 'Answer to Start.', 'First']);
  });
});
