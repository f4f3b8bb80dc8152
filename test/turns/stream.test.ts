import { describe, expect, test } from 'vitest';
import { listen } from '../../src/http/server.ts';
import { readEvents, type SseEvent, textOf } from '../support/conversations/event-stream.ts';
import { isText, keyed, patientPingMs, say, types, useStreaming } from '../support/conversations/streaming.ts';
import { openGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace } from '../support/gateway/factories.ts';

const { world, begun, post, usage } = useStreaming();

describe('a streamed turn', () => {
  test('tells the reply while the model writes it, and ends with the JSON body', async () => {
    const { call, events, first, conversationId } = await begun('Hello');
    expect(types(first)).toEqual(['start', 'start-step', 'text-start', 'text-delta']);
    expect(call.body.stream).toBe(true);
    call.say(' two').say(' three').end();
    const all = [...first, ...(await events.rest())];
    expect(types(all)).toEqual([
      'start',
      'start-step',
      'text-start',
      'text-delta',
      'text-delta',
      'text-delta',
      'text-end',
      'finish',
      'data-turn',
      '[DONE]',
    ]);
    expect(textOf(all)).toBe('One two three');
    const body = all.at(-2)?.data.data;
    expect(Object.keys(body)).toEqual(['id', 'messages', 'status', 'lead']);
    expect(body).toMatchObject({
      id: conversationId,
      status: 'active',
      lead: null,
      messages: [{ id: all[0]?.data.messageId, content: 'One two three', usage: { promptTokens: 11 } }],
    });
    const ids = all.slice(0, -1).map(({ id }) => id);
    expect(ids).toEqual(ids.map((_, index) => `${all[0]?.data.messageId}.${index}`));
  });

  test('ends with the very body that a repetition gets as JSON', async () => {
    const { call, events } = await begun('Same', keyed('same'));
    call.end();
    const streamed = (await events.rest()).at(-2)?.data.data;
    const { body } = await world.gateway.rest(world.home.app, 'POST', `/api/${world.agent.id}`, say('Same'), {
      'idempotency-key': 'same',
    });
    expect(JSON.stringify(streamed)).toBe(JSON.stringify(body));
  });

  test('says in its headers what it is, and that nobody is to gather it', async () => {
    const response = post(say('Hi', { colour: 'red' }));
    (await world.model.next()).say('Hi').end();
    const { status, headers } = await response;
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(headers.get('x-accel-buffering')).toBe('no');
    expect(headers.get('warning')).toMatch(/colour/);
  });

  test.each([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['application/json, text/event-stream', 'application/json'],
    ['text/event-stream;q=0.5, application/json', 'application/json'],
    ['text/event-stream, application/json;q=0.9', 'text/event-stream'],
  ])('with Accept: %s is answered as %s', async (accept, expected) => {
    const headers = { ...(accept && { accept }) };
    const embedded = await openGateway();
    try {
      const workspace = await makeWorkspace(embedded);
      const { id } = await makeAgent(embedded, workspace.editor);
      const response = await embedded.app.request(`/api/${id}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${await embedded.bearer(workspace.app)}`,
          ...headers,
        },
        body: JSON.stringify(say('Hello')),
      });
      expect(response.headers.get('content-type')).toMatch(expected);
      const text = await response.text();
      expect(text.endsWith('data: [DONE]\n\n')).toBe(expected === 'text/event-stream');
    } finally {
      await embedded.close();
    }
  });

  test('shows calls of the caller’s tools, and goes on with their result', async () => {
    const tools = [{ name: 'get_order', description: 'Looks up', parameters: { type: 'object', properties: {} } }];
    const response = post(say('Order 42?', { tools }));
    (await world.model.next()).call('call_1', 'get_order', { number: '42' }).end('tool_calls');
    const events = await readEvents(await response).rest();
    expect(types(events)).toEqual(['start', 'start-step', 'tool-input-available', 'finish', 'data-turn', '[DONE]']);
    expect(events[2]?.data).toEqual({
      type: 'tool-input-available',
      toolCallId: 'call_1',
      toolName: 'get_order',
      input: { number: '42' },
    });
    const { id, messages } = (events[4] as SseEvent).data.data;
    expect(messages[0]).toMatchObject({ content: null, toolCalls: [{ id: 'call_1' }] });
    const before = await usage();
    const next = post({ id, tools, message: { role: 'tool', toolCallId: 'call_1', content: 'ships today' } });
    (await world.model.next()).say('It ships today.').end();
    expect(textOf(await readEvents(await next).rest())).toBe('It ships today.');
    expect(await usage()).toBe(before);
  });

  test('shows that it lives while the model is silent', async () => {
    const { call, events } = await begun('Slow');
    const rest = events.rest();
    await expect.poll(() => events.comments).toBeGreaterThanOrEqual(2);
    call.end();
    await rest;
  });

  test('begins before the first word when that takes long', async () => {
    const response = post(say('Very slow'));
    const call = await world.model.next();
    const events = readEvents(await response);
    expect((await events.next())?.data.type).toBe('start');
    call.say('At last').end();
    expect(textOf(await events.rest())).toBe('At last');
  });

  test('without anything to answer has no text', async () => {
    const { call, events, conversationId } = await begun('Hello');
    call.end();
    await events.rest();
    const where = { id: conversationId };
    await world.gateway.database.conversation.updateMany({ where, data: { status: 'waiting_human' } });
    const silent = await readEvents(await post(say('Anybody?', { id: conversationId }))).rest();
    expect(types(silent)).toEqual(['start', 'start-step', 'finish', 'data-turn', '[DONE]']);
    expect(silent[3]?.data.data).toMatchObject({ status: 'waiting_human', messages: [] });
  });

  test('over a port gives each word at once', async () => {
    const server = await listen(world.gateway.app.fetch as never, { host: '127.0.0.1', port: 0 });
    try {
      const response = fetch(`${server.url}/api/${world.agent.id}`, {
        method: 'POST',
        headers: {
          accept: 'text/event-stream',
          'content-type': 'application/json',
          authorization: `Bearer ${await world.gateway.bearer(world.home.app)}`,
        },
        body: JSON.stringify(say('Hello')),
      });
      const call = await world.model.next();
      call.say('Warm');
      const events = readEvents(await response);
      await events.until(isText);
      for (const word of [' up', ' and', ' go', ' on', ' now', ' as', ' you', ' did', ' once', ' more']) {
        call.say(word);
        expect((await events.next())?.data.delta).toBe(word);
      }
      call.end();
      await events.rest();
    } finally {
      await server.close(100);
    }
  });
});

describe('a failure of a streamed turn', () => {
  // On a slow machine, other replies may begin before the failure is reported.
  const patient = useStreaming(patientPingMs);

  test('before the reply begins is answered as any failure is', async () => {
    const unknown = await patient.post(say('x', { id: 'cnv_00000000000000000000000000' }));
    expect([unknown.status, await unknown.json()]).toEqual([
      404,
      { message: 'Conversation not found.', code: 'not_found' },
    ]);
    expect((await patient.post({})).status).toBe(400);
    expect((await patient.post(say('x'), { viewer: patient.world.home.viewer })).status).toBe(403);
    const response = patient.post(say('x'));
    (await patient.world.model.next()).fail(400);
    expect([(await response).status, ((await (await response).json()) as { code: string }).code]).toEqual([
      502,
      'model_error',
    ]);
  });

  test('after it is the last event, costs nothing, and the same key goes on', async () => {
    const before = await usage();
    const { call, events, first, conversationId } = await begun('Break', keyed('break'));
    call.hangUp();
    const rest = await events.rest();
    expect(types(rest)).toEqual(['error', '[DONE]']);
    expect(rest[0]?.data).toEqual({
      type: 'error',
      errorText: expect.any(String),
      message: rest[0]?.data.errorText,
      code: 'model_error',
    });
    expect(await usage()).toBe(before);
    const again = await readEvents(await post(say('Break'), keyed('break', first.at(-1)?.id))).rest();
    expect(again).toEqual(rest);
    const retry = post(say('Break'), keyed('break', rest[0]?.id));
    (await world.model.next()).say('Better').end();
    expect(textOf(await readEvents(await retry).rest())).toBe('Better');
    expect(await world.gateway.database.message.count({ where: { conversationId } })).toBe(2);
    expect(await usage()).toBe(before + 1);
  });
});

describe('the subscription of the graph', () => {
  test('tells the same events', async () => {
    const query = `subscription ($input: SendMessageInput!) {
      streamMessage(input: $input) { id part turn { conversation { status } messages { content } } }
    }`;
    const response = world.gateway.app.request('/graphql', {
      method: 'POST',
      headers: {
        accept: 'text/event-stream',
        'content-type': 'application/json',
        authorization: `Bearer ${await world.gateway.bearer(world.home.app)}`,
      },
      body: JSON.stringify({ query, variables: { input: { agentId: world.agent.id, message: { content: 'Hi' } } } }),
    });
    (await world.model.next()).say('Hi').say(' you').end();
    const text = await (await response).text();
    const events = [...text.matchAll(/^event: next\ndata: (.*)$/gm)].map(
      ([, json]) => JSON.parse(json ?? '').data.streamMessage,
    );
    expect(events.map(({ part }) => part.type)).toEqual([
      'start',
      'start-step',
      'text-start',
      'text-delta',
      'text-delta',
      'text-end',
      'finish',
      'data-turn',
    ]);
    expect(events.at(-1).turn).toEqual({ conversation: { status: 'active' }, messages: [{ content: 'Hi you' }] });
    expect(events.slice(0, -1).every(({ turn }) => turn === null)).toBe(true);
  });
});
