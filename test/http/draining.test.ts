import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { Connections } from '../../src/http/connections.ts';
import { listen } from '../../src/http/server.ts';
import { UnfinishedBodies } from '../../src/http/unfinished-bodies.ts';

/** A request on a kept connection. */
function send(url: string, agent: Agent): Promise<{ connection: string | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent }, (response: IncomingMessage) => {
      text(response).then((body) => resolve({ connection: response.headers.connection, body }), reject);
    });
    sent.on('error', reject).end();
  });
}

test('a server that drains answers what is in flight and one more request of each connection, and fails none', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const server = await listen(
    async ({ url }) => {
      if (url.endsWith('/held')) await held;
      return new Response('ok');
    },
    { host: '127.0.0.1', port: 0 },
  );
  const [idle, busy] = [1, 2].map(() => new Agent({ keepAlive: true, maxSockets: 1 })) as [Agent, Agent];
  expect((await send(`${server.url}/`, idle)).connection).toBe('keep-alive');
  const inFlight = send(`${server.url}/held`, busy);
  // On the wire before the drain begins.
  await send(`${server.url}/`, new Agent());
  const drained = server.drain(30_000);
  release();
  expect(await inFlight).toEqual({ connection: 'close', body: 'ok' });
  expect(await send(`${server.url}/`, idle)).toEqual({ connection: 'close', body: 'ok' });
  await drained;
  await expect(send(`${server.url}/`, new Agent())).rejects.toThrow('ECONNREFUSED');
  await server.close(0);
});

test('a server that drains answers the connections that wait to be accepted: their clients may have sent a request', async () => {
  let now = 0;
  const connections = new Connections({ now: () => now });
  const address = { host: '127.0.0.1', port: 0 };
  const server = await listen(async () => new Response('ok'), address, { connections });
  const answers = Array.from({ length: 20 }, () => send(`${server.url}/`, new Agent({ keepAlive: true })));
  // The kernel has connected them, and the event loop has not looked since.
  await new Promise(process.nextTick);
  // The limit is counted in rounds: a busy machine does not shorten it.
  const timer = setInterval(() => now++);
  const drained = server.drain(30_000);
  const all = await Promise.allSettled(answers);
  expect(all).toEqual(Array(20).fill({ status: 'fulfilled', value: { connection: 'close', body: 'ok' } }));
  clearInterval(timer);
  await drained;
  await server.close(0);
});

test('a server that drains takes the connections that another process still hands over, and then stops', async () => {
  const answers: ReturnType<typeof send>[] = [];
  const handOver = async () => {
    if (answers.length === 5) return;
    const arrived = connections.count + 1;
    answers.push(send(`${server.url}/`, new Agent({ keepAlive: true })));
    while (connections.count < arrived) await new Promise(setImmediate);
  };
  // Its time stands still: only the handing over decides.
  const connections: Connections = new Connections({ handOver, now: () => 0 });
  const server = await listen(async () => new Response('ok'), { host: '127.0.0.1', port: 0 }, { connections });
  const drained = server.drain(30_000);
  const ok = { connection: 'close', body: 'ok' };
  await expect.poll(() => answers.length).toBe(5);
  expect(await Promise.all(answers)).toEqual(Array(5).fill(ok));
  await drained;
  await expect(send(`${server.url}/`, new Agent())).rejects.toThrow('ECONNREFUSED');
  await server.close(0);
});

const neverMs = 3_600_000;
test.each(
  ['close', 'drain'].flatMap((how) =>
    ['keep-alive', 'close'].flatMap((connection) =>
      ['before', 'after'].map((when) => ({ how, connection, when }) as Record<'how' | 'connection' | 'when', string>),
    ),
  ),
)('a server that is to $how waits for no answered body ($connection, answered $when)', async (which) => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  // By its clock, no body takes too long.
  const bodies = new UnfinishedBodies({ now: () => 0 });
  const answer = async () => {
    await held;
    return new Response('no', { status: 401 });
  };
  const server = await listen(answer, { host: '127.0.0.1', port: 0 }, { bodies });
  const socket = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1', allowHalfOpen: true });
  let received = '';
  socket.on('data', (chunk) => void (received += chunk)).on('error', () => {});
  const head = `POST / HTTP/1.1\r\nHost: x\r\nConnection: ${which.connection}\r\nContent-Length: 900000\r\n\r\n`;
  socket.write(`${head}{`);
  const dripping = setInterval(() => socket.write('x'), 50);
  const answered = async () => {
    release();
    await expect.poll(() => received).toMatch(/^HTTP\/1.1 401 [^]*no$/);
  };
  if (which.when === 'before') await answered();
  else await expect.poll(() => bodies.count).toBe(1);
  const stopped = which.how === 'close' ? server.close(neverMs) : server.drain(neverMs, 0);
  if (which.when === 'after') await answered();
  await stopped;
  clearInterval(dripping);
  socket.destroy();
});
