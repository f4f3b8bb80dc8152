import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ConnectionSlots } from '../../src/database/connection-slots.ts';

/** The slots that are granted at once, out of `tries`. */
const takeAll = (slots: ConnectionSlots, writer: string | null, tries = 10) =>
  Array.from({ length: tries }, () => slots.tryAcquire(writer)).filter((leave) => leave !== null);

test('whoever writes leaves some for others who write, and all leave some for who reads', () => {
  const slots = new ConnectionSlots({ max: 8, reading: 2 });
  expect(takeAll(slots, 'a')).toHaveLength(3);
  expect(takeAll(slots, 'b')).toHaveLength(2);
  expect(takeAll(slots, 'c')).toHaveLength(1);
  expect(takeAll(slots, 'd')).toHaveLength(0);
  expect(takeAll(slots, null)).toHaveLength(2);
});

test('who reads may have all', () =>
  expect(takeAll(new ConnectionSlots({ max: 8, reading: 2 }), null)).toHaveLength(8));

test('one is for whoever comes first where there is one', () => {
  const slots = new ConnectionSlots({ max: 1, reading: 0 });
  const [leave] = takeAll(slots, 'a');
  expect(takeAll(slots, null)).toHaveLength(0);
  leave?.();
  expect(takeAll(slots, null)).toHaveLength(1);
});

test('those who wait take turns by name, and each name in its order', async () => {
  const slots = new ConnectionSlots({ max: 1, reading: 0 });
  let leave = slots.tryAcquire(null);
  const order: string[] = [];
  const wait = async (who: string) => {
    const { entered } = slots.wait(who.slice(0, 1), null);
    leave = await entered;
    order.push(who);
  };
  const waiting = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map(wait);
  for (let turn = 0; turn < waiting.length; turn++) {
    leave?.();
    await setImmediate();
  }
  await Promise.all(waiting);
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('who leaves the line gets nothing, and holds nobody up', async () => {
  const slots = new ConnectionSlots({ max: 1, reading: 0 });
  const leave = slots.tryAcquire(null);
  const gone = slots.wait('a', null);
  const next = slots.wait('a', null);
  gone.leave();
  leave?.();
  (await next.entered)();
  expect(slots.waiting).toBe(0);
  expect(slots.tryAcquire(null)).not.toBeNull();
});

test('who leaves when its turn has just come gives it back', async () => {
  const slots = new ConnectionSlots({ max: 1, reading: 0 });
  const leave = slots.tryAcquire(null);
  const late = slots.wait('a', null);
  leave?.();
  late.leave();
  await late.entered;
  expect(slots.tryAcquire(null)).not.toBeNull();
});

test('a writer that is alone and prompt may hold all but one, until it holds one for long or another writes', () => {
  let now = 0;
  const slots = new ConnectionSlots({ max: 8, reading: 2, now: () => now });
  const first = takeAll(slots, 'a');
  expect(first).toHaveLength(3);
  now += 10;
  first[0]?.();
  expect(takeAll(slots, 'a')).toHaveLength(3);

  const other = slots.tryAcquire('b');
  expect(other).not.toBeNull();
  first[1]?.();
  expect(takeAll(slots, 'a')).toHaveLength(0);
  other?.();
  expect(takeAll(slots, 'a')).toHaveLength(1);

  now += 100;
  first[2]?.();
  expect(takeAll(slots, 'a')).toHaveLength(0);
});
