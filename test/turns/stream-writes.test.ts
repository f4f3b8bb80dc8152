import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Context } from '../../src/context.ts';
import { createTurnStream } from '../../src/domain/turns/delivery.ts';
import { createPartsWriter } from '../../src/domain/turns/stream-store.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

type Written = { turnId: string; position: number; parts: { delta?: string }[] };

/** Opens streams of a process whose statements are noted: the workspace and what is written. */
function createProcess() {
  const write = vi.fn<(text: string, workspaceId: string, json: string) => Promise<object[]>>(async () => []);
  const turns = { writeParts: createPartsWriter({ $queryRawUnsafe: write } as never) };
  const open = (turnId = 'msg_1', workspaceId = 'wsp_1') => {
    const context = { turns, viewer: { workspaceId }, log: { warn() {} } };
    const stream = createTurnStream(context as unknown as Context, turnId, true);
    stream.open('cnv_1');
    return stream;
  };
  const statements = () =>
    write.mock.calls.map(([, workspaceId, json]): [string, Written[]] => [workspaceId, JSON.parse(json)]);
  return { open, write, statements };
}

/** Lets time pass, and what is due together be written. */
async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  await new Promise(setImmediate);
}

const wordsOf = (written: Written[]) =>
  written.map(({ turnId, parts }) => [turnId, parts.flatMap(({ delta }) => delta ?? []).join('')]);

test('a turn that ends within the first interval writes no part of its stream before its end', async () => {
  const { open, write } = createProcess();
  await pass(50);
  const stream = open();
  stream.sendText('Hello');
  await pass(99);
  stream.sendText(' there');
  const { position, parts } = await stream.settle();
  await pass(1_000);
  expect(write).not.toHaveBeenCalled();
  expect({ position, texts: parts.flatMap(({ delta }) => delta ?? []) }).toEqual({
    position: 0,
    texts: ['Hello', ' there'],
  });
});

test('a longer one writes once for each interval, and the first word after a pause at once', async () => {
  const { open, write } = createProcess();
  const stream = open();
  await pass(1_500);
  expect(write).toHaveBeenCalledTimes(1);
  stream.sendText('Hello');
  await pass(0);
  expect(write).toHaveBeenCalledTimes(2);
  for (let word = 0; word < 20; word++) {
    stream.sendText(' word');
    await pass(10);
  }
  expect(write).toHaveBeenCalledTimes(4);
  expect((await stream.settle()).parts).toEqual([]);
});

test('the streams of a workspace are written together, whenever they began', async () => {
  const { open, statements, write } = createProcess();
  const streams = [];
  for (const id of ['msg_1', 'msg_2', 'msg_3']) {
    streams.push(open(id, id === 'msg_3' ? 'wsp_2' : 'wsp_1'));
    await pass(30);
  }
  await pass(1_000);
  for (const stream of streams) stream.sendText('one');
  await pass(0);
  write.mockClear();
  for (const stream of streams) {
    stream.sendText(' two');
    await pass(5);
  }
  await pass(200);
  expect(statements().map(([workspaceId, written]) => [workspaceId, wordsOf(written)])).toEqual([
    [
      'wsp_1',
      [
        ['msg_1', ' two'],
        ['msg_2', ' two'],
      ],
    ],
    ['wsp_2', [['msg_3', ' two']]],
  ]);
});

test('a stream whose parts the database refuses holds back none that is written with it', async () => {
  const { open, statements, write } = createProcess();
  write.mockImplementation(async (_text, _workspaceId, json) => {
    if (json.includes('msg_gone')) throw Object.assign(new Error('its turn is gone'), { code: '23503' });
    return [];
  });
  const [gone, kept] = [open('msg_gone'), open('msg_kept')];
  await pass(150);
  gone.sendText('lost');
  kept.sendText('kept');
  await pass(150);
  const alone = statements().filter(([, written]) => written.length === 1);
  expect(alone.map(([, written]) => written[0]?.turnId)).toContain('msg_kept');
  expect((await kept.settle()).parts).toEqual([]);
  expect((await gone.settle()).parts).not.toEqual([]);
});

test('an outage is no fault of one stream: they are tried again together', async () => {
  const { open, statements, write } = createProcess();
  write.mockRejectedValueOnce(Object.assign(new Error('terminating connection'), { code: '57P01' }));
  const streams = [open('msg_1'), open('msg_2')];
  await pass(1_000);
  expect(statements().map(([, written]) => written.length)).toEqual([2, 2]);
  for (const stream of streams) expect((await stream.settle()).parts).toEqual([]);
});
