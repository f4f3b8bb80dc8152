import { once } from 'node:events';
import { connect } from 'node:net';
import { Writable } from 'node:stream';
import { Hono } from 'hono';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type App, createApp } from '../../src/app.ts';
import type { Viewer } from '../../src/core/viewer.ts';
import { currentDeadline } from '../../src/database/deadline.ts';
import { pipelineMiddleware } from '../../src/http/node-listener.ts';
import { createPipeline } from '../../src/http/pipeline.ts';
import { type Listening, listen } from '../../src/http/server.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
const lines: Record<string, unknown>[] = [];
let server: Listening;
let app: App;
let owner: Viewer;
let authorization: string;

beforeAll(async () => {
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  const { services } = gateway;
  const log = pino({ level: 'info' }, sink);
  app = createApp({ ...services, log, config: { ...services.config, compiledQueries: true } }, async () => null);
  server = await listen(app.fetch, { host: '127.0.0.1', port: 0 }, { pipeline: app.pipeline });
  owner = (await makeWorkspace(gateway)).owner;
  authorization = `Bearer ${await gateway.bearer(owner)}`;
});
afterAll(() => server.close(0));

const post = (path: string, body: BodyInit, headers: Record<string, string> = {}) =>
  fetch(server.url + path, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', ...headers },
    body,
    ...(body instanceof ReadableStream && { duplex: 'half' }),
  } as RequestInit);
const ask = (query: string) => post('/graphql', JSON.stringify({ query }));

/** Writes raw bytes to a socket; returns the response until the server, or with `leave` the caller, closes it. */
async function exchange(text: string | Buffer, leave = false): Promise<string> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  if (leave) socket.end(text);
  else socket.write(text);
  await once(socket, 'close');
  return answer;
}

const head = (length: number) =>
  `POST /graphql HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: ${authorization}\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

describe('a read over HTTP', () => {
  test('is served by a compiled query, with the headers of every answer and one line in the log', async () => {
    const response = await post('/graphql', JSON.stringify({ query: '{ leads { totalCount } }' }), {
      'x-request-id': 'fast-1',
    });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'x-parley-compiled': '1',
      'x-request-id': 'fast-1',
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
    });
    expect(await response.json()).toEqual({ data: { leads: { totalCount: expect.any(Number) } } });
    expect(lines.filter(({ requestId }) => requestId === 'fast-1')).toEqual([
      expect.objectContaining({
        method: 'POST',
        path: '/graphql',
        status: 200,
        workspaceId: owner.workspaceId,
        ms: expect.any(Number),
      }),
    ]);
  });

  test('keeps every character of its bytes', async () => {
    const name = 'Zoë 日本 🚀 "quoted" \\ \u2028 end';
    const created = await ask(`mutation { createAgent(input: {name: ${JSON.stringify(name)}}) { agent { id } } }`);
    const answer = await created.json();
    expect(answer.errors).toBeUndefined();
    const { id } = answer.data.createAgent.agent;
    const response = await ask(`{ agent(id: "${id}") { name } }`);
    expect(response.headers.get('x-parley-compiled')).toBe('1');
    expect((await response.json()).data.agent.name).toBe(name);
  });
});

describe('what compiled queries leave', () => {
  test('reaches the resolvers with its body', async () => {
    const response = await ask('{ __schema { queryType { name } } }');
    expect(response.headers.get('x-parley-compiled')).toBeNull();
    expect(await response.json()).toEqual({ data: { __schema: { queryType: { name: 'Query' } } } });
  });

  test('and a body that tells no length does too', async () => {
    const query = JSON.stringify({ query: '{ leads { totalCount } }' });
    const response = await post('/graphql', new Blob([query]).stream());
    expect(await response.json()).toEqual({ data: { leads: { totalCount: expect.any(Number) } } });
  });

  test('and one that is large', async () => {
    const body = { query: '{ leads { totalCount } }', variables: { unused: 'x'.repeat(1_100_000) } };
    const response = await post('/graphql', JSON.stringify(body));
    expect(await response.json()).toEqual({ data: { leads: { totalCount: expect.any(Number) } } });
  });

  test.each([
    ['no bearer', { authorization: '' }, 401],
    ['a wrong bearer', { authorization: 'Bearer nonsense' }, 401],
    ['another media type', { 'content-type': 'text/plain' }, 415],
  ])('is answered as ever: %s', async (_what, headers, status) => {
    const response = await post('/graphql', JSON.stringify({ query: '{ leads { totalCount } }' }), headers);
    expect(response.status).toBe(status);
    expect((await response.json()).errors).toHaveLength(1);
  });
});

describe('on the wire', () => {
  test('bytes that are not UTF-8 are refused', async () => {
    const query = Buffer.from(JSON.stringify({ query: '{ leads(search: "\u00ff") { totalCount } }' }), 'latin1');
    const answer = await exchange(Buffer.concat([Buffer.from(head(query.length)), query]));
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('The body is not valid UTF-8');
  });

  test('a body that breaks off leaves the server as it was', async () => {
    await exchange(`${head(500)}{"query": "{ leads`, true);
    expect((await ask('{ leads { totalCount } }')).status).toBe(200);
  });

  test.each(['Host: localhost', 'hOST: other.example'])('a second %s is refused, whatever is asked', async (host) => {
    const body = JSON.stringify({ query: '{ leads { totalCount } }' });
    const several = `Host: localhost\r\n${host}`;
    const answer = await exchange(head(body.length).replace('Host: localhost', several) + body);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    const page = `GET /health HTTP/1.1\r\n${several}\r\nConnection: close\r\n\r\n`;
    expect(await exchange(page)).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('a host that is none is refused', async () => {
    const body = JSON.stringify({ query: '{ leads { totalCount } }' });
    const answer = await exchange(head(body.length).replace('Host: localhost', 'Host: a b') + body);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });
});

const json = () => ({ authorization, 'content-type': 'application/json' });

describe('a body that is left to the resolvers', () => {
  // The write stores the lead, and locks a field of the workspace.
  const body = JSON.stringify({ name: 'Ana', custom: { note: 'parsed once' } });
  const timesParsed = async (send: () => Response | Promise<Response>) => {
    const parse = vi.spyOn(JSON, 'parse');
    try {
      const response = await send();
      expect([response.status, response.headers.get('x-parley-compiled')]).toEqual([200, null]);
      expect(await response.json()).toMatchObject({ name: 'Ana', custom: { note: 'parsed once' } });
      return parse.mock.calls.filter(([text]) => text === body).length;
    } finally {
      parse.mockRestore();
    }
  };

  test('is parsed once, through a port and through fetch, with a key and without', async () => {
    for (const key of [{}, { 'idempotency-key': 'parsed-once' }] as Record<string, string>[]) {
      expect(await timesParsed(() => post('/rest/leads', body, key))).toBe(1);
      const init = { method: 'POST', body, headers: { ...json(), ...key } };
      expect(await timesParsed(() => app.request('/rest/leads', init))).toBe(1);
    }
  });

  test('is parsed once where it is one of GraphQL', async () => {
    const operation = JSON.stringify({
      query: '{ __schema { queryType { name } } }',
      variables: { of: 'parsed once' },
    });
    for (const send of [
      () => post('/graphql', operation),
      () => app.request('/graphql', { method: 'POST', body: operation, headers: json() }),
    ]) {
      const parse = vi.spyOn(JSON, 'parse');
      const response = await send();
      const times = parse.mock.calls.filter(([text]) => text === operation).length;
      parse.mockRestore();
      expect(await response.json()).toEqual({ data: { __schema: { queryType: { name: 'Query' } } } });
      expect(times).toBe(1);
    }
  });

  test('is refused as if it were read for the first time', async () => {
    const answer = await post('/rest/leads', JSON.stringify({ name: 7 }));
    expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'invalid_request' }]);
  });
});

test('a request has one deadline for the database, whoever answers it in the end', async () => {
  const deadlines: unknown[] = [];
  const note = () => void deadlines.push(currentDeadline(null));
  const handler = async () => {
    note();
    return null;
  };
  const log = pino({ level: 'silent' });
  const pipeline = createPipeline({ handlers: [() => null, handler], log, databaseTimeoutMs: 25_000 });
  const app = new Hono().use(pipelineMiddleware(pipeline)).get('*', (c) => {
    note();
    return c.text('the app');
  });
  const other = await listen(app.fetch, { host: '127.0.0.1', port: 0 }, { pipeline });
  for (let request = 0; request < 2; request++) expect(await (await fetch(other.url)).text()).toBe('the app');
  expect(await (await app.request('/')).text()).toBe('the app');
  await other.close(0);
  expect(deadlines.map((deadline) => deadlines.indexOf(deadline))).toEqual([0, 0, 2, 2, 4, 4]);
  expect(deadlines).not.toContain(null);
});

describe('a failure of the pipeline itself', () => {
  const unused = () => new Response('asked once more');

  test('is the answer: nobody asks again, since something may have been written', async () => {
    const lost = async () => {
      throw new Error('the connection was lost');
    };
    const log = pino({ level: 'silent' });
    const pipeline = createPipeline({
      handlers: [lost],
      log,
      databaseTimeoutMs: 25_000,
    });
    const other = await listen(unused, { host: '127.0.0.1', port: 0 }, { pipeline });
    const response = await fetch(`${other.url}/rest/leads`, { method: 'POST', body: '{}' });
    expect([response.status, (await response.json()).code]).toEqual([500, 'internal_error']);
    await other.close(0);
  });

  test('that cannot even be told ends the connection', async () => {
    const fail = async () => {
      throw new Error('no answer can be made');
    };
    const pipeline = Object.assign(fail, { databaseTimeoutMs: 25_000 });
    const other = await listen(unused, { host: '127.0.0.1', port: 0 }, { pipeline });
    await expect(fetch(`${other.url}/rest/leads`, { method: 'POST', body: '{}' })).rejects.toThrow();
    await other.close(0);
  });
});

describe('a turn over HTTP', () => {
  test.each([
    ['text/event-stream', 'text/event-stream'],
    ['application/json;q=0.5, text/event-stream', 'text/event-stream'],
    ['application/json', 'application/json'],
    ['*/*', 'application/json'],
  ])('that accepts %s is answered as %s, by both ways', async (accept, expected) => {
    const { id } = await makeAgent(gateway, owner);
    const body = JSON.stringify({ message: { content: 'Hello' } });
    const headers = { authorization, accept, 'content-type': 'application/json' };
    const answers = [
      await post(`/api/${id}`, body, { accept }),
      await app.request(`/api/${id}`, { method: 'POST', headers, body }),
    ];
    for (const answer of answers) {
      expect([answer.status, answer.headers.get('content-type')?.split(';')[0]]).toEqual([200, expected]);
      expect(await answer.text()).toContain(expected === 'application/json' ? '"messages"' : '"text-delta"');
    }
  });
});
