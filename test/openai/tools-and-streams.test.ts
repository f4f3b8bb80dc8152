import type OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { conversationOf, failure, getOrder, hello, said, useOpenAi } from '../support/conversations/openai-client.ts';

const { world, usage, door, ask, rowsOf } = useOpenAi();

describe('tools of the caller', () => {
  const question = said('Where is order 42?');
  const called = async (headers: Record<string, string> = {}) => {
    const asked = door.client.chat.completions
      .create({ model: door.model, messages: [question], tools: [getOrder] }, { headers })
      .withResponse();
    (await world.model.next()).call('call_1', 'get_order', { number: '42' }).end('tool_calls');
    const { data, response } = await asked;
    const [choice] = data.choices;
    return { choice, message: choice?.message as OpenAI.ChatCompletionMessage, id: conversationOf(response) };
  };
  const result = { role: 'tool', tool_call_id: 'call_1', content: 'shipped' };

  test('are called, and the turn goes on with their results, counted once with the header', async () => {
    const before = await usage();
    const { choice, message, id } = await called();
    expect(choice?.finish_reason).toBe('tool_calls');
    expect(message).toMatchObject({
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'get_order', arguments: '{"number":"42"}' } }],
    });
    const messages = [question, message, result];
    const { completion, call } = await ask('It is shipped.', { messages }, { 'X-Parley-Conversation': id });
    expect(JSON.stringify(call.body.messages)).toContain('shipped');
    expect(completion.choices[0]?.message.content).toBe('It is shipped.');
    expect(await usage()).toBe(before + 1);
  });

  test('without the header the results come with their calls, and the model is shown both', async () => {
    const before = await usage();
    const { message } = await called();
    const { response, call } = await ask('It is shipped.', {
      messages: [question, message, result],
      tools: [getOrder],
    });
    expect(call.body.messages.slice(-2)).toMatchObject([
      { role: 'assistant', tool_calls: [{ id: 'call_1' }] },
      { role: 'tool', tool_call_id: 'call_1', content: 'shipped' },
    ]);
    expect((await rowsOf(conversationOf(response))).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ]);
    expect(await usage()).toBe(before + 2);
  });

  test('calls that a caller adds to a conversation make no turn of it free', async () => {
    const { response } = await ask('One');
    const before = await usage();
    const toolCalls = [{ id: 'call_9', name: 'get_order', arguments: {} }];
    const messages = [
      { role: 'assistant', toolCalls },
      { role: 'tool', toolCallId: 'call_9', content: 'What is new?' },
    ];
    const sent = world.gateway.data(
      world.home.app,
      'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { messages { content } } }',
      { input: { agentId: door.model, conversationId: conversationOf(response), messages } },
    );
    (await world.model.next()).say('Two').end();
    expect((await sent).sendMessage.messages).toEqual([{ content: 'Two' }]);
    expect(await usage()).toBe(before + 1);
  });

  test('a call without its result is named', async () => {
    const { message } = await called();
    const calls = [...(message.tool_calls ?? []), { ...message.tool_calls?.[0], id: 'call_2' }];
    const messages = [question, { ...message, tool_calls: calls }, result];
    expect(await failure(door.client.chat.completions.create({ model: door.model, messages } as never))).toMatchObject({
      status: 400,
      param: 'messages',
      message: expect.stringContaining('call_2'),
    });
  });

  test('of the choice none are not offered to the model', async () => {
    const { call } = await ask('No tools.', { tools: [getOrder], tool_choice: 'none' });
    expect(call.body).not.toHaveProperty('tools');
  });
});

describe('a streamed completion', () => {
  test('comes word by word, and tells its usage if asked to', async () => {
    const asked = door.client.chat.completions
      .create({ model: door.model, ...hello, stream: true, stream_options: { include_usage: true } })
      .withResponse();
    const call = await world.model.next();
    call.say('Hello').say(' you').end();
    const { data, response } = await asked;
    const chunks = [];
    for await (const chunk of data) chunks.push(chunk);
    expect(conversationOf(response)).toMatch(/^cnv_/);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('Hello you');
    expect(chunks[0]).toMatchObject({ object: 'chat.completion.chunk', choices: [{ delta: { role: 'assistant' } }] });
    expect(chunks.at(-2)?.choices[0]).toMatchObject({ finish_reason: 'stop', delta: {} });
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 18 } });
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
  });

  test('has the calls of tools, as the helper of the package runs them', async () => {
    const runner = door.client.chat.completions.runTools({
      model: door.model,
      messages: [said('Where is order 42?')],
      stream: true,
      tools: [
        { ...getOrder, function: { ...getOrder.function, parse: JSON.parse, function: () => 'shipped' } },
      ] as never,
    });
    (await world.model.next()).call('call_1', 'get_order', { number: '42' }).end('tool_calls');
    const call = await world.model.next();
    expect(JSON.stringify(call.body.messages)).toContain('shipped');
    call.say('It is shipped.').end();
    expect(await runner.finalContent()).toBe('It is shipped.');
  });

  test('that is aborted stops its turn, and keeps what was said', async () => {
    const controller = new AbortController();
    const asked = door.client.chat.completions
      .create({ model: door.model, ...hello, stream: true }, { signal: controller.signal })
      .withResponse();
    const call = await world.model.next();
    call.say('One');
    const { data, response } = await asked;
    for await (const chunk of data) if (chunk.choices[0]?.delta.content) controller.abort();
    await call.closed;
    const replies = async () => (await rowsOf(conversationOf(response))).slice(1);
    await expect.poll(replies).toMatchObject([{ content: 'One', metadata: { stopped: true } }]);
  });

  test('whose model fails midway ends with an error', async () => {
    const asked = door.client.chat.completions.create({ model: door.model, ...hello, stream: true });
    const call = await world.model.next();
    call.say('One');
    const stream = await asked;
    const read = async () => {
      for await (const chunk of stream) if (chunk.choices[0]?.delta.content) call.hangUp();
    };
    await expect(read()).rejects.toThrow(/model/i);
  });
});
