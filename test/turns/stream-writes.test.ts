import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Context } from '../../src/context.ts';
import { createTurnStream } from '../../src/domain/turns/delivery.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** A stream whose writes are counted. */
function openStream() {
  const write = vi.fn<() => Promise<object[]>>(async () => []);
  const context = { pool: { $queryRawUnsafe: write }, viewer: { workspaceId: 'wsp_1' }, log: { warn() {} } };
  const stream = createTurnStream(context as unknown as Context, 'msg_1', true);
  stream.open('cnv_1');
  return { stream, write };
}

test('a turn that ends within the first interval writes no part of its stream before its end', async () => {
  const { stream, write } = openStream();
  stream.sendText('Hello');
  await vi.advanceTimersByTimeAsync(99);
  stream.sendText(' there');
  const { position, parts } = await stream.settle();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(write).not.toHaveBeenCalled();
  expect({ position, texts: parts.flatMap(({ delta }) => delta ?? []) }).toEqual({
    position: 0,
    texts: ['Hello', ' there'],
  });
});

test('a longer one writes once for each interval, and the first word after a pause at once', async () => {
  const { stream, write } = openStream();
  await vi.advanceTimersByTimeAsync(1_500);
  expect(write).toHaveBeenCalledTimes(1);
  stream.sendText('Hello');
  await vi.advanceTimersByTimeAsync(0);
  expect(write).toHaveBeenCalledTimes(2);
  for (let word = 0; word < 20; word++) {
    stream.sendText(' word');
    await vi.advanceTimersByTimeAsync(10);
  }
  expect(write).toHaveBeenCalledTimes(4);
  expect((await stream.settle()).parts).toEqual([]);
});
