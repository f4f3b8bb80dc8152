import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Entered, mutation, openWidgets, shop, type Widget } from '../support/browser/widget.ts';
import { readEvents, textOf } from '../support/conversations/event-stream.ts';
import { makeWorkspace } from '../support/gateway/factories.ts';

let world: Awaited<ReturnType<typeof openWidgets>>;
let widget: Widget;
beforeAll(async () => {
  world = await openWidgets();
  widget = await world.make({
    agent: { name: 'Ana', welcome: 'Olá!', off: 'We sleep.', left: true, color: '#0f766e' },
  });
});
afterAll(() => world.gateway.close());

/** Sends a message and reads the whole answer. */
async function chat(bearer: string, content: string, conversationId?: string) {
  const response = await world.ask(bearer, { content, conversationId });
  expect(response.status).toBe(200);
  const events = await readEvents(response).rest();
  return { events, turn: events.at(-2)?.data.data as { id: string; messages: { id: string; content: string }[] } };
}
const failure = async (response: Response) => ({ status: response.status, ...((await response.json()) as object) });

describe('a visitor', () => {
  test('is let in with the public face of the agent, and chats', async () => {
    const entered = await world.enter(widget);
    expect(entered).toEqual({
      token: expect.any(String),
      expiresIn: 900,
      secret: expect.stringMatching(/^[\w-]{43}$/),
      agent: {
        name: 'Ana',
        avatar: null,
        color: '#0f766e',
        welcome: 'Olá!',
        off: 'We sleep.',
        left: true,
        references: true,
        paused: false,
      },
      // The embedded model reads text only.
      attachable: { types: [], count: 5, bytes: 10_000_000 },
      form: [],
      greetings: [],
      conversation: null,
    });
    const { events, turn } = await chat(entered.token, 'Hi');
    expect(textOf(events)).toBe('Answer to Hi.');
    expect(turn).toMatchObject({ status: 'active', messages: [{ role: 'assistant', content: 'Answer to Hi.' }] });
    const { turn: next } = await chat(entered.token, 'And then?', turn.id);
    expect(next.id).toBe(turn.id);
    const conversation = await world.gateway.database.conversation.findFirstOrThrow({ where: { id: turn.id } });
    expect(conversation).toMatchObject({ channelId: widget.channelId, platform: 'widget', messageCount: 4 });
    expect(conversation.platformUserIdentifier).not.toContain(entered.secret);
  });

  test('finds its conversation again by its secret, and another visitor does not', async () => {
    const first = await world.enter(widget);
    const { turn } = await chat(first.token, 'Remember me');
    const again = await world.enter(widget, first.secret);
    expect(again.conversation).toMatchObject({ id: turn.id, messages: [{ content: 'Remember me' }, turn.messages[0]] });
    expect((await world.enter(widget)).conversation).toBeNull();
  });

  test('is told neither what the model was given nor which tools it called', async () => {
    const { token } = await world.enter(widget);
    world.scripted.held = true;
    const asking = world.ask(token, { content: 'Secrets?' });
    const call = await world.scripted.next();
    world.scripted.held = false;
    call.say('No.');
    const toolCall = { id: 'call_1', name: 'internal_tool', arguments: { password: 'x' } };
    const reference = { sourceId: 'src_1', passageId: 'psg_1', quote: 'The very words.' };
    call.end({
      references: [reference] as never,
      steps: [
        { content: null, toolCalls: [toolCall], results: [{ toolCallId: 'call_1', content: 'internal' }] },
      ] as never,
    });
    const events = await readEvents(await asking).rest();
    const text = JSON.stringify(events);
    expect(text).toContain('The very words.');
    for (const inner of ['internal', 'password', 'src_1', 'psg_1', 'scripted', 'promptTokens', 'lead']) {
      expect(text).not.toContain(inner);
    }
    const { conversation } = (await (await world.call('GET', '/widget/conversation', { bearer: token })).json()) as {
      conversation: { messages: object[] };
    };
    expect(conversation.messages.at(-1)).toMatchObject({
      references: [{ title: null, url: null, quote: 'The very words.', page: null }],
    });
  });

  test('asks again by the same key and gets the same answer; the key of another visitor is another', async () => {
    const [one, two] = [await world.enter(widget), await world.enter(widget)];
    const key = { 'idempotency-key': 'same' };
    const idOf = async (token: string) => {
      const events = await readEvents(await world.ask(token, { content: 'Once' }, key)).rest();
      return events[0]?.data.messageId as string;
    };
    const id = await idOf(one.token);
    expect(await idOf(one.token)).toBe(id);
    expect(await idOf(two.token)).not.toBe(id);
  });

  test('takes up a stream behind the event it has read, which no other visitor can', async () => {
    const [one, two] = [await world.enter(widget), await world.enter(widget)];
    const events = await readEvents(await world.ask(one.token, { content: 'Drop' })).rest();
    const after = { 'last-event-id': events[1]?.id ?? '' };
    const resumed = await readEvents(await world.ask(one.token, { content: 'Drop' }, after)).rest();
    expect(resumed).toEqual(events.slice(2));
    expect((await world.ask(two.token, { content: 'Drop' }, after)).status).toBe(400);
  });

  test('stops an answer of its own', async () => {
    const { token } = await world.enter(widget);
    world.scripted.held = true;
    const asking = world.ask(token, { content: 'Long?' });
    const call = await world.scripted.next();
    world.scripted.held = false;
    call.say('It is ');
    const events = readEvents(await asking);
    const [start] = await events.until(({ data }) => data.type === 'text-delta');
    const { conversationId } = start?.data.messageMetadata ?? {};
    const other = await world.enter(widget);
    const stop = (bearer: string) => world.call('POST', '/widget/stop', { bearer, body: { conversationId } });
    expect((await stop(other.token)).status).toBe(404);
    expect((await stop(token)).status).toBe(204);
    expect((await events.rest()).at(-2)?.data.data.messages).toMatchObject([{ content: 'It is ', stopped: true }]);
  });

  test('rates answers of its own conversation alone', async () => {
    const [one, two] = [await world.enter(widget), await world.enter(widget)];
    const { turn } = await chat(one.token, 'Rate');
    const messageId = turn.messages[0]?.id ?? '';
    const rate = (bearer: string, rating: string | null) =>
      world.call('POST', '/widget/feedback', { bearer, body: { messageId, rating } });
    expect((await rate(two.token, 'dislike')).status).toBe(404);
    expect((await rate(one.token, 'like')).status).toBe(204);
    const where = { id: messageId };
    const kept = await world.gateway.database.message.findFirstOrThrow({ where });
    expect(kept.feedback).toEqual({ rating: 'like', comment: null });
  });

  test.each(['visitor', 'channel', 'agent', 'workspace'])('reads and writes nothing of another %s', async (which) => {
    const here = await world.enter(widget);
    const foreign = await elsewhere(which);
    const { turn } = await chat(foreign.token, 'Private');
    const id = turn.id;
    const expected = { status: 404, code: 'not_found', message: 'Conversation not found.' };
    const { token: bearer } = here;
    expect(await failure(await world.call('GET', `/widget/conversation?id=${id}`, { bearer }))).toEqual(expected);
    expect(await failure(await world.ask(bearer, { content: 'Mine now', conversationId: id }))).toEqual(expected);
    const stop = await world.call('POST', '/widget/stop', { bearer, body: { conversationId: id } });
    expect(await failure(stop)).toEqual(expected);
    expect(await world.gateway.database.message.count({ where: { conversationId: id } })).toBe(2);
  });

  async function elsewhere(which: string): Promise<Entered> {
    if (which === 'visitor') return world.enter(widget);
    if (which === 'agent') return world.enter(await world.make());
    if (which === 'workspace') return world.enter(await world.make({}, await makeWorkspace(world.gateway)));
    const input = { agentId: widget.agentId, platform: 'widget', origins: [shop] };
    const document = mutation('createChannel', 'channel { id publishableToken }');
    const { channel } = (await world.gateway.data(world.home.editor, document, { input })).createChannel;
    const { secret } = await world.enter(widget);
    return world.enter({ ...widget, channelId: channel.id, token: channel.publishableToken }, secret);
  }

  test('of a conversation that waits for a person sees what the person says', async () => {
    const { token } = await world.enter(widget);
    const { turn } = await chat(token, 'A person, please');
    const wait = { id: turn.id, status: 'waiting_human' };
    await world.gateway.data(world.home.editor, mutation('updateConversation', 'conversation { id }'), { input: wait });
    expect((await chat(token, 'Anybody?', turn.id)).turn).toMatchObject({ status: 'waiting_human', messages: [] });
    const message = { role: 'assistant', content: 'Here I am.' };
    await world.gateway.rest(world.home.editor, 'POST', `/api/${widget.agentId}`, { id: turn.id, message });
    const response = await world.call('GET', '/widget/conversation', { bearer: token });
    const { conversation } = (await response.json()) as { conversation: { messages: { content: string }[] } };
    expect(conversation.messages.at(-1)?.content).toBe('Here I am.');
  });

  test('hears a person as soon as they have written, in its own conversation alone', async () => {
    const { token } = await world.enter(widget);
    const { turn } = await chat(token, 'A person, please');
    const listen = (bearer: string, headers: Record<string, string> = {}) =>
      world.call('GET', `/widget/replies?id=${turn.id}`, { bearer, headers });
    const events = readEvents(await listen(token));
    const first = await events.next();
    expect(first?.data).toMatchObject({ type: 'data-message', data: { id: turn.messages[0]?.id } });
    const input = { conversationId: turn.id, content: 'Eva here.' };
    await world.gateway.data(world.home.editor, mutation('sendAsPerson', 'message { id }'), { input });
    const heard = await events.next();
    expect(heard?.data.data).toMatchObject({ role: 'assistant', content: 'Eva here.', references: [] });
    await events.leave();
    const again = readEvents(await listen(token, { 'last-event-id': first?.id ?? '' }));
    expect(await again.next()).toEqual(heard);
    await again.leave();
    const { token: stranger } = await world.enter(widget);
    expect((await listen(stranger)).status).toBe(404);
    expect((await listen('nobody')).status).toBe(401);
  });
});

describe('a widget lets nobody in', () => {
  test.each([
    [{ origin: 'https://evil.example' }, 403, /Pages of https:\/\/evil\.example cannot embed this widget/],
    [{ origin: 'http://shop.example' }, 403, /cannot embed/],
    [{ origin: 'https://shop.example.evil.example' }, 403, /cannot embed/],
    [{ origin: 'null' }, 403, /cannot embed/],
    [{ origin: null }, 403, /The Origin header is missing/],
    [{ body: { channel: `pub_${'0'.repeat(32)}` } }, 401, /No widget has this publishable token/],
    [{ body: { channel: 'chn_1' } }, 400, /must be the publishable token of a widget/],
    [{ body: {} }, 400, /channel: is required/],
    [{ body: undefined }, 400, /^body: is required/],
    [{ body: [] }, 400, /^body: must be an object/],
  ])('%j', async (given, status, message) => {
    const body = { channel: widget.token };
    const response = await world.call('POST', '/widget/session', { body, ...given });
    expect(await failure(response)).toMatchObject({ status, message: expect.stringMatching(message) });
  });

  test('whose agent is a draft or archived', async () => {
    const draft = await world.make({ publish: false });
    const refused = async () =>
      failure(await world.call('POST', '/widget/session', { body: { channel: draft.token } }));
    expect(await refused()).toMatchObject({ status: 409, message: expect.stringMatching(/draft/) });
    await world.gateway.data(world.home.editor, mutation('archiveAgent', 'agent { id }'), {
      input: { id: draft.agentId },
    });
    expect(await refused()).toMatchObject({ status: 409, message: expect.stringMatching(/archived/) });
  });

  test('with the token of a member, or an older publishable token, or from another page later on', async () => {
    const own = await world.make();
    const { token: bearer } = await world.enter(own);
    const read = (given: object) => world.call('GET', '/widget/conversation', { bearer, ...given });
    expect((await read({})).status).toBe(200);
    expect((await read({ bearer: await world.gateway.bearer(world.home.owner) })).status).toBe(401);
    expect((await read({ bearer: undefined })).status).toBe(401);
    expect((await read({ origin: 'https://evil.example' })).status).toBe(403);
    const document = mutation('rotatePublishableToken', 'channel { publishableToken }');
    const { channel } = (await world.gateway.data(world.home.editor, document, { input: { id: own.channelId } }))
      .rotatePublishableToken;
    expect(channel.publishableToken).toMatch(/^pub_[0-9a-f]{32}$/);
    expect((await read({})).status).toBe(401);
    expect((await world.call('POST', '/widget/session', { body: { channel: own.token } })).status).toBe(401);
  });

  test('whose channel was taken away', async () => {
    const gone = await world.make();
    const { token: bearer } = await world.enter(gone);
    await world.gateway.data(world.home.editor, mutation('deleteChannel', 'channel { id }'), {
      input: { id: gone.channelId },
    });
    expect((await world.call('GET', '/widget/conversation', { bearer })).status).toBe(401);
  });
});

test.each([
  ['/widget/session', 'GET', 'POST'],
  ['/widget/messages', 'DELETE', 'POST'],
  ['/widget/conversation', 'POST', 'GET, HEAD'],
])('%s answers %s with 405 and Allow', async (path, method, allow) => {
  const response = await world.call(method, path);
  expect(response.headers.get('allow')).toBe(allow);
  expect(await failure(response)).toMatchObject({ status: 405, code: 'method_not_allowed' });
});

test('an answer is shared with the page that asked, and with no other', async () => {
  const response = await world.call('POST', '/widget/session', { body: { channel: widget.token } });
  expect(response.headers.get('access-control-allow-origin')).toBe(shop);
  expect(response.headers.get('vary')).toContain('Origin');
});

test('a paused agent answers with its off text', async () => {
  const paused = await world.make({ agent: { off: 'Back on Monday.' } });
  await world.gateway.data(world.home.editor, mutation('pauseAgent', 'agent { id }'), {
    input: { id: paused.agentId },
  });
  const { token, agent } = await world.enter(paused);
  expect(agent).toMatchObject({ paused: true, off: 'Back on Monday.' });
  expect((await chat(token, 'Hi')).turn.messages).toMatchObject([{ content: 'Back on Monday.' }]);
});

test('over the month’s limit the question is kept, and the widget is told to show its off text', async () => {
  const { token } = await world.enter(await world.make({}, await makeWorkspace(world.gateway, 0)));
  expect(await failure(await world.ask(token, { content: 'Too late' }))).toMatchObject({
    status: 429,
    code: 'usage_limit_exceeded',
  });
  const response = await world.call('GET', '/widget/conversation', { bearer: token });
  expect(await response.json()).toMatchObject({ conversation: { messages: [{ content: 'Too late' }] } });
});
