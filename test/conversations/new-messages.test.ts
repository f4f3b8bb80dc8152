import { beforeAll, describe, expect, test } from 'vitest';
import type { Viewer } from '../../src/core/viewer.ts';
import { readEvents, type SseEvent } from '../support/conversations/event-stream.ts';
import { useLedger } from '../support/conversations/ledger.ts';
import { say } from '../support/conversations/streaming.ts';
import { expectFailure } from '../support/gateway/app.ts';
import { makeWorkspace } from '../support/gateway/factories.ts';

const { gateway, world, send, ask } = useLedger();

const listening = `subscription ($id: ID!, $after: Int) {
  newMessages(conversationId: $id, after: $after) { id position role content createdBy }
}`;
const writing = `mutation ($input: SendAsPersonInput!) { sendAsPerson(input: $input) { message { id } } }`;
let authorization: string;
beforeAll(async () => {
  authorization = `Bearer ${await gateway.bearer(world.home.viewer)}`;
});

/** Subscribes on a replica; messages are sent through this gateway. */
async function listen(id: string, after?: number, via = world.replica.fetch) {
  const response = await via('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', authorization },
    body: JSON.stringify({ query: listening, variables: { id, after } }),
  });
  const events = readEvents(response);
  return { events, next: async () => messageOf(await events.next()) };
}
const messageOf = (event: SseEvent | null | undefined) => event?.data.data.newMessages;
const begin = async (content = 'Hello') => (await send(say(content))).body.id as string;
const sendAsPerson = (id: string, content: string, viewer: Viewer = world.home.editor) =>
  gateway.data(viewer, writing, { input: { conversationId: id, content } });

describe('newMessages tells on any replica', () => {
  test('the last message, and what visitor, agent and persons say from then on, in order', async () => {
    const id = await begin();
    const { next, events } = await listen(id);
    expect(await next()).toMatchObject({ position: 1, content: 'Answer to Hello.' });
    await send(say('And?', { id }));
    expect(await next()).toMatchObject({ position: 2, role: 'user', content: 'And?' });
    expect(await next()).toMatchObject({ position: 3, role: 'assistant', content: 'Answer to And?.' });
    await sendAsPerson(id, 'This is Eva.');
    expect(await next()).toMatchObject({
      position: 4,
      role: 'assistant',
      content: 'This is Eva.',
      createdBy: world.home.editor.userId,
    });
    await events.leave();
  });

  test('all behind a known place, and nothing twice', async () => {
    const id = await begin();
    await send(say('Two', { id }));
    const { next, events } = await listen(id, 0, gateway.app.request);
    expect([(await next()).position, (await next()).position, (await next()).position]).toEqual([1, 2, 3]);
    await sendAsPerson(id, 'Eva');
    expect((await next()).position).toBe(4);
    await events.leave();
  });

  test('a reply that was made anew, in the place of the older one', async () => {
    const id = await begin();
    const { next, events } = await listen(id);
    const old = await next();
    const input = { agentId: world.agent.id, conversationId: id, regenerate: old.id };
    const query = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { messages { id } } }';
    const made = (await ask(world.home.app, query, { input })).data.sendMessage.messages[0].id;
    expect(await next()).toMatchObject({ id: made, position: 1 });
    expect(made).not.toBe(old.id);
    await events.leave();
  });

  test('until the conversation is removed, or the gateway leaves', async () => {
    const id = await begin();
    const { next, events } = await listen(id);
    await next();
    await gateway.database.conversation.deleteMany({ where: { id } });
    expect((await events.rest()).length).toBeLessThanOrEqual(1);
    const other = await begin();
    const listener = await listen(other);
    await listener.next();
    world.replica.services.messageWatch.close();
    expect((await listener.events.rest()).length).toBeLessThanOrEqual(1);
  });

  test('nobody of another workspace, and no place that is none', async () => {
    const stranger = await makeWorkspace(gateway);
    const id = await begin();
    const query = listening;
    const ofStranger = async (viewer: Viewer, variables: object) => {
      const response = await gateway.app.request('/graphql', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'text/event-stream',
          authorization: `Bearer ${await gateway.bearer(viewer)}`,
        },
        body: JSON.stringify({ query, variables }),
      });
      const [event] = await readEvents(response).rest();
      return event?.data;
    };
    expectFailure(await ofStranger(stranger.owner, { id }), 'not_found');
    expectFailure(await ofStranger(world.home.viewer, { id, after: -2 }), 'invalid_request', /after/);
  });
});
