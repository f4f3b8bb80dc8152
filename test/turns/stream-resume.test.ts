import { describe, expect, test } from 'vitest';
import { clearTurns } from '../../src/domain/turns/sweep.ts';
import { readEvents } from '../support/conversations/event-stream.ts';
import { isText, keyed, say, types, useStreaming } from '../support/conversations/streaming.ts';
import { makeAgent, makeWorkspace } from '../support/gateway/factories.ts';

const { world, begun, post, usage } = useStreaming();

describe.each([
  ['here', () => undefined],
  ['on another replica', () => world.replica.fetch],
])('a dropped stream is taken up %s', (place, via) => {
  test('while it runs, behind the last event, asked and counted once', async () => {
    const before = await usage();
    const asked = world.model.asked();
    const { call, events, last } = await begun(`Drop ${place}`);
    await events.leave();
    call.say(' two');
    const options = { headers: { 'last-event-id': last }, via: via() };
    const resumed = readEvents(await post(say(`Drop ${place}`), options));
    expect((await resumed.next())?.data.delta).toBe(' two');
    call.say(' three').end();
    const rest = await resumed.rest();
    expect(types(rest)).toEqual(['text-delta', 'text-end', 'finish', 'data-turn', '[DONE]']);
    expect(rest.at(-2)?.data.data.messages[0].content).toBe('One two three');
    expect([await usage(), world.model.asked()]).toEqual([before + 1, asked + 1]);
  });

  test('after its end, in the middle and behind the last event', async () => {
    const { call, events, first, last } = await begun(`End ${place}`);
    call.say(' two').end();
    const rest = await events.rest();
    const at = (after: string | undefined) =>
      post(say(`End ${place}`), { headers: { 'last-event-id': after ?? '' }, via: via() });
    expect(await readEvents(await at(last)).rest()).toEqual(rest);
    expect(await readEvents(await at(first[0]?.id)).rest()).toEqual([...first.slice(1), ...rest]);
    expect(await readEvents(await at(rest.at(-2)?.id)).rest()).toEqual([{ id: undefined, data: '[DONE]' }]);
  });

  test('by its key alone, from its start', async () => {
    const before = await usage();
    const { call, events, first } = await begun(`Key ${place}`, keyed(`key ${place}`));
    await events.leave();
    const joined = readEvents(await post(say(`Key ${place}`), { ...keyed(`key ${place}`), via: via() }));
    expect(await joined.until(isText)).toEqual(first);
    call.end();
    const rest = await joined.rest();
    const later = await post(say(`Key ${place}`), { ...keyed(`key ${place}`), via: via() });
    expect(await readEvents(later).rest()).toEqual([...first, ...rest]);
    expect(await usage()).toBe(before + 1);
  });
});

describe('Last-Event-ID', () => {
  test('of another request, of none, or not an id is refused', async () => {
    const { call, events, last } = await begun('Mine');
    call.end();
    await events.rest();
    const at = async (after: string, body = say('Mine'), viewer = world.home.app, agentId = world.agent.id) => {
      const response = await post(body, { headers: { 'last-event-id': after }, viewer, agentId });
      return [response.status, ((await response.json()) as { message: string }).message];
    };
    expect(await at(last, say('Other'))).toEqual([400, expect.stringMatching(/^Last-Event-ID: /)]);
    expect(await at('12')).toEqual([400, expect.stringMatching(/^Last-Event-ID: /)]);
    expect((await at('msg_00000000000000000000000000.1'))[0]).toBe(404);
    const other = await makeWorkspace(world.gateway);
    const theirs = await makeAgent(world.gateway, other.editor);
    expect((await at(last, say('Mine'), other.app, theirs.id))[0]).toBe(404);
  });

  test('is of no use when an hour has passed, and the key still is', async () => {
    const { call, events, last } = await begun('Old', keyed('old'));
    call.end();
    const rest = await events.rest();
    await world.gateway.database.turn.updateMany({ data: { streamUntil: new Date(0) } });
    expect((await post(say('Old'), { headers: { 'last-event-id': last } })).status).toBe(404);
    const again = await readEvents(await post(say('Old'), keyed('old', last))).rest();
    expect(types(again)).toEqual([
      'start',
      'start-step',
      'text-start',
      'text-delta',
      'text-end',
      'finish',
      'data-turn',
      '[DONE]',
    ]);
    expect(again.at(-2)?.data).toEqual(rest.at(-2)?.data);
    await clearTurns(world.gateway.services);
    expect(await world.gateway.database.turnBatch.count()).toBe(0);
  });
});
