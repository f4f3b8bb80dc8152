import { beforeAll, describe, expect, test } from 'vitest';
import { mutation, openWidgets, type Widget } from '../support/browser/widget.ts';
import { readEvents } from '../support/conversations/event-stream.ts';
import { expectFailure } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

let world: Awaited<ReturnType<typeof openWidgets>>;
let home: TestWorkspace;
let widget: Widget;
beforeAll(async () => {
  world = await openWidgets();
  ({ home } = world);
  widget = await world.make();
  return () => world.gateway.close();
});

const begin = async () =>
  (await world.gateway.rest(home.app, 'POST', `/api/${widget.agentId}`, { message: { content: 'Hi' } })).body
    .id as string;
const fields = 'conversation { satisfaction satisfactionComment satisfactionAt }';
const say = (input: object, viewer = home.editor) =>
  world.gateway.graphql(viewer, mutation('setSatisfaction', fields), { input });
const said = async (input: object) => (await say(input)).data?.setSatisfaction.conversation;
const resolve = (id: string) =>
  world.gateway.data(home.editor, mutation('updateConversation', 'conversation { id }'), {
    input: { id, status: 'resolved' },
  });
/** Lets more than a day go by since the answer. */
const nextDay = (id: string) =>
  world.gateway.database.conversation.updateMany({
    where: { id },
    data: { satisfactionAt: new Date(Date.now() - 25 * 3_600_000) },
  });

describe('the satisfaction with a conversation', () => {
  test('is stored with a reason, and changed within a day of the first answer', async () => {
    const id = await begin();
    const first = await said({ id, satisfaction: 2, comment: 'Too slow.' });
    expect(first).toEqual({ satisfaction: 2, satisfactionComment: 'Too slow.', satisfactionAt: expect.any(String) });
    expect(await said({ id, satisfaction: 5 })).toEqual({ ...first, satisfaction: 5 });
    expect(await said({ id, satisfaction: 4, comment: null })).toEqual({
      ...first,
      satisfaction: 4,
      satisfactionComment: null,
    });
    await nextDay(id);
    expectFailure(await say({ id, satisfaction: 1 }), 'conflict', /more than a day ago/);
  });

  test.each([0, 6, -1])('is from 1 to 5, not %d', async (satisfaction) => {
    const id = await begin();
    expectFailure(await say({ id, satisfaction }), 'invalid_request', /satisfaction: must be between 1 and 5/);
    expectFailure(await say({ id, satisfaction: 3, comment: 'x'.repeat(2_001) }), 'invalid_request', /comment/);
  });

  test('is set by whoever may change conversations, of their own workspace', async () => {
    const id = await begin();
    expectFailure(await say({ id, satisfaction: 3 }, home.viewer), 'forbidden');
    expectFailure(await say({ id, satisfaction: 3 }, (await makeWorkspace(world.gateway)).editor), 'not_found');
    expectFailure(await say({ id: 'cnv_none', satisfaction: 3 }), 'not_found');
  });

  test('is averaged, counted and filtered by agent', async () => {
    const other = await makeWorkspace(world.gateway);
    const { agentId } = await world.make({}, other);
    for (const satisfaction of [1, 4, 4, null]) {
      const { body } = await world.gateway.rest(other.app, 'POST', `/api/${agentId}`, { message: { content: 'Hi' } });
      if (satisfaction) await say({ id: body.id, satisfaction }, other.editor);
    }
    const document = `{
      conversations(filter: { satisfaction: { gte: 4 } }) {
        totalCount groups { nodes { by { agent { id } } count avg { satisfaction } } }
      }
      all: conversations { groups(orderBy: { field: count, direction: desc }) { nodes { by { satisfaction } count } } }
    }`;
    const { conversations, all } = await world.gateway.data(other.viewer, document);
    expect(conversations).toEqual({
      totalCount: 2,
      groups: { nodes: [{ by: { agent: { id: agentId } }, count: 2, avg: { satisfaction: 4 } }] },
    });
    expect(all.groups.nodes[0]).toEqual({ by: { satisfaction: 4 }, count: 2 });
    expect(all.groups.nodes).toContainEqual({ by: { satisfaction: null }, count: 1 });
  });
});

describe('a visitor of the widget', () => {
  async function chat(bearer: string, content: string): Promise<string> {
    const events = await readEvents(await world.ask(bearer, { content })).rest();
    const turn = events.at(-2)?.data.data as { id: string } | undefined;
    return turn?.id ?? '';
  }
  const answer = (bearer: string, body: object) => world.call('POST', '/widget/satisfaction', { bearer, body });
  const shown = async (bearer: string, id: string) => {
    const response = await world.call('GET', `/widget/conversation?id=${id}`, { bearer });
    const { conversation } = (await response.json()) as { conversation: Record<string, unknown> };
    return [conversation.asksSatisfaction, conversation.satisfaction];
  };

  test('is asked once their conversation is resolved, and for a day may change the answer', async () => {
    const { token } = await world.enter(widget);
    const conversationId = await chat(token, 'Hello');
    expect(await shown(token, conversationId)).toEqual([false, null]);
    expect((await answer(token, { conversationId, satisfaction: 3 })).status).toBe(409);
    await resolve(conversationId);
    expect(await shown(token, conversationId)).toEqual([true, null]);
    expect((await answer(token, { conversationId, satisfaction: 3, comment: 'Fine' })).status).toBe(204);
    expect((await answer(token, { conversationId, satisfaction: 4 })).status).toBe(204);
    expect(await shown(token, conversationId)).toEqual([true, 4]);
    await nextDay(conversationId);
    expect(await shown(token, conversationId)).toEqual([false, 4]);
    expect((await answer(token, { conversationId, satisfaction: 1 })).status).toBe(409);
    const row = await world.gateway.database.conversation.findFirstOrThrow({ where: { id: conversationId } });
    expect(row).toMatchObject({ satisfaction: 4, satisfactionComment: 'Fine' });
  });

  test('answers for no conversation of others, and needs a token and a score', async () => {
    const [one, two] = [await world.enter(widget), await world.enter(widget)];
    const conversationId = await chat(one.token, 'Mine');
    await resolve(conversationId);
    expect((await answer(two.token, { conversationId, satisfaction: 1 })).status).toBe(404);
    expect((await answer('', { conversationId, satisfaction: 1 })).status).toBe(401);
    for (const satisfaction of [0, 6, 2.5, '3', null, undefined])
      expect((await answer(one.token, { conversationId, satisfaction })).status).toBe(400);
    expect(await shown(one.token, conversationId)).toEqual([true, null]);
  });
});
