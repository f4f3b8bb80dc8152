import { once } from 'node:events';
import { connect } from 'node:net';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { telemetry } from '../../src/core/telemetry.ts';
import { type Listening, listen } from '../../src/http/server.ts';
import { makeKey } from '../support/auth/keys.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
const lines: Record<string, unknown>[] = [];
type Way = {
  server: Listening;
  world: TestWorkspace;
  agentId: string;
  otherId: string;
  archivedId: string;
  bearer: string;
  limited: string;
  readOnly: string;
};
const ways: Record<'fast' | 'whole', Way> = {} as never;

async function makeWorld() {
  const world = await makeWorkspace(gateway);
  const other = await makeWorkspace(gateway);
  const agentId = (await makeAgent(gateway, world.owner, { name: 'Ada' })).id;
  const otherId = (await makeAgent(gateway, other.owner)).id;
  const archivedId = (await makeAgent(gateway, world.owner, { name: 'Ada' })).id;
  await gateway.data(world.owner, 'mutation ($id: ID!) { deleteAgent(input: {id: $id}) { deletedId } }', {
    id: archivedId,
  });
  const limited = await makeKey(gateway, world.owner, { scopes: ['conversations.write'], ratePerMinute: 1 });
  const readOnly = await makeKey(gateway, world.owner, { scopes: ['agents.read'] });
  return { world, agentId, otherId, archivedId, bearer: await gateway.bearer(world.owner), limited, readOnly };
}

beforeAll(async () => {
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  const log = pino({ level: 'info' }, sink);
  const { services } = gateway;
  const app = createApp({ ...services, log }, async () => null);
  const address = { host: '127.0.0.1', port: 0 };
  ways.fast = { server: await listen(app.fetch, address, { pipeline: app.pipeline }), ...(await makeWorld()) };
  ways.whole = { server: await listen(app.fetch, address), ...(await makeWorld()) };
});
afterAll(() => Promise.all(Object.values(ways).map(({ server }) => server.close(0))));

type Given = {
  path?: (way: Way) => string;
  method?: string;
  version?: string;
  headers?: (way: Way) => (string | null)[];
  body?: string | Buffer | ((way: Way) => string);
  chunked?: boolean;
  count?: number;
};
const said = (content: string, more: object = {}) => JSON.stringify({ message: { content }, ...more });

async function send(way: Way, given: Given): Promise<string> {
  const {
    path = ({ agentId }) => `/api/${agentId}`,
    method = 'POST',
    version = '1.1',
    headers = () => [],
    count = 1,
  } = given;
  const text = typeof given.body === 'function' ? given.body(way) : (given.body ?? said('Hello'));
  const body = Buffer.from(text);
  const own = headers(way);
  const has = (name: string) => own.some((line) => line?.toLowerCase().startsWith(`${name}:`) || line === `-${name}`);
  const head = [
    `${method} ${path(way)} HTTP/${version}`,
    has('host') ? '' : 'Host: localhost',
    has('authorization') ? '' : `Authorization: Bearer ${way.bearer}`,
    has('content-type') ? '' : 'Content-Type: application/json',
    given.chunked ? 'Transfer-Encoding: chunked' : has('content-length') ? '' : `Content-Length: ${body.length}`,
    ...own.filter((line) => !line?.startsWith('-')),
  ].filter(Boolean);
  const sent = given.chunked
    ? Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')])
    : body;
  const one = (isLast: boolean) =>
    Buffer.concat([Buffer.from(`${[...head, ...(isLast ? ['Connection: close'] : [])].join('\r\n')}\r\n\r\n`), sent]);
  const socket = connect(Number(new URL(way.server.url).port), '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    answer += chunk;
  });
  socket.on('error', () => {});
  socket.write(Buffer.concat(Array.from({ length: count }, (_, at) => one(at === count - 1))));
  await once(socket, 'close');
  return answer;
}

const normal = (text: string, way: Way): string =>
  text
    .replaceAll(way.world.id, '<workspace>')
    .replaceAll(/\b[a-z]{3}_[0-9a-z]{26}\b/g, (id) => `<${id.slice(0, 3)}>`)
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<uuid>')
    .replaceAll(/"responseTimeMs":\d+|"ms":[\d.]+/g, '<ms>')
    .replaceAll(/in \d+ s\b/g, 'in <s> s');

/** Status, headers in the order of their names, and body, of each response. */
const partsOf = (answers: string, way: Way) =>
  answers.split(/(?=HTTP\/1\.[01] \d{3} )/).map((answer) => partsOfOne(answer, way));

function partsOfOne(answer: string, way: Way) {
  const [head = '', ...rest] = answer.split('\r\n\r\n');
  const [status, ...headers] = head.split('\r\n');
  const ignored = /^(date|keep-alive|connection|transfer-encoding|content-length|ratelimit|retry-after|x-request-id):/;
  const named = headers.map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase()));
  const isChunked = named.some((line) => line.startsWith('transfer-encoding: chunked'));
  const body = rest.join('\r\n\r\n');
  const text = isChunked ? body.replaceAll(/(^|\r\n)[0-9a-f]+\r\n/g, '') : body;
  return {
    status,
    headers: named
      .filter((line) => !ignored.test(line))
      .map((line) => normal(line, way))
      .sort(),
    body: normal(text.trimEnd(), way),
  };
}

async function rowsOf({ world }: Way) {
  const where = { workspaceId: world.id };
  const { database } = gateway.services;
  const messages = await database.message.findMany({ where, orderBy: { id: 'asc' } });
  return {
    messages: messages.map(({ role, content }) => `${role} ${content}`).sort(),
    turns: await database.turn.count({ where }),
    keyed: await database.idempotency.count({ where }),
    conversations: await database.conversation.count({ where }),
    audited: await database.auditEntry.count({ where }),
  };
}

const cases: Record<string, Given> = {
  'a message': {},
  'no body': { body: '' },
  'no body and no length': { body: '', headers: () => ['-content-length'] },
  'no media type': { headers: () => ['-content-type'] },
  'another media type': { headers: () => ['Content-Type: text/plain'] },
  'another charset': { headers: () => ['Content-Type: application/json; charset=latin1'] },
  'a compressed body': { headers: () => ['Content-Encoding: gzip'] },
  'no JSON': { body: '{"message": ' },
  'a list': { body: '[]' },
  null: { body: 'null' },
  'a text': { body: '"x"' },
  'a long message': { body: said('x'.repeat(32_001)) },
  'a body of more than a megabyte': { body: said('x'.repeat(1_100_000)) },
  'a lone surrogate': { body: '{"message":{"content":"a\\ud800"}}' },
  NUL: { body: '{"message":{"content":"a\\u0000"}}' },
  'a body that is not UTF-8': { body: Buffer.from('{"message":{"content":"\xff"}}', 'latin1') },
  'unknown keys': { body: said('Hi', { colour: 'red' }) },
  'unknown keys, strictly': { body: said('Hi', { colour: 'red' }), headers: () => ['Prefer: handling=strict'] },
  'an attachment': {
    body: JSON.stringify({
      message: {
        content: 'See',
        attachments: [{ data: Buffer.from('a,b').toString('base64'), mimeType: 'text/csv', name: 'a.csv' }],
      },
    }),
  },
  'an attachment that is none': {
    body: JSON.stringify({ message: { content: 'See', attachments: [{ data: '%%%' }] } }),
  },
  'an unknown agent': { path: () => '/api/agt_00000000000000000000000000' },
  'an id that is none': { path: () => '/api/agent' },
  'an encoded id': { path: ({ agentId }) => `/api/%61${agentId.slice(1)}` },
  'a NUL in the path': { path: ({ agentId }) => `/api/${agentId}%00` },
  'a slash at the end': { path: ({ agentId }) => `/api/${agentId}/` },
  'an agent of another workspace': { path: ({ otherId }) => `/api/${otherId}` },
  'an agent that was deleted': { path: ({ archivedId }) => `/api/${archivedId}` },
  'a conversation of nobody': { body: said('Hi', { id: 'cnv_00000000000000000000000000' }) },
  'no bearer': { headers: () => ['-authorization'] },
  'a wrong bearer': { headers: () => ['Authorization: Bearer x'] },
  'two bearers': { headers: ({ bearer }) => [`Authorization: Bearer ${bearer}`, 'Authorization: Bearer x'] },
  'two media types': { headers: () => ['Content-Type: application/json', 'Content-Type: text/plain'] },
  'a key of another scope': { headers: ({ readOnly }) => [`Authorization: Bearer ${readOnly}`] },
  'a key with a request left': { headers: ({ limited }) => [`Authorization: Bearer ${limited}`] },
  'a key with none left': { headers: ({ limited }) => [`Authorization: Bearer ${limited}`] },
  'a keyed message': { headers: () => ['Idempotency-Key: one'] },
  'a keyed message again': { headers: () => ['Idempotency-Key: one'] },
  'another message with the key': { headers: () => ['Idempotency-Key: one'], body: said('Other') },
  'an empty key': { headers: () => ['Idempotency-Key: '] },
  'a long key': { headers: () => [`Idempotency-Key: ${'k'.repeat(256)}`] },
  'two keys': { headers: () => ['Idempotency-Key: a', 'Idempotency-Key: b'] },
  'a stream': { headers: () => ['Accept: text/event-stream'] },
  'a stream or JSON': { headers: () => ['Accept: application/json;q=0.2', 'Accept: text/event-stream'] },
  'a stream by its query': { path: ({ agentId }) => `/api/${agentId}?stream=true` },
  'a stream by its body': { body: said('Hi', { stream: true }) },
  'a query that is repeated': { path: ({ agentId }) => `/api/${agentId}?a=1&a=2` },
  'an event to resume after': { headers: () => ['Last-Event-ID: msg_00000000000000000000000000.3'] },
  'a chat of the AI SDK': {
    body: JSON.stringify({
      id: 'chat',
      trigger: 'submit-message',
      messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
    }),
  },
  'a stream over HTTP/1.0': { version: '1.0', headers: () => ['Accept: text/event-stream'] },
  'HTTP/1.0': { version: '1.0' },
  'HTTP/1.0 without a host': { version: '1.0', headers: () => ['-host'] },
  HEAD: { method: 'HEAD', body: '' },
  GET: { method: 'GET', body: '' },
  OPTIONS: { method: 'OPTIONS', body: '' },
  PUT: { method: 'PUT' },
  chunks: { chunked: true },
  'Expect: 100-continue': { headers: () => ['Expect: 100-continue'] },
  'Expect of another kind': { headers: () => ['Expect: 200-maybe'] },
  'three in a row': { count: 3 },
  'an origin': { headers: () => ['Origin: https://a.example'] },
  'an id of the request': { headers: () => ['X-Request-Id: mine-1'] },
  'a trace': { headers: () => ['traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'] },
  compression: { headers: () => ['Accept-Encoding: br;q=0'] },
  'a condition': { headers: () => ['If-Match: "x"'] },
  'If-None-Match': { headers: () => ['If-None-Match: *'] },
  'stale answers': { headers: () => ['Cache-Control: max-stale=60'] },
};

test.each(Object.keys(cases))(
  'a turn with %s is the same straight from node:http and through the whole app',
  async (what) => {
    const given = cases[what] as Given;
    const told: Record<string, unknown> = {};
    for (const [name, way] of Object.entries(ways)) {
      const before = lines.length;
      const events: object[] = [];
      const stop = telemetry.request.subscribe(
        ({ seconds: _, compiled: _c, ...event }: { seconds: number; compiled: boolean }) => events.push(event),
      );
      const answer = await send(way, given);
      stop();
      const logged = lines
        .slice(before)
        .map(({ time: _, ms, requestId, statements, address, ...line }) => normal(JSON.stringify(line), way));
      const rows = await rowsOf(way);
      told[name] = {
        answers: partsOf(answer, way),
        rows,
        logged,
        events: JSON.parse(normal(JSON.stringify(events), way)),
      };
    }
    expect(told.fast).toEqual(told.whole);
  },
);

test('a stream over HTTP/1.0 is not in chunks, and its connection ends with it', async () => {
  const answer = await send(ways.fast, cases['a stream over HTTP/1.0'] as Given);
  expect(answer).toMatch(/\r\nconnection: close\r\n/i);
  expect(answer).not.toMatch(/transfer-encoding/i);
  expect(answer).toMatch(/\[DONE\]\n\n$/);
});

test('the connection of a subscription ends with it, if its caller asked for that', async () => {
  const query = 'subscription ($input: SendMessageInput!) { streamMessage(input: $input) { part } }';
  const answer = await send(ways.whole, {
    path: () => '/graphql',
    headers: () => ['Accept: text/event-stream'],
    body: ({ agentId }) => JSON.stringify({ query, variables: { input: { agentId, message: { content: 'Hi' } } } }),
  });
  expect(answer).toMatch(/\r\nconnection: close\r\n/i);
  expect(answer).toContain('event: complete');
});

test('a header of which node:http keeps the first alone decides nothing that another reads otherwise', async () => {
  const twice = { headers: ({ bearer }: Way) => [`Authorization: Bearer ${bearer}`, 'Authorization: Bearer x'] };
  expect(await send(ways.fast, twice)).toMatch(/^HTTP\/1\.1 401 /);
});
