import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Texts, textStream } from '../../src/http/text-stream.ts';

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
  const reader = body.getReader();
  const read = async () => {
    const { done, value } = await reader.read();
    return done ? null : new TextDecoder().decode(value);
  };
  return { give, read, reader, leave, unwatch, endBearer: () => endBearer() };
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
