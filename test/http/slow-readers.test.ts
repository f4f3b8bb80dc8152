import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Hono } from 'hono';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { newId } from '../../src/database/ids.ts';
import { Connections, type ReadingAllowance } from '../../src/http/connections.ts';
import type { HttpVariables } from '../../src/http/log/request-log.ts';
import { type Fetch, type Listening, listen } from '../../src/http/server.ts';
import { streamResponse } from '../../src/rest/stream.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
let home: TestWorkspace;
let authorization: string;
beforeAll(async () => {
  home = await makeWorkspace(gateway);
  authorization = `Bearer ${await gateway.bearer(home.owner)}`;
});

let time = 0;
let server: Listening | undefined;
let connections: Connections;
const sockets: Socket[] = [];
/** Serves with a stopped clock; only the test checks the connections. */
async function serve(fetch: Fetch, allowance: Partial<ReadingAllowance> = {}) {
  connections = new Connections({ allowance, now: () => time });
  server = await listen(fetch, { host: '127.0.0.1', port: 0 }, { connections });
}
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server?.close(0);
});

type Client = { socket: Socket; closed: Promise<unknown> };
/** Sends a request; reads nothing until the test does. */
async function begin(sent: string): Promise<Client> {
  const socket = connect(Number(new URL(server?.url ?? '').port), '127.0.0.1').on('error', () => {});
  sockets.push(socket);
  await once(socket, 'connect');
  socket.pause();
  socket.write(sent);
  return { socket, closed: new Promise((resolve) => socket.once('close', resolve)) };
}
const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;
const post = (path: string, body: object, accept: string) => {
  const text = JSON.stringify(body);
  return (
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\nAccept: ${accept}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
  );
};
/** More than the system buffers for a connection. */
const size = 64_000_000;
const much = () => new Response('x'.repeat(size));
const unread = () => expect.poll(() => connections.check()).toBeGreaterThan(0);

describe('a client that reads nothing', () => {
  test('is disconnected when it has taken nothing for the time it has', async () => {
    await serve(much);
    await begin(get('/'));
    await unread();
    time += 59_999;
    connections.check();
    expect(connections.count).toBe(1);
    time += 1;
    expect(connections.check()).toBe(0);
    await expect.poll(() => connections.count).toBe(0);
  });

  test('is not, as long as it takes some of it, however late', async () => {
    // Not cut for the sum of what is unread, should the server's own check come just before this one.
    await serve(() => new Response('x'.repeat(3 * size)), { bytes: 4 * size });
    const { socket } = await begin(get('/'));
    await unread();
    let got = 0;
    const read = async (bytes: number) => {
      for (const goal = got + bytes; got < goal; ) {
        const chunk = socket.read();
        if (chunk) got += chunk.length;
        else await once(socket, 'readable');
      }
    };
    for (let round = 0; round < 3; round++) {
      // More than Linux buffers for both sides, 38 MB at most, so that it has taken some of the rest.
      await read((3 * size) / 4);
      time += 59_999;
      connections.check();
      expect(connections.count).toBe(1);
    }
    while (got < 3 * size) await read(1);
    expect(connections.count).toBe(1);
  });

  test('is disconnected at once when all that is unread is too much, the one that has stood still longest first', async () => {
    await serve(much, { bytes: 2.5 * size });
    const first = await begin(get('/'));
    await unread();
    time += 1_000;
    await begin(get('/'));
    await begin(get('/'));
    await expect.poll(() => connections.check()).toBeGreaterThan(2.5 * size);
    time += 3_999;
    connections.check();
    expect(connections.count).toBe(3);
    time += 1;
    expect(connections.check()).toBeLessThan(2.5 * size);
    first.socket.resume();
    await first.closed;
    expect(connections.count).toBe(2);
  });

  test('counts with all it asked for, out of turn too', async () => {
    await serve(much, { bytes: 3 * size });
    const { closed, socket } = await begin(get('/').repeat(5));
    await expect.poll(() => connections.check()).toBeGreaterThan(4 * size);
    time += 5_000;
    connections.check();
    socket.resume();
    await closed;
    expect(connections.count).toBe(0);
  });

  test('is disconnected though it goes on sending', async () => {
    await serve(much);
    const { socket } = await begin(get('/'));
    await unread();
    for (let second = 0; second < 60; second++) {
      socket.write(second === 0 ? 'GET /again HTTP/1.1\r\nX-Header: ' : 'x');
      time += 1_000;
      connections.check();
    }
    await expect.poll(() => connections.count).toBe(0);
  });

  test('nor ends the connection, after a request that is not HTTP, is disconnected', async () => {
    await serve(much);
    await begin('what?\r\n\r\n');
    await expect.poll(() => connections.count).toBe(1);
    const allowed = 10_000;
    await expect
      .poll(() => {
        connections.check();
        time += allowed;
        return connections.count;
      })
      .toBe(0);
  });

  test('nor ends the connection, after headers that took too long, is disconnected though it goes on sending', async () => {
    await serve(much);
    const accepted = Promise.withResolvers<Socket>();
    const { add } = connections;
    connections.add = (socket) => {
      add.call(connections, socket);
      accepted.resolve(socket);
    };
    const { socket } = await begin('GET / HTTP/1.1\r\nX-Header: ');
    socket.allowHalfOpen = true;
    const served = await accepted.promise;
    // As Node does after 20 seconds.
    served.emit('error', Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }));
    await expect.poll(() => served.writableFinished).toBe(true);
    for (let second = 0; second <= 10; second++) {
      expect(connections.count).toBe(1);
      const before = served.bytesRead;
      socket.write('x');
      await expect.poll(() => served.bytesRead).toBeGreaterThan(before);
      connections.check();
      time += 1_000;
    }
    await expect.poll(() => connections.count).toBe(0);
  });

  test('while its request is worked on is left alone', async () => {
    const working = Promise.withResolvers<void>();
    await serve(async () => {
      await working.promise;
      return new Response('done');
    });
    const { socket } = await begin(get('/'));
    await expect.poll(() => connections.count).toBe(1);
    time += 3_600_000;
    connections.check();
    working.resolve();
    const [answer] = await once(socket.resume(), 'data');
    expect(String(answer)).toMatch(/done$/);
  });
});

describe('a stream that nobody reads', () => {
  let made = 0;
  let left = Promise.withResolvers<void>();
  const plain = () => {
    const pull = (stream: ReadableStreamDefaultController) => stream.enqueue(new Uint8Array(100_000).fill(++made));
    const body = new ReadableStream({ pull, cancel: () => left.resolve() });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
  const events = async function* () {
    try {
      while (made < 10_000) yield { id: String(++made), data: 'x'.repeat(100_000) };
    } finally {
      left.resolve();
    }
  };
  const turns = new Hono<{ Variables: HttpVariables }>();
  turns.get('/', (c) => streamResponse(c, { events: events(), pingMs: 1, log: gateway.services.log }));

  test.each<[string, Fetch]>([
    ['of bytes', plain],
    ['of events', turns.fetch],
  ])('%s waits for its reader instead of filling memory, and ends with it', async (_, fetch) => {
    made = 0;
    left = Promise.withResolvers();
    await serve(fetch);
    await begin(get('/'));
    await unread();
    const before = made;
    for (let turn = 0; turn < 1_000; turn++) await new Promise(setImmediate);
    expect(made - before).toBeLessThan(200);
    expect(connections.check()).toBeLessThan(1_000_000);
    time += 60_000;
    connections.check();
    await left.promise;
  });

  const listening = `subscription ($id: ID!) { newMessages(conversationId: $id, after: -1) { content } }`;
  const streams: [name: string, accept: string][] = [
    ['server-sent events', 'text/event-stream'],
    ['multipart', 'multipart/mixed;subscriptionSpec=1.0,application/json'],
  ];
  /** Messages of 60 MB in all. */
  const messages = 2_000;
  let conversationId: string;
  beforeAll(async () => {
    const { id: agentId } = await makeAgent(gateway, home.owner);
    conversationId = newId('conversation');
    const owned = { workspaceId: home.id, conversationId };
    const { database } = gateway;
    const channelId = newId('channel');
    const by = { createdBy: 'x', updatedBy: 'x' };
    const channel = {
      id: channelId,
      workspaceId: home.id,
      agentId,
      platform: 'api' as const,
      credentialsCipher: '',
      ...by,
    };
    await database.channel.create({ data: channel });
    const made = { id: conversationId, workspaceId: home.id, agentId, channelId, messageCount: messages };
    await database.conversation.create({ data: made });
    const content = 'x'.repeat(30_000);
    const data = Array.from({ length: messages }, (_, position) => ({
      ...owned,
      id: newId('message'),
      position,
      role: 'user' as const,
      content,
    }));
    for (let at = 0; at < messages; at += 200) await database.message.createMany({ data: data.slice(at, at + 200) });
  });

  test.each(streams)('as a subscription over %s, likewise', async (_, accept) => {
    let told = 0;
    let ended = false;
    const { messageWatch } = gateway.services;
    const counted: typeof messageWatch = {
      ...messageWatch,
      async *follow(...all) {
        try {
          for await (const message of messageWatch.follow(...all)) {
            told++;
            yield message;
          }
        } finally {
          ended = true;
        }
      },
    };
    const app = createApp({ ...gateway.services, messageWatch: counted }, async () => null);
    await serve(app.fetch);
    const body = { query: listening, variables: { id: conversationId } };
    await begin(post('/graphql', body, accept));
    await unread();
    const before = told;
    expect(before).toBeLessThan(messages);
    await expect.poll(async () => (await gateway.graphql(home.owner, '{ viewer { role } }')).data).toBeTruthy();
    expect(told - before).toBeLessThan(400);
    expect(connections.check()).toBeLessThan(2_000_000);
    time += 60_000;
    connections.check();
    await expect.poll(() => ended).toBe(true);
    expect(told).toBeLessThan(messages);
  });
});
