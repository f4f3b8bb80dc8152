import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { sendTexts, type Texts, textStream } from '../../src/http/text-stream.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

/** A stream whose texts the test gives. */
function open(more: Partial<Texts> = {}) {
  const given: { text: string; isLast: boolean }[] = [];
  let wake = () => {};
  const leave = vi.fn<() => void>();
  const unwatch = vi.fn<() => void>();
  let endBearer = () => {};
  const body = textStream({
    async next() {
      if (given.length === 0) await new Promise<void>((resolve) => void (wake = resolve));
      return given.shift() ?? { text: '', isLast: true };
    },
    leave,
    ping: 'ping ',
    pingMs: 1_000,
    watchBearer: (end) => {
      endBearer = end;
      return unwatch;
    },
    ...more,
  });
  const give = (text: string, isLast = false) => {
    given.push({ text, isLast });
    wake();
  };
  const reader = { read: () => locked().read(), cancel: () => locked().cancel() };
  let lock: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const locked = () => (lock ??= body.getReader());
  const read = async () => {
    const { done, value } = await reader.read();
    return done ? null : new TextDecoder().decode(value);
  };
  return { body, give, read, reader, leave, unwatch, endBearer: () => endBearer() };
}

test('texts are sent as they come, with what comes first before them, until the last', async () => {
  const { give, read, leave, unwatch } = open({ first: 'begin ' });
  expect(await read()).toBe('begin ');
  give('one');
  expect(await read()).toBe('one');
  give('');
  give('two', true);
  expect(await read()).toBe('two');
  expect(await read()).toBeNull();
  expect(vi.getTimerCount()).toBe(0);
  expect(unwatch).toHaveBeenCalledOnce();
  expect(leave).not.toHaveBeenCalled();
});

test('a quiet stream is kept alive by one ping at a time', async () => {
  const { give, read } = open();
  const first = read();
  await new Promise(setImmediate);
  vi.advanceTimersByTime(10_000);
  give('one');
  expect([await first, await read(), await read()]).toEqual(['ping ', 'ping ', 'one']);
  const next = read();
  await new Promise(setImmediate);
  vi.advanceTimersByTime(1_000);
  expect(await next).toBe('ping ');
});

test('a stream that nobody reads does nothing, and one that was left or has ended is not left again', async () => {
  const unread = open();
  vi.advanceTimersByTime(10_000);
  await new Promise(setImmediate);
  expect(vi.getTimerCount()).toBe(0);
  expect(unread.endBearer).not.toThrow();
  await unread.reader.cancel();
  expect(unread.leave).toHaveBeenCalledOnce();

  const ended = open();
  const reading = ended.reader.read();
  ended.give('one', true);
  await reading;
  await ended.reader.cancel();
  expect(ended.leave).not.toHaveBeenCalled();

  const over = open();
  const waiting = over.reader.read();
  await new Promise(setImmediate);
  over.endBearer();
  await waiting;
  await over.reader.cancel();
  expect(over.leave).toHaveBeenCalledOnce();
});

test('a reader who leaves while a text is waited for ends the stream at its source', async () => {
  const { give, reader, leave, unwatch } = open();
  const reading = reader.read();
  await new Promise(setImmediate);
  await reader.cancel();
  expect(await reading).toMatchObject({ done: true });
  expect(leave).toHaveBeenCalledOnce();
  expect(unwatch).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
  give('nobody reads this');
  await new Promise(setImmediate);
});

test('the end of its bearer ends a stream, and what comes later is not sent', async () => {
  const { give, read, leave, endBearer } = open();
  give('one');
  expect(await read()).toBe('one');
  const next = read();
  await new Promise(setImmediate);
  endBearer();
  give('two');
  expect(await next).toBeNull();
  expect(leave).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});

/** Sends a stream by node:http, and reads what its caller gets. */
async function send(given: ReturnType<typeof open>) {
  let response: ServerResponse | undefined;
  const headers = new Headers({ 'content-type': 'text/event-stream' });
  headers.append('set-cookie', 'a=1');
  headers.append('set-cookie', 'b=2');
  const server = createServer((_request, answering) => {
    response = answering;
    expect(sendTexts(new Response(given.body, { status: 201, headers }), answering)).toBe(true);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  const asking = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', agent: false });
  asking.on('error', () => {});
  const [caller] = (await once(asking, 'response')) as [IncomingMessage];
  caller.setEncoding('utf8');
  const next = async () => String((await once(caller, 'data'))[0]);
  return { caller, asking, next, response: response as unknown as ServerResponse };
}

test('node:http sends the head at once, and texts as they come until the last', async () => {
  const given = open();
  const { caller, next } = await send(given);
  expect(caller).toMatchObject({ statusCode: 201, headers: { 'set-cookie': ['a=1', 'b=2'] } });
  for (const text of ['one', 'dos ñ']) {
    const coming = next();
    given.give(text);
    expect(await coming).toBe(text);
  }
  vi.advanceTimersByTime(1_000);
  expect(await next()).toBe('ping ');
  const ended = once(caller, 'end');
  given.give('last', true);
  expect(await next()).toBe('last');
  await ended;
  expect(vi.getTimerCount()).toBe(0);
  expect(given.unwatch).toHaveBeenCalledOnce();
  expect(given.leave).not.toHaveBeenCalled();
});

test('a caller of node:http who leaves ends a stream at its source, and so does its bearer', async () => {
  const left = open({ first: 'begin ' });
  const one = await send(left);
  expect(await one.next()).toBe('begin ');
  one.asking.destroy();
  await once(one.response, 'close');
  expect(left.leave).toHaveBeenCalledOnce();
  expect(left.unwatch).toHaveBeenCalledOnce();
  left.give('nobody reads this');

  const over = open({ first: 'begin ' });
  const other = await send(over);
  expect(await other.next()).toBe('begin ');
  const ended = once(other.caller.resume(), 'end');
  over.endBearer();
  await ended;
  over.give('not sent');
  expect(over.leave).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});

test('a caller of node:http who does not read is sent neither texts nor pings without end', async () => {
  const next = vi.fn<Texts['next']>(async () => ({ text: 'x'.repeat(100_000), isLast: false }));
  const { caller, response } = await send(open({ next }));
  caller.pause();
  const isStalled = async () => {
    const before = next.mock.calls.length;
    await new Promise((resolve) => setTimeout(resolve, 100));
    return before > 0 && next.mock.calls.length === before;
  };
  await vi.waitUntil(isStalled, { timeout: 10_000, interval: 50 });
  const kept = response.writableLength;
  vi.advanceTimersByTime(10_000);
  expect(response.writableLength).toBe(kept);
  const before = next.mock.calls.length;
  caller.resume();
  await vi.waitUntil(() => next.mock.calls.length > before, { timeout: 10_000, interval: 50 });
});

test('node:http is not given another body, nor one whose caller has left', () => {
  const gone = { destroyed: true } as ServerResponse;
  expect(sendTexts(new Response('text'), gone)).toBe(false);
  expect(sendTexts(new Response(null), gone)).toBe(false);
  const given = open();
  expect(sendTexts(new Response(given.body), gone)).toBe(true);
  expect(given.leave).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});

test('a stream whose next text fails is broken off, and the process goes on', async () => {
  const given = open({ next: async () => Promise.reject(new Error('A bug.')) });
  const { caller } = await send(given);
  await expect(once(caller.resume(), 'end')).rejects.toThrow('aborted');
  expect(given.leave).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});
