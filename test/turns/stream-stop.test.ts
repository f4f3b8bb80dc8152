import { describe, expect, test } from 'vitest';
import { killTurn } from '../support/conversations/dead-turn.ts';
import { readEvents, textOf } from '../support/conversations/event-stream.ts';
import { isText, keyed, say, types, useStreaming } from '../support/conversations/streaming.ts';
import type { Gateway } from '../support/gateway/app.ts';
import { makeWorkspace } from '../support/gateway/factories.ts';

type Fetch = Gateway['app']['request'];

const { world, begun, post, replies, usage } = useStreaming();

describe('a caller that leaves', () => {
  test('does not stop the turn', async () => {
    const { call, events, conversationId } = await begun('Leave');
    await events.leave();
    call.say(' two').end();
    await expect.poll(async () => (await replies(conversationId))[0]?.content).toBe('One two');
  });
});

describe('stopTurn', () => {
  const stop = `mutation ($id: ID!) { stopTurn(input: { conversationId: $id }) { conversation { id } } }`;
  const stopAt = async (via: Fetch, id: string, viewer = world.home.app) => {
    const response = await via('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${await world.gateway.bearer(viewer)}` },
      body: JSON.stringify({ query: stop, variables: { id } }),
    });
    return (await response.json()) as { data?: unknown; errors?: { extensions: { code: string } }[] };
  };

  test.each([
    ['here', () => world.gateway.app.request],
    ['on another replica', () => world.replica.fetch],
  ])('%s keeps what was said so far', async (place, via) => {
    const before = await usage();
    const { call, events, conversationId } = await begun(`Stop ${place}`);
    call.say(' two');
    await events.until(isText);
    expect((await stopAt(via(), conversationId)).errors).toBeUndefined();
    const rest = await events.rest();
    expect(types(rest)).toEqual(['text-end', 'finish', 'data-turn', '[DONE]']);
    expect(rest.at(-2)?.data.data.messages[0]).toMatchObject({ content: 'One two', metadata: { stopped: true } });
    await call.closed;
    expect(await usage()).toBe(before + 1);
    const next = post(say('And now?', { id: conversationId }));
    (await world.model.next()).say('Now this.').end();
    expect(textOf(await readEvents(await next).rest())).toBe('Now this.');
  });

  test('before the first word keeps an empty reply, and costs nothing', async () => {
    const before = await usage();
    const response = post(say('Stop at once'));
    await world.model.next();
    const events = readEvents(await response);
    const [start] = await events.until(({ data }) => data.type === 'start-step');
    await stopAt(world.gateway.app.request, start?.data.messageMetadata.conversationId);
    const rest = await events.rest();
    expect(types(rest)).toEqual(['finish', 'data-turn', '[DONE]']);
    expect(rest[1]?.data.data.messages[0]).toMatchObject({ content: '', metadata: { stopped: true } });
    expect(await usage()).toBe(before);
  });

  test('without a reply under way does nothing; of another workspace, finds nothing', async () => {
    const { call, events, conversationId } = await begun('Done');
    call.end();
    await events.rest();
    expect((await stopAt(world.gateway.app.request, conversationId)).data).toEqual({
      stopTurn: { conversation: { id: conversationId } },
    });
    const other = await makeWorkspace(world.gateway);
    const answer = await stopAt(world.gateway.app.request, conversationId, other.app);
    expect(answer.errors?.[0]?.extensions.code).toBe('not_found');
  });
});

describe('a process that dies in the middle', () => {
  const kill = async (key: string) => {
    const { turnId } = await world.gateway.database.idempotency.findFirstOrThrow({ where: { key } });
    const dead = turnId ?? '';
    await killTurn(world.gateway, dead);
    return dead;
  };

  test('leaves a stream that ends, and a key that answers at once, counted once', async () => {
    const before = await usage();
    const { call, events, conversationId, last } = await begun('Die', keyed('die'));
    await events.leave();
    // Ages the row as fifteen seconds after a kill.
    const dead = await kill('die');
    expect(world.gateway.services.turns.find(dead)).toBeDefined();
    const resumed = await readEvents(
      await post(say('Die'), { ...keyed('die', last), via: world.replica.fetch }),
    ).rest();
    expect(types(resumed)).toEqual(['error', '[DONE]']);
    expect(resumed[0]?.data.code).toBe('unavailable');
    expect(await usage()).toBe(before);
    const retry = post(say('Die'), { ...keyed('die', resumed[0]?.id), via: world.replica.fetch });
    (await world.model.next()).say('Alive').end();
    expect(textOf(await readEvents(await retry).rest())).toBe('Alive');
    // The process that was taken for dead must not answer a second time.
    call.say(' more').end();
    await call.closed;
    await expect.poll(() => world.gateway.services.turns.find(dead)).toBeUndefined();
    expect((await replies(conversationId)).map(({ content }) => content)).toEqual(['Alive']);
    expect(await usage()).toBe(before + 1);
  });

  test('gives the conversation to the next message, and the key to a retry that wants JSON', async () => {
    const { call, conversationId } = await begun('Die once', keyed('die once'));
    await kill('die once');
    const next = post(say('Next', { id: conversationId }), { via: world.replica.fetch });
    (await world.model.next()).say('Answered').end();
    expect(textOf(await readEvents(await next).rest())).toBe('Answered');
    call.end();
    await call.closed;

    const second = await begun('Die twice', keyed('die twice'));
    const retry = () =>
      world.gateway.rest(world.home.app, 'POST', `/api/${world.agent.id}`, say('Die twice'), {
        'idempotency-key': 'die twice',
      });
    expect((await retry()).body.code).toBe('request_in_progress');
    await kill('die twice');
    const retried = retry();
    (await world.model.next()).say('Whole').end();
    expect((await retried).body.messages[0].content).toBe('Whole');
    second.call.end();
    await second.call.closed;
    expect((await replies(second.conversationId)).map(({ content }) => content)).toEqual(['Whole']);
  });
});
