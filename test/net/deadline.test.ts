import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { copyRequest } from '../../src/graphql/server.ts';
import { Deadline, DeadlinePassed, withBodyTimeouts, withTimeout } from '../../src/net/deadline.ts';
import { collectGarbage, stopDeadlines } from '../support/net/stopped-deadlines.ts';

const never = () => new Promise<never>(() => {});
const collectTwice = async () => {
  for (let count = 0; count < 2; count++) {
    collectGarbage();
    await pause(1);
  }
};

test('work that ignores its signal is given up at the deadline', async () => {
  const deadlines = stopDeadlines();
  const outcome = withTimeout(2_000, never).catch((error: unknown) => error);
  await collectTwice();
  deadlines.pass(1_999);
  expect(deadlines.waiting()).toBe(1);
  deadlines.pass(1);
  expect(await outcome).toBeInstanceOf(DeadlinePassed);
  expect(await outcome).toHaveProperty('message', 'no answer within 2 seconds');
});

test('nothing is left of a deadline once its work is done', async () => {
  const deadlines = stopDeadlines();
  const stop = new AbortController();
  expect(await withTimeout(1_000, async () => 'done', stop.signal)).toBe('done');
  await expect(withTimeout(1_000, () => Promise.reject(new Error('no')), stop.signal)).rejects.toThrow('no');
  expect(deadlines.waiting()).toBe(0);
});

test('a deadline that has passed lets no more work wait, and stopping aborts with the reason of the stop', async () => {
  await expect(withTimeout(0, never)).rejects.toBeInstanceOf(DeadlinePassed);
  const stop = new AbortController();
  const deadline = new Deadline(60_000, stop.signal);
  stop.abort('left');
  expect([deadline.signal.aborted, deadline.signal.reason, deadline.hasPassed]).toEqual([true, 'left', false]);
  deadline.end();
});

test('a listener that nothing else holds hears of the deadline, whatever is collected', async () => {
  const heard = new Promise((resolve) => {
    const deadline = new Deadline(300);
    AbortSignal.any([deadline.signal]).addEventListener('abort', resolve);
  });
  const collecting = setInterval(collectGarbage, 20);
  await heard.finally(() => clearInterval(collecting));
});

test('a reader of a body is waited for without end, its sender is not', async () => {
  const deadlines = stopDeadlines();
  let send = (_: string) => {};
  let left: unknown = null;
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      send = (text) => controller.enqueue(new TextEncoder().encode(text));
    },
    cancel: (reason) => {
      left = reason;
    },
  });
  const reader = withBodyTimeouts(source, { idleMs: 10_000, totalMs: 25_000 }).getReader();
  const read = async (text: string, afterMs: number) => {
    const next = reader.read();
    await pause(0);
    deadlines.pass(afterMs);
    send(text);
    return new TextDecoder().decode((await next).value);
  };
  expect(await read('a', 9_000)).toBe('a');
  deadlines.pass(3_600_000);
  expect(await read('b', 9_000)).toBe('b');
  // Of the whole, seven seconds are left.
  await expect(read('c', 8_000)).rejects.toBeInstanceOf(DeadlinePassed);
  expect(left).toBeInstanceOf(DeadlinePassed);
});

test('a copy of a request hears that its caller has left, though only its signal is held', async () => {
  const caller = new AbortController();
  const request = new Request('http://127.0.0.1/', { signal: caller.signal });
  const heard: string[] = [];
  copyRequest(request, { headers: { accept: 'text/csv' } }).signal.addEventListener('abort', () => heard.push('copy'));
  await collectTwice();
  caller.abort();
  expect([heard, request.signal.aborted]).toEqual([['copy'], true]);
});

test('no deadline and no copy of a request is left to the garbage collector', async () => {
  const found: string[] = [];
  for await (const path of glob(['src/**/*.ts', 'schema/**/*.ts'], { exclude: ['**/generated/**', '**/browser/**'] })) {
    // Comments may name it.
    const code = readFileSync(path, 'utf8').replace(/\/\*[^]*?\*\/|(?<!:)\/\/.*$/gm, '');
    for (const [form] of code.matchAll(/AbortSignal\.timeout\(|new Request\(/g)) found.push(`${path}: ${form}`);
  }
  // One is the copy itself; the others are made without a signal that could be lost.
  expect(found.sort()).toEqual([
    'src/graphql/execute.ts: new Request(',
    'src/graphql/server.ts: new Request(',
    'src/rest/translation/to-operation.ts: new Request(',
  ]);
});
