import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPoller } from '../../src/domain/shared/poller.ts';
import { createLog } from '../../src/http/log/request-log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const log = createLog('silent');

test('one look is for all that are there, and there is none when nobody is', async () => {
  const looks: string[][] = [];
  const poll = async (names: string[]) => void looks.push(names);
  const rounds = createPoller({ intervalMs: 100, eager: false, poll, log });
  for (const name of ['a', 'b', 'c']) rounds.add(name);
  await vi.advanceTimersByTimeAsync(99);
  expect(looks).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  rounds.remove('b');
  await vi.advanceTimersByTimeAsync(100);
  expect(looks).toEqual([
    ['a', 'b', 'c'],
    ['a', 'c'],
  ]);
  rounds.remove('a');
  rounds.remove('c');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(looks).toHaveLength(2);
});

test('an eager one looks at once for whoever comes first, and no sooner than it may for whoever comes back', async () => {
  let looks = 0;
  const rounds = createPoller<string>({
    intervalMs: 100,
    eager: true,
    log,
    async poll([name]) {
      looks += 1;
      rounds.remove(name as string);
      if (looks < 3) rounds.add(name as string);
    },
  });
  rounds.add('a');
  await vi.advanceTimersByTimeAsync(1);
  expect(looks).toBe(1);
  await vi.advanceTimersByTimeAsync(90);
  expect(looks).toBe(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(looks).toBe(3);
});

test('a look that fails or takes long is followed by the next, never by two at once', async () => {
  let under = 0;
  let most = 0;
  let looks = 0;
  async function poll() {
    looks += 1;
    most = Math.max(most, ++under);
    await new Promise((resolve) => setTimeout(resolve, 250));
    under -= 1;
    throw new Error('The database is away.');
  }
  createPoller({ intervalMs: 100, eager: true, poll, log }).add('a');
  await vi.advanceTimersByTimeAsync(1_100);
  expect([most, looks]).toEqual([1, 5]);
});
