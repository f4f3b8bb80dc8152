import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTcpLink } from '../support/database/tcp-link.ts';
import { openReplyCutter } from '../support/faults/reply-cutter.ts';
import { ask, type Outcome } from './client.ts';
import { Ledger } from './ledger.ts';
import { readOptions } from './options.ts';
import { Pace } from './pace.ts';
import { scenarios } from './scenarios/index.ts';
import { Score } from './score.ts';
import { isGood } from './table.ts';
import { faultOf } from './verdict.ts';
import type { Kind } from './writes.ts';

// `npm run test:faults` depends on these checks, so each must detect its fault.

const outcome = (status: number, body: unknown, { path = '/rest/leads', ms = 10, headers = {} } = {}): Outcome => ({
  sent: { path, token: '' },
  reply: { status, headers: new Headers(headers), text: JSON.stringify(body) ?? '', body },
  error: null,
  ms,
});
const unavailable = { message: 'Try again.', code: 'unavailable' };
const inGraph = { path: '/graphql' };
const errors = (code: string) => ({ data: { createLead: null }, errors: [{ message: 'No.', extensions: { code } }] });

describe('a reply is right', () => {
  test.each([
    ['a success', outcome(200, { id: 'led_1' })],
    ['a failure in the error shape', outcome(503, unavailable, { headers: { 'retry-after': '1' } })],
    ['one of a rule', outcome(409, { message: 'No.', code: 'conflict', issues: [{ message: 'No.' }] })],
    ['data of the graph', outcome(200, { data: { leads: null } }, inGraph)],
    ['an error of the graph', outcome(200, errors('conflict'), inGraph)],
    ['unavailable in the graph', outcome(503, errors('unavailable'), { ...inGraph, headers: { 'retry-after': '1' } })],
  ])('%s', (_, given) => expect(faultOf(given)).toBeNull());
});

describe('a reply is wrong', () => {
  test.each([
    ['none', { ...outcome(200, {}), reply: null, error: 'ECONNRESET' }, /no answer \(ECONNRESET\)/],
    ['one that came late', outcome(200, {}, { ms: 31_000 }), /told after 31 s/],
    ['no JSON', outcome(502, undefined), /no JSON/],
    ['another shape', outcome(503, { error: 'down' }), /not in the error shape/],
    ['no message', outcome(503, { code: 'unavailable' }), /without a message/],
    ['an unknown code', outcome(503, { message: 'No.', code: 'down' }), /unknown code/],
    ['another status', outcome(500, unavailable), /the status of unavailable is 503/],
    ['no Retry-After', outcome(503, unavailable), /no Retry-After/],
    ['what nobody foresaw', outcome(500, { message: 'Oh.', code: 'internal_error' }), /not foreseen/],
    ['unavailable as a success', outcome(200, errors('unavailable'), inGraph), /the status of unavailable is 503/],
    ['neither data nor errors', outcome(200, {}, inGraph), /neither data nor errors/],
  ])('%s', (_, given, fault) => expect(faultOf(given as Outcome)).toMatch(fault));

  test('none is owed by a gateway that was killed', () => {
    expect(faultOf({ ...outcome(200, {}), reply: null, error: 'ECONNRESET' }, true)).toBeNull();
  });
});

test('what was acknowledged and is not there is lost, and what is there twice is doubled', async () => {
  const found = new Map<string, number>();
  const kind = { name: 'row', read: async () => found } as unknown as Kind;
  const ledger = new Ledger('test');
  const [kept, lost, doubled, unknown] = [0, 1, 2, 3].map(() => ledger.enter(kind)) as [string, string, string, string];
  for (const mark of [kept, lost, doubled]) ledger.acknowledge(mark);
  found.set(kept, 1).set(doubled, 2);
  const score = new Score();
  await ledger.compare('', {} as never, score);
  expect([score.lost, score.doubled]).toEqual([1, 1]);
  found.set(unknown, 2);
  await ledger.compare('', {} as never, score);
  expect([score.lost, score.doubled]).toEqual([2, 3]);
});

test('a speed that does not come back is wrong', async () => {
  const score = new Score();
  const pace = new Pace();
  for (let write = 0; write < 40; write += 1) pace.add(10, true);
  await pace.settle();
  for (let write = 0; write < 10; write += 1) pace.add(1, true);
  await pace.recover(0, score, 0);
  expect(score.wrong).toBe(1);
});

test('a trial is good when nothing was counted, and its control when something was', () => {
  const [scenario] = scenarios;
  if (!scenario) throw new Error('There is no fault.');
  const result = (broken: boolean, more: Partial<Score>) =>
    isGood({ scenario, broken, database: 'postgres', seconds: 1, score: Object.assign(new Score(), more) });
  expect([result(false, { tried: 1 }), result(false, { tried: 1, lost: 1 }), result(false, {})]).toEqual([
    true,
    false,
    false,
  ]);
  const { counts } = scenario.control;
  expect([result(true, { tried: 1, [counts]: 1 }), result(true, { tried: 1 })]).toEqual([true, false]);
});

test('docs/faults.md tells of every fault', () => {
  const rows = [...readFileSync('docs/faults.md', 'utf8').matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name);
  expect(rows).toEqual(scenarios.map(({ name }) => name));
});

test('options that are no options are refused by name', () => {
  expect(() => readOptions(['--only', 'flood'], ['many-requests'])).toThrow('--only: flood is none of many-requests');
  expect(() => readOptions(['--seconds', 'ten'], [])).toThrow('--seconds: must be a whole number, got ten');
  expect(() => readOptions(['--database', 'mysql'], [])).toThrow('--database: mysql is none of embedded, postgres');
  expect(readOptions(['--only', 'many-requests', '--seed', '7'], ['many-requests'])).toMatchObject({
    only: ['many-requests'],
    seed: 7,
  });
});

describe('between a client and its server', () => {
  let count = 0;
  const server = createServer((_request, response) => {
    count += 1;
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ count }));
  });
  let port = 0;
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  test('a cutter has the request made and its answer untold', async () => {
    const cutter = await openReplyCutter(`http://127.0.0.1:${port}`);
    const before = count;
    const { reply, error } = await ask(cutter.url, { path: '/', token: '', headers: { 'x-request-id': 'one' } });
    expect([reply, error]).toEqual([null, expect.any(String)]);
    expect(cutter.replies.get('one')).toMatchObject({ status: 200, text: JSON.stringify({ count: before + 1 }) });
    await cutter.close();
  });

  test('a link falls silent without closing, and answers those that come later', async () => {
    const link = await openTcpLink(port);
    const early = connect({ port: link.port, host: '127.0.0.1' });
    await once(early, 'connect');
    const ended = Promise.race([once(early, 'data'), once(early, 'close')]);
    early.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    await ended;
    link.silence();
    const late = [once(early, 'data'), once(early, 'close')];
    early.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    const asked = request({ port: link.port, host: '127.0.0.1', agent: false }).end();
    const [answer] = await once(asked, 'response');
    expect(answer.statusCode).toBe(200);
    answer.resume();
    expect(await Promise.race([...late, Promise.resolve('nothing')])).toBe('nothing');
    early.destroy();
    await link.close();
  });
});
