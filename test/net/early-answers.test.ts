import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { Connections } from '../../src/http/connections.ts';
import { type Listening, listen } from '../../src/http/server.ts';
import { UnfinishedBodies } from '../../src/http/unfinished-bodies.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
let bearer: string;
let server: Listening;
beforeAll(async () => {
  bearer = `Bearer ${await gateway.bearer((await makeWorkspace(gateway)).owner)}`;
  const { fetch, pipeline } = createApp(gateway.services, async () => null);
  // By these clocks, nothing takes too long: only the order of what is sent and answered counts.
  const now = () => 0;
  const served = { pipeline, bodies: new UnfinishedBodies({ now }), connections: new Connections({ now }) };
  server = await listen(fetch, { host: '127.0.0.1', port: 0 }, served);
});
afterAll(() => server.close(0));

/** As a proxy does: sends the whole body, slowly, and only then reads the response, to its end. */
async function sendAll(head: string, pieces: string[]): Promise<string> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1').pause();
  socket.write(head);
  for (const piece of pieces) {
    await sleep(40);
    if (!socket.write(piece)) await once(socket, 'drain');
  }
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
    // The connection of a request that does not end it stays open.
    if (/^connection: keep-alive/im.test(text) && text.endsWith('}')) socket.end();
  });
  socket.resume();
  await once(socket, 'close');
  return text;
}

const piece = 'x'.repeat(1_000_000);
const count = 20;
const lengths = {
  announced: [`Content-Length: ${count * piece.length}`, piece],
  chunked: ['Transfer-Encoding: chunked', `${piece.length.toString(16)}\r\n${piece}\r\n`],
} as const;
const answers: [what: string, path: string, headers: () => string[], status: number][] = [
  ['too large for REST', '/rest/leads', () => ['Host: x', `Authorization: ${bearer}`], 413],
  ['too large for GraphQL', '/graphql', () => ['Host: x', `Authorization: ${bearer}`], 413],
  ['without a bearer', '/rest/leads', () => ['Host: x'], 401],
  ['on no route', '/nowhere', () => ['Host: x', `Authorization: ${bearer}`], 404],
  ['with two hosts', '/rest/leads', () => ['Host: x', 'Host: y'], 400],
];

describe.each(['keep-alive', 'close'])('on a connection that is to %s', (connection) => {
  test.concurrent.each(
    answers.flatMap(([what, path, headers, status]) =>
      (Object.keys(lengths) as (keyof typeof lengths)[]).map((length) => ({ what, path, headers, status, length })),
    ),
  )('a request $what gets its $status, though all of its $length body is sent first', async (request) => {
    const { path, headers, status, length } = request;
    const [header, part] = lengths[length];
    const type = 'Content-Type: application/json';
    const head = [`POST ${path} HTTP/1.1`, ...headers(), type, `Connection: ${connection}`, header, '', ''].join(
      '\r\n',
    );
    const pieces = [...Array(count).fill(part), ...(length === 'chunked' ? ['0\r\n\r\n'] : [])];
    const text = await sendAll(head, pieces);
    expect(text.slice(0, 13)).toBe(`HTTP/1.1 ${status} `);
    expect(() => JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).not.toThrow();
  });
});
