import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createApp } from '../../../src/app.ts';
import { Connections } from '../../../src/http/connections.ts';
import { type Listening, listen } from '../../../src/http/server.ts';
import { type BodyAllowance, UnfinishedBodies } from '../../../src/http/unfinished-bodies.ts';
import { routes } from '../../../src/rest/routes.ts';
import { createAddressOf } from '../../../src/widget/caller.ts';
import { useGateway } from '../../support/gateway/app.ts';
import { makeWorkspace } from '../../support/gateway/factories.ts';

const gateway = useGateway();
let bearer: string;
beforeAll(async () => {
  bearer = `Bearer ${await gateway.bearer((await makeWorkspace(gateway)).owner)}`;
});

type Begun = { socket: Socket; answer: () => string; closed: Promise<unknown> };
const answerOf = ({ answer }: Begun) => {
  const [head = '', body = ''] = answer().split('\r\n\r\n');
  return { status: Number(head.slice(9, 12)), head, body: body && JSON.parse(body) };
};

describe.each([
  ['compiled queries', true],
  ['the resolvers', false],
])('before %s', (_, compiled) => {
  let time = 0;
  let server: Listening;
  let bodies: UnfinishedBodies;
  let connections: Connections;
  let begun: Begun[] = [];

  /** Serves with its own limits and a stopped clock. */
  const serve = async (allowance: Partial<BodyAllowance> = {}) => {
    await server?.close(0);
    const services = {
      ...gateway.services,
      config: { ...gateway.services.config, compiledQueries: compiled, trustedProxies: ['127.0.0.1/32'] },
    };
    const app = createApp(services, async () => null);
    bodies = new UnfinishedBodies({ allowance, now: () => time, addressOf: createAddressOf(services) });
    connections = new Connections({ now: () => time });
    const served = { pipeline: app.pipeline, bodies, connections };
    server = await listen(app.fetch, { host: '127.0.0.1', port: 0 }, served);
  };
  beforeEach(() => serve());
  afterEach(() => {
    for (const { socket } of begun) socket.destroy();
    begun = [];
  });
  afterAll(() => server.close(0));

  /** Sends the head of a request and a part of its body. */
  const begin = (path: string, sent: string, headers: Record<string, string> = {}, method = 'POST'): Begun => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', () => {});
    const all: Record<string, string> = { Host: 'localhost', 'Content-Type': 'application/json', ...headers };
    if (!('Transfer-Encoding' in all)) all['Content-Length'] ??= '900000';
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${sent}`);
    const one = { socket, answer: () => text, closed: once(socket, 'close') };
    begun.push(one);
    return one;
  };
  const beginMany = (count: number, path: string, sent: string, headers: Record<string, string>) =>
    Array.from({ length: count }, () => begin(path, sent, headers));
  const answered = (one: Begun) => expect.poll(() => answerOf(one).status).toBeGreaterThan(0);

  const chunked = { 'Transfer-Encoding': 'chunked' };
  const part = `{"query":"${'x'.repeat(50_000)}`;
  const reached: [method: string, path: string, headers: Record<string, string>][] = [
    ['POST', '/graphql', {}],
    ['POST', '/graphql', chunked],
    ['POST', '/graphql', { 'Content-Length': '15000000' }],
    ['POST', '/graphql', { 'Content-Type': 'multipart/form-data; boundary=x' }],
    ['POST', '/widget/messages', {}],
    ...routes
      .filter(({ body }) => body)
      .flatMap(({ method, path }): typeof reached => [
        [method.toUpperCase(), path.replaceAll(/\{\w+\}/g, 'x'), {}],
        [method.toUpperCase(), path.replaceAll(/\{\w+\}/g, 'x'), chunked],
      ]),
  ];

  test('who shows no bearer is refused while the body has only begun, on every path', async () => {
    const refused = async ([method, path, headers]: (typeof reached)[number], authorization: object) => {
      const sent = 'Transfer-Encoding' in headers ? `${part.length.toString(16)}\r\n${part}\r\n` : part;
      const one = begin(path, sent, { ...headers, ...authorization }, method);
      await answered(one);
      const { status, head, body } = answerOf(one);
      expect([path, status, head]).toEqual([path, 401, expect.stringMatching(/www-authenticate: Bearer/i)]);
      expect(path === '/graphql' ? body.errors[0].extensions.code : body.code).toBe('unauthorized');
      return one;
    };
    expect(reached.length).toBeGreaterThan(20);
    for (const authorization of [{}, { Authorization: 'Bearer wrong' }]) {
      const all = await Promise.all(reached.map((request) => refused(request, authorization)));
      await expect.poll(() => [bodies.count, bodies.bytes]).toEqual([0, 0]);
      time += 5_000;
      await bodies.check();
      await Promise.all(all.map(({ closed }) => closed));
    }
  });

  test.each(['keep-alive', 'close'])(
    'the rest of an answered body is waited for, but not from who sends nothing more, nor from many (%s)',
    async (connection) => {
      await serve({ dropped: 2 });
      const strangers: Begun[] = [];
      while (strangers.length < 3) {
        const one = begin('/rest/leads', '{', { Connection: connection });
        // It goes on sending when the gateway has said that it will answer nothing more.
        one.socket.allowHalfOpen = true;
        await answered(one);
        strangers.push(one);
      }
      strangers[0]?.socket.end();
      await strangers[0]?.closed;
      await expect.poll(() => bodies.dropped).toBe(2);
      time += 4_999;
      await bodies.check();
      expect(bodies.dropped).toBe(2);
      time += 1;
      await bodies.check();
      expect(bodies.dropped).toBe(0);
      for (const { socket } of strangers) socket.end();
      await Promise.all(strangers.map(({ closed }) => closed));
    },
  );

  test.each(['keep-alive', 'close'])(
    'a body that goes on after its answer is waited for, for half a minute, and the answer stays (%s)',
    async (connection) => {
      const check = vi.spyOn(connections, 'check');
      // The server's own call, each second.
      await expect.poll(() => check.mock.calls.length).toBeGreaterThan(0);
      const accepted: Socket[] = [];
      const watch = vi.spyOn(bodies, 'watch').mockImplementation((socket) => {
        accepted.push(socket);
        return UnfinishedBodies.prototype.watch.call(bodies, socket);
      });
      const goOn = async ({ socket }: Begun, one: Socket | undefined) => {
        const before = one?.bytesRead;
        socket.write('x');
        await expect.poll(() => one?.bytesRead).not.toBe(before);
        time += 4_000;
        await bodies.check();
        connections.check(check.mock.lastCall?.[0]);
      };
      const [ends, goesOn] = ['9', '900000'].map((length) => {
        const one = begin('/rest/leads', '{', { Connection: connection, 'Content-Length': length });
        one.socket.allowHalfOpen = true;
        one.socket.pause();
        return one;
      }) as [Begun, Begun];
      await expect.poll(() => bodies.dropped).toBe(2);
      const [first, second] = accepted;
      watch.mockRestore();
      for (let round = 0; round < 7; round++) {
        await goOn(ends, first);
        time -= 4_000;
        await goOn(goesOn, second);
        expect(bodies.dropped).toBe(2);
      }
      ends.socket.write('}');
      await expect.poll(() => bodies.dropped).toBe(1);
      await goOn(goesOn, second);
      expect(bodies.dropped).toBe(0);
      ends.socket.resume().end();
      goesOn.socket.resume().end();
      await Promise.all([ends.closed, goesOn.closed]);
      expect(answerOf(ends)).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
    },
  );

  test('a refusal reaches who sends all of a large body before looking for it', async () => {
    const response = await fetch(`${server.url}/rest/leads`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'x'.repeat(8_000_000) }),
    });
    expect([response.status, await response.json()]).toMatchObject([401, { code: 'unauthorized' }]);
  });

  const mine = (headers: object = {}) => ({ Authorization: bearer, ...headers });
  const half = `{"query":"{ viewer { role } } #${'x'.repeat(60_000)}`;
  const rest = (length: number) => `${'x'.repeat(length - half.length - 2)}"}`;

  test('too many bytes in all cost the oldest body its place, which is told so and can be sent again', async () => {
    await serve({ bytes: 170_000 });
    const first = begin('/graphql', half, mine({ 'Content-Length': '99000' }));
    await expect.poll(() => bodies.bytes).toBe(half.length);
    const other = begin('/graphql', half, mine({ 'Content-Length': '99000' }));
    await expect.poll(() => bodies.bytes).toBe(2 * half.length);
    const third = begin('/rest/leads', half, mine());
    await answered(first);
    expect(answerOf(first)).toMatchObject({
      status: 503,
      head: expect.stringMatching(/retry-after: 1/i),
      body: { errors: [{ extensions: { code: 'unavailable' } }] },
    });
    expect([bodies.count, bodies.bytes]).toEqual([2, 2 * half.length]);
    other.socket.write(rest(99_000));
    await answered(other);
    expect(answerOf(other)).toMatchObject({ status: 200, body: { data: { viewer: { role: 'owner' } } } });
    expect(answerOf(third).status).toBe(0);
    time += 5_000;
    await bodies.check();
    await first.closed;
  });

  test('a refused body that came while the process was held up leaves its connection open', async () => {
    await serve({ count: 0 });
    const one = begin('/graphql', '', mine({ 'Content-Length': '2' }));
    await answered(one);
    expect(answerOf(one).status).toBe(503);
    // The rest is in the system's buffer when the clock is read, as after a long pause of this process.
    one.socket.write('{}GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n');
    time += 60_000;
    await bodies.check();
    await expect.poll(one.answer).toMatch(/HTTP\/1.1 200/);
  });

  test('too many bodies in all cost one without a bearer its place, before the others', async () => {
    await serve({ count: 3 });
    const [one, two] = beginMany(2, '/rest/leads', '{', mine());
    await expect.poll(() => bodies.count).toBe(2);
    const stranger = begin('/widget/session', '{', { 'Content-Length': '20000' });
    await expect.poll(() => bodies.count).toBe(3);
    begin('/rest/leads', '{', mine());
    await answered(stranger);
    expect(answerOf(stranger)).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect([one, two].map((each) => each && answerOf(each).status)).toEqual([0, 0]);
    expect(bodies.count).toBe(3);
  });

  test('of one address, few bodies may fall silent, and the others are not limited', async () => {
    await serve({ slowPerAddress: 2 });
    const silent = beginMany(5, '/graphql', half, mine());
    const elsewhere = beginMany(2, '/rest/leads', '{', mine({ 'X-Forwarded-For': '203.0.113.9' }));
    await expect.poll(() => bodies.bytes).toBe(5 * half.length + 2);
    time += 9_999;
    await bodies.check();
    expect(bodies.count).toBe(7);
    time += 1;
    const busy = beginMany(20, '/rest/leads', '{', mine());
    await expect.poll(() => bodies.count).toBe(27);
    await bodies.check();
    expect(bodies.count).toBe(24);
    await expect.poll(() => silent.map((one) => answerOf(one).status).toSorted()).toEqual([0, 0, 429, 429, 429]);
    const refused = silent.map(answerOf).find(({ status }) => status === 429);
    expect(refused?.head).toMatch(/retry-after: 10/i);
    expect(refused?.body.errors[0].extensions.code).toBe('rate_limited');
    expect([...busy, ...elsewhere].map((one) => answerOf(one).status)).toEqual(Array(22).fill(0));
    for (const { socket } of busy) socket.write(`${' '.repeat(899_998)}}`);
    await expect.poll(() => busy.map((one) => answerOf(one).status)).toEqual(Array(20).fill(400));
  });

  test('of one address, few bodies without a bearer are under way', async () => {
    await serve({ slowPerAddress: 2 });
    const strangers = beginMany(5, '/widget/session', '{', { 'Content-Length': '20000' });
    await expect.poll(() => bodies.count).toBe(5);
    await bodies.check();
    await expect.poll(() => strangers.map((one) => answerOf(one).status).toSorted()).toEqual([0, 0, 429, 429, 429]);
    expect(bodies.count).toBe(2);
  });

  test('a body that ends, breaks off or never was is counted no more', async () => {
    const [leaver] = beginMany(1, '/rest/leads', '{', mine());
    await expect.poll(() => bodies.count).toBe(1);
    leaver?.socket.destroy();
    await expect.poll(() => [bodies.count, bodies.bytes]).toEqual([0, 0]);
    const headers = { authorization: bearer, 'content-type': 'application/json' };
    const body = JSON.stringify({ query: '{ viewer { role } }' });
    expect((await fetch(`${server.url}/graphql`, { method: 'POST', headers, body })).status).toBe(200);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    expect([bodies.count, bodies.bytes]).toEqual([0, 0]);
  });
});
