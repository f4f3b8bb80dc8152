import { DefaultChatTransport, lastAssistantMessageIsCompleteWithToolCalls, type UIMessage } from 'ai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Viewer } from '../../src/core/viewer.ts';
import { type Listening, listen } from '../../src/http/server.ts';
import { Chat } from '../support/conversations/ai-chat.ts';
import { useStreaming } from '../support/conversations/streaming.ts';
import { makeAgent, makeWorkspace } from '../support/gateway/factories.ts';

const { world, usage } = useStreaming();
let server: Listening;
beforeAll(async () => {
  const { app } = world.gateway as unknown as { app: { fetch: never; pipeline: never } };
  server = await listen(app.fetch, { host: '127.0.0.1', port: 0 }, { pipeline: app.pipeline });
});
afterAll(() => server.close(0));

type Page = { id?: string; viewer?: Viewer; agentId?: string; messages?: UIMessage[]; body?: object };
type Init = Partial<ConstructorParameters<typeof Chat>[0]>;

/** A page whose chat has only an address and a bearer. */
async function openPage(
  { id, viewer = world.home.app, agentId = world.agent.id, messages, body }: Page = {},
  init: Init = {},
) {
  const headers = { authorization: `Bearer ${await world.gateway.bearer(viewer)}` };
  const transport = new DefaultChatTransport<UIMessage>({
    api: `${server.url}/api/${agentId}`,
    headers,
    ...(body && { body }),
  });
  return new Chat({ transport, ...(id && { id }), ...(messages && { messages }), ...init });
}

const textOf = (message: UIMessage | undefined) =>
  message?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
const conversationsOf = (agentId: string, chatId: string) =>
  world.gateway.database.conversation.findMany({ where: { agentId, chatId } });
const idOf = (chat: Chat) =>
  (chat.lastMessage?.metadata as { conversationId: string } | undefined)?.conversationId ?? '';

/** Sends a message, and lets the model answer. */
async function say(chat: Chat, text: string, answer: string) {
  const sent = chat.sendMessage({ text });
  const call = await world.model.next();
  call.say(answer).end();
  await sent;
  return call;
}

test('a stock chat of the AI SDK goes on in its conversation', async () => {
  const chat = await openPage();
  await say(chat, 'Hello', 'Hello you');
  expect([chat.status, textOf(chat.lastMessage)]).toEqual(['ready', 'Hello you']);
  const call = await say(chat, 'Who am I?', 'Ana');
  expect(JSON.stringify(call.body.messages)).toContain('Hello you');
  expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  expect(chat.lastMessage?.metadata).toMatchObject({ finishReason: 'stop' });
  const [conversation, ...others] = await conversationsOf(world.agent.id, chat.id);
  expect([conversation?.id, conversation?.messageCount, others]).toEqual([idOf(chat), 4, []]);
});

test('the name of a chat is the caller’s own, and no id of ours', async () => {
  const id = 'the-same-name';
  const first = await openPage({ id });
  await say(first, 'I am Ana', 'Hello Ana');
  const other = await openPage({ id, viewer: world.home.editor });
  const call = await say(other, 'Who am I?', 'I do not know');
  expect(JSON.stringify(call.body.messages)).not.toContain('Ana');
  const ours = await openPage({ id: idOf(first), viewer: world.home.editor });
  expect(JSON.stringify((await say(ours, 'And now?', 'No')).body.messages)).not.toContain('Ana');
  const agent = await makeAgent(world.gateway, world.home.editor);
  const elsewhere = await openPage({ id, agentId: agent.id });
  expect(JSON.stringify((await say(elsewhere, 'And here?', 'No')).body.messages)).not.toContain('Ana');
  expect(await conversationsOf(world.agent.id, id)).toHaveLength(2);
  const stranger = await makeWorkspace(world.gateway);
  const away = await openPage({ id, viewer: stranger.app });
  await away.sendMessage({ text: 'Hello' });
  expect([away.status, away.error?.message]).toEqual(['error', expect.stringContaining('Agent not found')]);
});

test('messages that begin a chat at the same time are said in one conversation', async () => {
  const id = 'at-once';
  const [one, two] = [await openPage({ id }), await openPage({ id })];
  const replica = new Chat({
    id,
    transport: new DefaultChatTransport<UIMessage>({
      api: `/api/${world.agent.id}`,
      headers: { authorization: `Bearer ${await world.gateway.bearer(world.home.app)}` },
      fetch: ((url: string, init: RequestInit) => world.replica.fetch(url, init)) as never,
    }),
  });
  const sent = [one, two, replica].map((chat, index) => chat.sendMessage({ text: `Message ${index}` }));
  for (let count = 0; count < sent.length; count++) (await world.model.next()).say('Yes').end();
  await Promise.all(sent);
  expect([one, two, replica].map(({ status }) => status)).toEqual(['ready', 'ready', 'ready']);
  const found = await conversationsOf(world.agent.id, id);
  expect(found.map(({ messageCount }) => messageCount)).toEqual([6]);
});

test('it makes the last reply anew, also after one that failed', async () => {
  const chat = await openPage();
  await say(chat, 'Tell me', 'Once');
  const replaced = chat.lastMessage?.id;
  const again = chat.regenerate();
  (await world.model.next()).say('Twice').end();
  await again;
  expect(chat.messages.map(textOf)).toEqual(['Tell me', 'Twice']);
  const named = chat.regenerate({ messageId: chat.lastMessage?.id as string });
  (await world.model.next()).say('Thrice').end();
  await named;
  expect(chat.messages.map(textOf)).toEqual(['Tell me', 'Thrice']);
  const document = 'query ($id: ID!) { message(id: $id) { alternatives { messageId content } } }';
  const { message } = await world.gateway.data(world.home.editor, document, { id: chat.lastMessage?.id });
  expect(message.alternatives.at(-1)).toEqual({ messageId: replaced, content: 'Once' });

  const failing = chat.sendMessage({ text: 'Break' });
  (await world.model.next()).fail(400);
  await failing;
  expect(chat.status).toBe('error');
  const mended = chat.regenerate();
  (await world.model.next()).say('Whole').end();
  await mended;
  expect(chat.messages.map(textOf)).toEqual(['Tell me', 'Thrice', 'Break', 'Whole']);
});

test('a page that was loaded anew has the reply that is under way from its start; without one it has nothing', async () => {
  const [before, asked] = [await usage(), world.model.asked()];
  const chat = await openPage();
  const sent = chat.sendMessage({ text: 'Tell me much' });
  const call = await world.model.next();
  call.say('One');
  await expect.poll(() => textOf(chat.lastMessage)).toBe('One');
  await chat.stop();
  await sent;
  const page = await openPage({ id: chat.id, messages: chat.messages.slice(0, 1) });
  const resumed = page.resumeStream();
  await expect.poll(() => textOf(page.lastMessage)).toBe('One');
  call.say(' two').end();
  await resumed;
  expect(page.messages.map(textOf)).toEqual(['Tell me much', 'One two']);
  expect([await usage(), world.model.asked()]).toEqual([before + 1, asked + 1]);
  const later = await openPage({ id: chat.id, messages: page.messages });
  await later.resumeStream();
  expect([later.status, later.messages.length]).toEqual(['ready', 2]);
  const authorization = `Bearer ${await world.gateway.bearer(world.home.app)}`;
  const look = (path: string, headers = {}) => fetch(`${server.url}${path}`, { headers });
  expect((await look(`/api/${world.agent.id}/none/stream`, { authorization })).status).toBe(204);
  expect((await look(`/api/agt_none/none/stream`, { authorization })).status).toBe(404);
  expect((await look(`/api/${world.agent.id}/none/stream`)).status).toBe(401);
});

test('another caller does not hear the reply of a chat', async () => {
  const chat = await openPage({ id: 'mine' });
  const sent = chat.sendMessage({ text: 'Tell me' });
  const call = await world.model.next();
  call.say('Secret');
  const authorization = `Bearer ${await world.gateway.bearer(world.home.editor)}`;
  const heard = await fetch(`${server.url}/api/${world.agent.id}/mine/stream`, { headers: { authorization } });
  expect(heard.status).toBe(204);
  call.end();
  await sent;
});

test('it runs tools in the page, and the turn goes on with what they found', async () => {
  const parameters = { type: 'object', properties: { number: { type: 'string' } } };
  const chat = await openPage(
    { body: { tools: [{ name: 'get_order', parameters }] } },
    {
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
      onToolCall: ({ toolCall: { toolName, toolCallId } }) =>
        void chat.addToolOutput({ tool: toolName, toolCallId, output: { state: 'shipped' } }),
    },
  );
  const sent = chat.sendMessage({ text: 'Where is order 42?' });
  (await world.model.next()).call('call_1', 'get_order', { number: '42' }).end('tool_calls');
  const call = await world.model.next();
  expect(JSON.stringify(call.body.messages)).toContain('shipped');
  call.say('It is shipped.').end();
  await sent;
  await expect.poll(() => chat.status).toBe('ready');
  expect(textOf(chat.lastMessage)).toBe('It is shipped.');
});

test('files of a message are its attachments', async () => {
  const chat = await openPage();
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const files = [
    { type: 'file' as const, mediaType: 'image/png', filename: 'dot.png', url: `data:image/png;base64,${pixel}` },
    { type: 'file' as const, mediaType: 'text/plain', filename: 'note.txt', url: 'data:text/plain,Tent%20seven' },
  ];
  const sent = chat.sendMessage({ text: 'What is this?', files });
  const call = await world.model.next();
  expect(JSON.stringify(call.body.messages)).toContain('Tent seven');
  call.say('A dot').end();
  await sent;
  const where = { conversationId: idOf(chat), role: 'user' as const };
  const { attachments } = await world.gateway.database.message.findFirstOrThrow({ where });
  expect(attachments).toMatchObject([
    { type: 'image', mimeType: 'image/png', name: 'dot.png' },
    { type: 'file', name: 'note.txt' },
  ]);
});

test('what cannot be done is told, and a request without parts is what it was', async () => {
  const post = (body: object, headers = {}) =>
    world.gateway.rest(world.home.app, 'POST', `/api/${world.agent.id}`, body, headers);
  const user = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] };
  const chat = { id: 'told', trigger: 'submit-message', messages: [user] };
  const refused = async (body: object) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    return answer.body.issues[0].message as string;
  };
  expect(await refused({ ...chat, messageId: 'u1' })).toMatch(/^messageId: /);
  expect(await refused({ ...chat, id: '' })).toMatch(/^id: /);
  expect(await refused({ ...chat, trigger: 'other' })).toMatch(/^trigger: /);
  expect(await refused({ ...chat, messages: [{ ...user, parts: [] }] })).toMatch(/content/);
  expect(await refused({ ...chat, messages: [{ ...user, role: 'assistant' }] })).toMatch(/^messages: /);
  expect((await post({ ...chat, id: 'none', trigger: 'regenerate-message' })).status).toBe(404);

  const plain = { id: 'told', trigger: 'submit-message', messages: [{ content: 'Hi' }] };
  const { status, headers } = await post(plain);
  expect([status, headers.get('warning')]).toEqual([404, null]);
  const sent = post({ ...plain, id: undefined });
  (await world.model.next()).say('Hi').end();
  const answer = await sent;
  expect(Object.keys(answer.body)).toEqual(['id', 'messages', 'status', 'lead']);
  expect(answer.headers.get('warning')).toContain('trigger: is unknown');
});
