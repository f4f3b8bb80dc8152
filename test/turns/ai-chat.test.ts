import { lastAssistantMessageIsCompleteWithToolCalls, type UIMessage } from 'ai';
import { expect, test } from 'vitest';
import { Chat, transportOf } from '../support/conversations/ai-chat.ts';
import { useStreaming } from '../support/conversations/streaming.ts';

const { world, usage } = useStreaming();
const tools = [{ name: 'get_order', parameters: { type: 'object', properties: { number: { type: 'string' } } } }];

/** A page with the agent's chat; `kept` survives a reload. */
async function openPage(kept: { request?: RequestInit } = {}, init: ConstructorParameters<typeof Chat>[0] = {}) {
  const heard: unknown[] = [];
  const transport = transportOf({
    api: `/api/${world.agent.id}`,
    headers: { authorization: `Bearer ${await world.gateway.bearer(world.home.app)}` },
    tools,
    fetch: (url, request) => Promise.resolve(world.gateway.app.request(url, request)),
    kept,
  });
  const chat = new Chat({ transport, onData: ({ type, data }) => void heard.push({ type, data }), ...init });
  return { chat, heard };
}

const textOf = (message: UIMessage | undefined) =>
  message?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

test('a chat of the AI SDK goes on in its conversation, and is told the body of each turn', async () => {
  const { chat, heard } = await openPage();
  const sent = chat.sendMessage({ text: 'Hello' });
  (await world.model.next()).say('Hello').say(' you').end();
  await sent;
  expect([chat.status, textOf(chat.lastMessage)]).toEqual(['ready', 'Hello you']);
  const again = chat.sendMessage({ text: 'Who am I?' });
  const call = await world.model.next();
  expect(JSON.stringify(call.body.messages)).toContain('Hello you');
  call.say('Ana').end();
  await again;
  expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  expect(heard).toMatchObject([
    { type: 'data-turn', data: { messages: [{ content: 'Hello you' }] } },
    { type: 'data-turn', data: { messages: [{ content: 'Ana' }], status: 'active' } },
  ]);
});

test('it runs tools in the page, and the turn goes on with what they found', async () => {
  const before = await usage();
  const { chat } = await openPage(
    {},
    {
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
      onToolCall: ({ toolCall: { toolName, toolCallId, input } }) =>
        void chat.addToolOutput({ tool: toolName, toolCallId, output: { input, state: 'shipped' } }),
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
  expect(await usage()).toBe(before + 1);
});

test('a page that was reloaded in the middle of a reply has all of it, asked and counted once', async () => {
  const [before, asked] = [await usage(), world.model.asked()];
  const kept = {};
  const { chat } = await openPage(kept);
  const sent = chat.sendMessage({ text: 'Tell me much' });
  const call = await world.model.next();
  call.say('One');
  await expect.poll(() => textOf(chat.lastMessage)).toBe('One');
  await chat.stop();
  await sent;
  const page = await openPage(kept, { messages: chat.messages.slice(0, 1) });
  const resumed = page.chat.resumeStream();
  call.say(' two').end();
  await resumed;
  expect(page.chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  expect(textOf(page.chat.lastMessage)).toBe('One two');
  expect([await usage(), world.model.asked()]).toEqual([before + 1, asked + 1]);
});

test('it shows the error of a reply that breaks off, and of one that never begins', async () => {
  const { chat } = await openPage();
  const sent = chat.sendMessage({ text: 'Break' });
  const call = await world.model.next();
  call.say('One');
  await expect.poll(() => textOf(chat.lastMessage)).toBe('One');
  call.hangUp();
  await sent;
  expect([chat.status, chat.error?.message]).toEqual(['error', expect.stringMatching(/model/i)]);
  chat.messages = [];
  await chat.sendMessage({ text: '' });
  expect([chat.status, chat.error?.message]).toEqual(['error', expect.stringContaining('content')]);
});
