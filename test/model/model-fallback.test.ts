import { afterAll, beforeAll, beforeEach, describe, expect, type TestContext, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { createBreaker } from '../../src/model/breaker.ts';
import { createModelService } from '../../src/model/service.ts';
import { anthropicProtocol } from '../support/model/anthropic.ts';
import { googleProtocol } from '../support/model/google.ts';
import { request } from '../support/model/model-requests.ts';
import { type Scripted, startModelServer } from '../support/model/model-server.ts';

type Server = Awaited<ReturnType<typeof startModelServer>>;
type Servers = { first: Server; second: Server };
const startServers = async (): Promise<Servers> => ({
  first: await startModelServer(anthropicProtocol('k1')),
  second: await startModelServer(googleProtocol('k2')),
});
const stop = ({ first: one, second: two }: Servers) => Promise.all([one.close(), two.close()]);
let shared: Servers;
let first: Server;
let second: Server;
beforeAll(async () => {
  shared = await startServers();
  ({ first, second } = shared);
});
afterAll(() => stop(shared));
/** Servers of a test's own. Tests that wait have them, and wait together. */
async function ownServers({ onTestFinished }: TestContext): Promise<Servers> {
  const own = await startServers();
  onTestFinished(() => void stop(own));
  return own;
}
beforeEach(() => {
  first.requests.length = 0;
  second.requests.length = 0;
});

const service = ({ timeoutMs = 60_000, retries = 0 } = {}, { first: one, second: two } = shared) => {
  const MODELS = `one=anthropic:a?url=${one.address}/v1&key=K1,two=google:b?url=${two.address}/v1beta&key=K2`;
  const { models } = readConfig({ MODELS, K1: 'k1', K2: 'k2' });
  return createModelService({ models, timeoutMs, retries, backoffMs: 1 });
};
const both = { model: 'one', fallbackModel: 'two' };
const ask = (agent: object, options = {}, model = service(options)) =>
  model.stream(request('Hello', { agent }), () => {});

describe('the fallback of an agent', () => {
  test.each<[string, Scripted, string]>([
    ['fails', { status: 500 }, 'HTTP 500'],
    ['refuses the request', { status: 400 }, 'HTTP 400'],
    ['says nothing', { say: [' '] }, 'an answer that cannot be used'],
    ['asks to come back tomorrow', { status: 429, headers: { 'retry-after': '86400' } }, 'HTTP 429'],
  ])('answers when its model %s', async (_, scripted, reason) => {
    first.next(scripted);
    second.next({ say: ['I am', ' two.'] });
    const reply = await ask(both);
    expect(reply).toMatchObject({ model: 'two', content: 'I am two.' });
    expect(reply.attempts).toEqual([
      { model: 'one', outcome: 'failed', reason, ms: expect.any(Number), failure: expect.any(Object) },
      { model: 'two', outcome: 'answered', reason: null, ms: expect.any(Number) },
    ]);
  });

  test.concurrent('answers when its model does not begin in half of the time', async (context) => {
    const own = await ownServers(context);
    own.first.next({ silent: true });
    own.second.next({ say: ['I am', ' two.'] });
    const reply = await ask(both, {}, service({ timeoutMs: 10_000 }, own));
    expect(reply).toMatchObject({ model: 'two', attempts: [{ reason: 'timeout' }, {}] });
  });

  test.concurrent('leaves a model the whole of the time once it has begun', async (context) => {
    const own = await ownServers(context);
    own.first.next({ say: ['Once'], after: 'silence' });
    const reply = ask(both, {}, service({ timeoutMs: 10_000 }, own));
    await expect(reply).rejects.toMatchObject({ code: 'model_timeout' });
    expect(own.second.requests).toHaveLength(0);
  });

  test('is not asked when words were told already', async () => {
    first.next({ say: ['Once', ' upon'], after: 'failure' });
    await expect(ask(both)).rejects.toMatchObject({ code: 'model_error' });
    expect(second.requests).toHaveLength(0);
  });

  test('fails in its own words when it fails too', async () => {
    first.next({ status: 400 });
    second.next({ status: 429, headers: { 'retry-after': '30' } });
    await expect(ask(both)).rejects.toMatchObject({ code: 'model_error', headers: { 'retry-after': '30' } });
  });

  test('is the one asked after the tools that it called', async () => {
    first.next({ status: 500 });
    second.next({ call: { id: 'c1', name: 'stock', input: {} } }, { say: ['Three.'] });
    const tools = [{ name: 'stock', execute: async () => '3' }];
    const reply = await service().stream(request('Tents?', { agent: both, tools }), () => {});
    expect([reply.content, first.requests.length, second.requests.length]).toEqual(['Three.', 1, 2]);
  });
});

test('a model that asks for a pause gets it before it is asked again', async () => {
  first.next({ status: 503, headers: { 'retry-after-ms': '120' } }, { status: 429, headers: { 'retry-after': '0.1' } });
  first.next({ say: ['Rested.'] });
  const reply = await ask({}, { retries: 2 });
  expect(reply.content).toBe('Rested.');
  expect(reply.totalMs).toBeGreaterThanOrEqual(215);
});

test('a model that the configuration does not name any more is never replaced by another one unasked', async () => {
  await expect(ask({ model: 'gone' })).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('one, two, embedded'),
  });
  second.next({ say: ['I am', ' two.'] });
  expect((await ask({ model: 'gone', fallbackModel: 'two' })).model).toBe('two');
  expect((await ask({ model: 'embedded' })).model).toBe('embedded');
});

test('an agent may have less time than the service, not more', async () => {
  first.next({ silent: true }, { silent: true });
  // With a longer timeout, the test itself would time out.
  await expect(ask({ timeoutMs: 1_000 }, { timeoutMs: 600_000 })).rejects.toMatchObject({ code: 'model_timeout' });
  await expect(ask({ timeoutMs: 600_000 }, { timeoutMs: 1_000 })).rejects.toMatchObject({ code: 'model_timeout' });
});

describe('a model that fails five times in a row', () => {
  test('is left alone, and its fallback answers at once', async () => {
    const model = service();
    first.next(...Array.from({ length: 5 }, () => ({ status: 500 })));
    for (let count = 0; count < 5; count++)
      await expect(ask({}, {}, model)).rejects.toMatchObject({ code: 'model_error' });
    await expect(ask({}, {}, model)).rejects.toMatchObject({
      code: 'unavailable',
      headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
    });
    const reply = await ask(both, {}, model);
    expect(reply).toMatchObject({ model: 'two', attempts: [{ model: 'one', outcome: 'resting' }, {}] });
    expect(first.requests).toHaveLength(5);
  });

  test('is not one whose requests were wrong', async () => {
    const model = service();
    first.next(...Array.from({ length: 6 }, () => ({ status: 400 })));
    for (let count = 0; count < 6; count++)
      await expect(ask({}, {}, model)).rejects.toMatchObject({ code: 'model_error' });
  });

  test('is one that does not begin in all the time that the service gives', async () => {
    const model = service({ timeoutMs: 1_000 });
    first.next(...Array.from({ length: 5 }, () => ({ silent: true as const })));
    const late = () => expect(ask({}, {}, model)).rejects.toMatchObject({ code: 'model_timeout' });
    await Promise.all(Array.from({ length: 5 }, late));
    await expect(ask({}, {}, model)).rejects.toMatchObject({ code: 'unavailable' });
  });

  test.concurrent.for<[string, { timeoutMs: number }, object, Scripted, string]>([
    ['an impatient agent leaves early', { timeoutMs: 60_000 }, { timeoutMs: 1_000 }, { silent: true }, 'model_timeout'],
    ['answers at length', { timeoutMs: 10_000 }, {}, { say: ['Once'], after: 'silence' }, 'model_timeout'],
    ['is given half of the time', { timeoutMs: 10_000 }, both, { silent: true }, 'model_error'],
  ])('is not one that %s', async ([, options, agent, scripted, code], context) => {
    const own = await ownServers(context);
    const model = service(options, own);
    own.first.next(...Array.from({ length: 5 }, () => scripted));
    if (code === 'model_error') own.second.next(...Array.from({ length: 5 }, () => ({ status: 400 })));
    const asked = Array.from({ length: 5 }, () => expect(ask(agent, {}, model)).rejects.toMatchObject({ code }));
    await Promise.all(asked);
    own.first.next({ say: ['I am well.'] });
    expect(await ask({}, {}, model)).toMatchObject({ model: 'one', content: 'I am well.' });
  });

  test('gets one call after its rest, and all of them once it is well', () => {
    let now = 0;
    const breaker = createBreaker(() => now);
    const fail = () => [breaker.enter(), breaker.failed()];
    for (let count = 0; count < 5; count++) fail();
    expect(breaker.enter()).toBe(30_000);
    now = 30_000;
    expect([breaker.enter(), breaker.enter() > 0]).toEqual([0, true]);
    breaker.failed();
    expect(breaker.openForMs()).toBe(30_000);
    now = 60_000;
    expect(breaker.enter()).toBe(0);
    breaker.abandoned();
    expect(breaker.enter()).toBe(0);
    breaker.succeeded();
    expect([breaker.enter(), breaker.enter(), breaker.openForMs()]).toEqual([0, 0, 0]);
  });
});
