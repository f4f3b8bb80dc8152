import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  currentDeadline,
  currentOutcome,
  DatabaseTimeoutError,
  type Deadline,
  endDeadline,
  inBackground,
  untilDeadline,
  withDeadline,
  withoutDeadline,
  withoutRequestDeadline,
} from '../../src/database/deadline.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** Waits for the database until `end`. */
function wait(deadline: Deadline | null) {
  const waiting = { error: null as Error | null, abort: (error: Error) => void (waiting.error = error) };
  deadline?.begin(waiting);
  return { end: () => deadline?.end(waiting), error: () => waiting.error };
}
async function pass(ms: number): Promise<void> {
  vi.advanceTimersByTime(ms);
  await setImmediate();
}
const inRequest = (work: () => Promise<void>) => withDeadline(1_000, work);

describe('a request waits for the database as long as its deadline says', () => {
  test('waits one after the other add up, and what lies between them does not count', () =>
    inRequest(async () => {
      for (let turn = 0; turn < 3; turn++) {
        const one = wait(currentDeadline(null));
        await pass(300);
        one.end();
        await pass(5_000);
        expect(one.error()).toBeNull();
      }
      const last = wait(currentDeadline(null));
      await pass(99);
      expect(last.error()).toBeNull();
      await pass(1);
      expect(last.error()).toEqual(new DatabaseTimeoutError(1_000));
    }));

  test('waits at once count once', () =>
    inRequest(async () => {
      const all = Array.from({ length: 10 }, () => wait(currentDeadline(null)));
      await pass(999);
      for (const one of all) one.end();
      await pass(5_000);
      expect(all.map((one) => one.error())).not.toContainEqual(expect.any(Error));
    }));

  test('all who wait are told at once, and nobody waits after that', () =>
    inRequest(async () => {
      const all = [wait(currentDeadline(null)), wait(currentDeadline(null))];
      await pass(1_000);
      for (const one of all) expect(one.error()).toBeInstanceOf(DatabaseTimeoutError);
      expect(() => wait(currentDeadline(null))).toThrow(DatabaseTimeoutError);
    }));

  test('what has come while the process was busy is read first', () =>
    inRequest(async () => {
      const one = wait(currentDeadline(null));
      vi.advanceTimersByTime(9_000);
      one.end();
      await pass(9_000);
      expect(one.error()).toBeNull();
    }));

  test('a request within a request has no deadline of its own', () =>
    inRequest(async () => {
      const outer = currentDeadline(null);
      await withDeadline(90_000, async () => expect(currentDeadline(null)).toBe(outer));
    }));
});

describe('what goes on without the request', () => {
  test('has the whole time for each wait: a turn, and a stream that has begun', () =>
    inRequest(async () => {
      const longer = async () => {
        for (let turn = 0; turn < 3; turn++) {
          const one = wait(currentDeadline(null));
          await pass(900);
          expect(one.error()).toBeNull();
          one.end();
        }
        const late = wait(currentDeadline(null));
        await pass(1_000);
        expect(late.error()).toBeInstanceOf(DatabaseTimeoutError);
      };
      await withoutDeadline(longer);
      endDeadline();
      await longer();
    }));

  test('tells the request of what it may have stored', () =>
    inRequest(async () => {
      withoutDeadline(() => Object.assign(currentOutcome() ?? {}, { uncertain: true }));
      expect(currentOutcome()).toEqual({ uncertain: true, statements: 0 });
      expect(inBackground(currentOutcome)).toBeNull();
    }));

  test('has the limit of its connection where there never was a request', () => {
    expect(currentDeadline(40_000)?.limitMs).toBe(40_000);
    expect(currentDeadline(null)).toBeNull();
    expect(withDeadline(1_000, () => inBackground(() => currentDeadline(40_000)?.limitMs))).toBe(40_000);
  });
});

describe('a request that waits for work which goes on without it', () => {
  const long = async () => {
    for (let turn = 0; turn < 3; turn++) {
      const one = wait(currentDeadline(null));
      await pass(600);
      one.end();
      expect(one.error()).toBeNull();
    }
    return 'done';
  };

  test('is told when the work has waited too long for the database in all, and the work is done', () =>
    inRequest(async () => {
      const work = withoutRequestDeadline(long);
      const told = untilDeadline(work);
      await expect(told).rejects.toEqual(new DatabaseTimeoutError(1_000));
      expect(await work).toBe('done');
    }));

  test('has waited itself before', () =>
    inRequest(async () => {
      const before = wait(currentDeadline(null));
      await pass(500);
      before.end();
      const told = untilDeadline(
        withoutRequestDeadline(async () => {
          const one = wait(currentDeadline(null));
          await pass(501);
          one.end();
        }),
      );
      await expect(told).rejects.toThrow(DatabaseTimeoutError);
    }));

  test('is answered when the work took its time with other things', () =>
    inRequest(async () => {
      const work = async () => {
        await pass(60_000);
        const one = wait(currentDeadline(null));
        await pass(999);
        one.end();
        return 'done';
      };
      expect(await untilDeadline(withoutRequestDeadline(work))).toBe('done');
    }));
});
