import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Listening, listen } from '../../src/http/server.ts';
import { say, useStreaming } from '../support/conversations/streaming.ts';

const { world } = useStreaming();
let server: Listening;
let headers: Record<string, string>;
beforeAll(async () => {
  server = await listen(world.gateway.app.fetch as never, { host: '127.0.0.1', port: 0 });
  headers = { authorization: `Bearer ${await world.gateway.bearer(world.home.app)}` };
});
afterAll(() => server.close(100));

const document = `subscription ($input: SendMessageInput!) {
  streamMessage(input: $input) { part turn { messages { content } } }
}`;
const variables = (content: string, agentId = world.agent.id) => ({ input: { agentId, ...say(content) } });
const accept = 'multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/graphql-response+json';
const post = (body: object, more: Record<string, string> = {}) =>
  fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { accept, 'content-type': 'application/json', ...headers, ...more },
    body: JSON.stringify(body),
  });

type Event = { streamMessage: { part: { type: string }; turn: { messages: { content: string }[] } | null } };

/** The bodies of the parts, and whether the final boundary has arrived. */
function partsIn(text: string): { bodies: unknown[]; ended: boolean } {
  const [, ...parts] = text.split('\r\n--graphql');
  const last = parts.pop();
  const bodies = parts.map((part) => {
    const [, body = ''] = part.split('\r\n\r\n');
    return JSON.parse(body) as unknown;
  });
  return { bodies, ended: last === '--\r\n' };
}

describe('a subscription over multipart', () => {
  test('is followed by Apollo Client, event by event, to its end', async () => {
    const link = new HttpLink({ uri: `${server.url}/graphql`, headers });
    const client = new ApolloClient({ link, cache: new InMemoryCache() });
    const events: Event[] = [];
    let heard: (() => void) | undefined;
    const firstWord = new Promise<void>((resolve) => {
      heard = resolve;
    });
    const ended = new Promise<void>((resolve, reject) => {
      client.subscribe<Event>({ query: gql(document), variables: variables('Hello') }).subscribe({
        next: ({ data, error }) => {
          if (error) reject(error);
          if (data) events.push(data);
          if (data?.streamMessage.part.type === 'text-delta') heard?.();
        },
        complete: resolve,
        error: reject,
      });
    });
    const call = await world.model.next();
    call.say('One');
    await firstWord;
    expect(events.at(-1)?.streamMessage.turn).toBeNull();
    call.say(' two').end();
    await ended;
    client.stop();
    expect(events.map(({ streamMessage }) => streamMessage.part.type)).toEqual([
      'start',
      'start-step',
      'text-start',
      'text-delta',
      'text-delta',
      'text-end',
      'finish',
      'data-turn',
    ]);
    expect(events.at(-1)?.streamMessage.turn?.messages).toMatchObject([{ content: 'One two' }]);
  });

  test('has the form of the protocol, and shows that it lives as often as STREAM_PING_MS says', async () => {
    const response = await post({ query: document, variables: variables('Slow') });
    const call = await world.model.next();
    expect(response.headers.get('content-type')).toBe('multipart/mixed; boundary="graphql"; subscriptionSpec="1.0"');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    const decoder = new TextDecoder();
    let text = '';
    let told = false;
    for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(bytes, { stream: true });
      if (told || text.split('\r\n\r\n{}\r\n').length < 3) continue;
      call.say('At last').end();
      told = true;
    }
    const { bodies, ended } = partsIn(text);
    expect(ended).toBe(true);
    const results = bodies.filter((body) => !isPing(body)) as { payload: { data: Event } }[];
    expect(results.at(-1)?.payload.data.streamMessage.turn?.messages).toMatchObject([{ content: 'At last' }]);
    expect(results.every(({ payload }) => payload.data)).toBe(true);
  });

  test.each([
    ['a document that does not fit', 'subscription { nothing }', {}, 400, 'invalid_request'],
    ['a bad input', document, { input: { agentId: 1, message: {} } }, 200, 'invalid_request'],
    ['no bearer', document, {}, 401, 'unauthorized'],
  ])('is refused as JSON: %s', async (what, query, given, status, code) => {
    const response = await post({ query, variables: given }, what === 'no bearer' ? { authorization: '' } : {});
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code } }] });
  });

  test('of an agent of another workspace is not found', async () => {
    const response = await post({ query: document, variables: variables('x', 'agt_00000000000000000000000000') });
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'not_found' } }] });
  });

  test('is not begun for who names another protocol', async () => {
    const response = await post(
      { query: document, variables: variables('Other') },
      { accept: 'multipart/mixed;subscriptionSpec=2.0' },
    );
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'unsupported_media_type' } }] });
  });

  test('that is left goes on: the turn is answered', async () => {
    const abort = new AbortController();
    const response = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: { accept, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query: document, variables: variables('Left') }),
      signal: abort.signal,
    });
    const call = await world.model.next();
    call.say('One');
    await response.body?.getReader().read();
    abort.abort();
    call.say(' two').end();
    await call.closed;
    await expect
      .poll(() => world.gateway.database.message.count({ where: { content: 'One two', role: 'assistant' } }), {
        timeout: 30_000,
      })
      .toBeGreaterThan(1);
  });
});

const isPing = (body: unknown) => JSON.stringify(body) === '{}';
