import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { type Listening, listen } from '../../src/http/server.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
let server: Listening;
let authorization: string;
beforeAll(async () => {
  const app = createApp(gateway.services, async () => null);
  server = await listen(app.fetch, { host: '127.0.0.1', port: 0 }, { pipeline: app.pipeline });
  authorization = `Bearer ${await gateway.bearer((await makeWorkspace(gateway)).owner)}`;
});
afterAll(() => server.close(0));

const query = '{ bases { totalCount } }';
const answer = { data: { bases: { totalCount: 0 } } };

/** Sends bytes as they are, and returns each response's head and body, as far as the server closes the connection. */
async function exchange(...parts: (string | Buffer)[]): Promise<string> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  for (const part of parts) socket.write(part);
  await once(socket, 'close');
  return received;
}
const head = (line: string, headers: Record<string, string>) =>
  `${line} HTTP/1.1\r\n${Object.entries({
    Host: 'localhost',
    Connection: 'close',
    Authorization: authorization,
    ...headers,
  })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;
const post = (body: string | Uint8Array, headers: Record<string, string>) =>
  fetch(`${server.url}/graphql`, { method: 'POST', headers: { authorization, ...headers }, body: body as BodyInit });

describe('the type of a body', () => {
  test.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json;',
    'application/json;charset=utf-8',
    'application/json; charset="UTF-8"',
    'application/json; charset=utf8',
    'application/json ; charset=utf-8',
    'application/json; charset=utf-8; boundary=x',
    'application/json; odata.metadata=minimal',
    'application/vnd.api+json',
  ])('%s is JSON', async (type) => {
    const response = await post(JSON.stringify({ query }), { 'content-type': type });
    expect([response.status, await response.json()]).toEqual([200, answer]);
  });

  test.each([
    ['text/plain', '', 'Content-Type'],
    ['application/json; charset=iso-8859-1', '', 'in UTF-8'],
    ['application/json', 'gzip', 'uncompressed'],
    ['application/json', 'br', 'uncompressed'],
  ])('%s %s is told what to send', async (type, coding, hint) => {
    const body = gzipSync(JSON.stringify({ query }));
    const response = await post(body, { 'content-type': type, ...(coding && { 'content-encoding': coding }) });
    expect([response.status, JSON.stringify(await response.json())]).toEqual([415, expect.stringContaining(hint)]);
  });

  test('may say that it is not compressed', async () => {
    const response = await post(JSON.stringify({ query }), {
      'content-type': 'application/json',
      'content-encoding': 'identity',
    });
    expect(response.status).toBe(200);
  });
});

describe('a body', () => {
  const asked = JSON.stringify(query);
  test.each([
    ['with a mark at its start', `\ufeff{"query":${asked}}`],
    ['with a key twice, of which the last counts', `{"query":"{ nothing }","query":${asked}}`],
    ['with escapes in its keys', `{"\\u0071uery":${asked}}`],
    ['with white space around', `\r\n\t {"query": ${asked} }\n\n`],
    ['with null for what is not there', `{"query":${asked},"variables":null,"operationName":null,"extensions":null}`],
  ])('%s is read', async (_, body) => {
    const response = await post(body, { 'content-type': 'application/json' });
    expect([response.status, await response.json()]).toEqual([200, answer]);
  });
});

describe('a request is read that', () => {
  const body = JSON.stringify({ query });
  const json = { 'Content-Type': 'application/json' };
  const size = String(Buffer.byteLength(body));
  test('waits for 100 (Continue) before its body', async () => {
    const received = await exchange(
      head('POST /graphql', { ...json, 'Content-Length': size, Expect: '100-continue' }),
      body,
    );
    expect(received).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
    expect(received).toContain(JSON.stringify(answer));
  });

  test.each([
    ['in pieces', `${Number(size).toString(16)}\r\n${body}\r\n0\r\n\r\n`],
    [
      'in pieces of a letter',
      `${body
        .split('')
        .map((letter) => `1\r\n${letter}\r\n`)
        .join('')}0\r\n\r\n`,
    ],
    ['in pieces with extensions', `${Number(size).toString(16).toUpperCase()};name="x"\r\n${body}\r\n0\r\n\r\n`],
    ['in pieces with a trailer', `${Number(size).toString(16)}\r\n${body}\r\n0\r\nX-Sum: 1\r\n\r\n`],
  ])('comes %s', async (_, pieces) => {
    const received = await exchange(head('POST /graphql', { ...json, 'Transfer-Encoding': 'chunked' }), pieces);
    expect(received).toMatch(/^HTTP\/1\.1 200 /);
    expect(received).toContain(JSON.stringify(answer));
  });

  test('names the whole address', async () => {
    const received = await exchange(head('POST http://localhost/graphql', { ...json, 'Content-Length': size }), body);
    expect(received).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('has its headers in any letters', async () => {
    const received = await exchange(
      `POST /graphql HTTP/1.1\r\nhOST: localhost\r\nCONNECTION: close\r\naUTHORIZATION: ${authorization}\r\nCONTENT-type: application/json\r\ncontent-LENGTH: ${size}\r\n\r\n`,
      body,
    );
    expect(received).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('an address', () => {
  const get = (path: string) => exchange(head(`GET ${path}`, {}));
  test.each([
    '/rest/bases',
    '/rest/bases/',
    '/rest/bases?',
    '/rest/bases?size=5',
    '/rest/bases?%73ize=%35',
    '/rest/%62ases',
    '/rest/./bases',
    '/rest/x/../bases',
    '/rest/bases#top',
  ])('%s is one of the list', async (path) => {
    expect(await get(path)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test.each<[string, number]>([
    ['/rest/bases/%zz', 404],
    ['/rest/bases/%', 404],
    ['/rest/bases/%ED%A0%BD', 404],
    ['/rest/bases/a%2Fb', 404],
    ['/rest/bases/%00', 400],
    ['/rest/bases?size=%zz', 400],
    ['/rest/bases?size=%00', 400],
    ['/rest/bases?size=5&size=6', 400],
    ['//rest/bases', 404],
    ['/REST/BASES', 404],
  ])('%s is refused in the shape of an error', async (path, status) => {
    const received = await get(path);
    const [, told = ''] = received.split('\r\n\r\n');
    expect([Number(/^HTTP\/1\.1 (\d+)/.exec(received)?.[1]), told]).toEqual([
      status,
      expect.stringContaining('"code"'),
    ]);
  });
});
