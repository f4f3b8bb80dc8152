import { describe, expect, test } from 'vitest';
import { ParleyError } from '../../src/core/errors.ts';
import type { FollowChanges } from '../../src/saved/changes.ts';
import { createWatches, resultOf } from '../../src/saved/watch.ts';

const [key, workspaceId] = ['k', 'wsp_1'];
/** Something changes all the time. */
const always: FollowChanges = () => ({ next: async () => {}, end: () => {} });
/** Nothing is ever seen to change. */
const never: FollowChanges = () => ({
  next: (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
  end: () => {},
});

describe('a watch', () => {
  test('looks once for all who watch the same, and tells each of a change', async () => {
    const watches = createWatches({ follow: always, minMs: 5 });
    let looks = 0;
    let body = 'a';
    const look = async () => {
      looks += 1;
      return body;
    };
    const readers = Array.from({ length: 20 }, () =>
      watches.follow({ key, workspaceId, first: resultOf('a'), known: null, look }),
    );
    const bodies = () => Promise.all(readers.map(async (reader) => (await reader.next()).value?.body));
    expect(new Set(await bodies())).toEqual(new Set(['a']));
    const later = bodies();
    await expect.poll(() => looks).toBeGreaterThan(2);
    const before = looks;
    body = 'b';
    expect(await later).toEqual(readers.map(() => 'b'));
    expect(looks - before).toBeLessThan(10);
    await Promise.all(readers.map((reader) => reader.return()));
    await expect
      .poll(async () => {
        const now = looks;
        await new Promise((resolve) => setTimeout(resolve, 50));
        return looks - now;
      })
      .toBe(0);
  });

  test.each([
    ['newer', 'b'],
    ['older', 'a'],
  ])('looks at once when a newcomer has found another result, and corrects who has the %s', async (_, now) => {
    const watches = createWatches({ follow: never, minMs: 1, idleMs: 600_000 });
    const look = () => Promise.resolve(now);
    const early = watches.follow({ key, workspaceId, first: resultOf('a'), known: null, look });
    expect((await early.next()).value?.body).toBe('a');
    const late = watches.follow({ key, workspaceId, first: resultOf('b'), known: null, look });
    expect((await late.next()).value?.body).toBe('b');
    const corrected = now === 'b' ? early : late;
    expect((await corrected.next()).value?.body).toBe(now);
    await Promise.all([early.return(), late.return()]);
  });

  test('looks again when a newcomer has found another result during a look', async () => {
    const watches = createWatches({ follow: never, minMs: 1, idleMs: 600_000 });
    const slow = Promise.withResolvers<string>();
    let looks = 0;
    const look = () => (++looks === 1 ? slow.promise : Promise.resolve('c'));
    const join = (body: string) => watches.follow({ key, workspaceId, first: resultOf(body), known: null, look });
    const [early, second] = [join('a'), join('b')];
    await Promise.all([early.next(), second.next()]);
    await expect.poll(() => looks, { timeout: 60_000 }).toBe(1);
    const late = join('c');
    expect((await late.next()).value?.body).toBe('c');
    slow.resolve('b');
    const bodies: unknown[] = [];
    while (bodies.at(-1) !== 'c') bodies.push((await early.next()).value?.body);
    expect(looks).toBe(2);
    await Promise.all([early, second, late].map((reader) => reader.return()));
  });

  test('goes on with the bearer of another when the one that looks may not any more', async () => {
    const watches = createWatches({ follow: always, minMs: 5 });
    const forbidden = () => Promise.reject(new ParleyError('forbidden', 'no more'));
    const first = watches.follow({ key, workspaceId, first: resultOf('a'), known: null, look: forbidden });
    const second = watches.follow({
      key,
      workspaceId,
      first: resultOf('a'),
      known: null,
      look: () => Promise.resolve('b'),
    });
    await Promise.all([first.next(), second.next()]);
    const [one, other] = await Promise.allSettled([first.next(), second.next()]);
    expect(one).toMatchObject({ status: 'rejected', reason: { code: 'forbidden' } });
    expect(other).toMatchObject({ status: 'fulfilled', value: { value: { body: 'b' } } });
    await second.return();
  });

  test('outlives a budget that is used up for a while', async () => {
    const watches = createWatches({ follow: always, minMs: 5 });
    let looks = 0;
    const look = async () => {
      looks += 1;
      if (looks < 3) throw new ParleyError('rate_limited', 'later');
      return 'b';
    };
    const reader = watches.follow({ key, workspaceId, first: resultOf('a'), known: resultOf('a').id, look });
    expect((await reader.next()).value?.body).toBe('b');
    await reader.return();
  });

  test('looks when something has changed, or after a while, and not before', async () => {
    let change: (() => void) | undefined;
    let ended = 0;
    const follow: FollowChanges = (followed) => {
      expect(followed).toBe(workspaceId);
      return {
        next: (signal) =>
          new Promise<void>((resolve) => {
            change = resolve;
            signal.addEventListener('abort', () => resolve());
          }),
        end: () => {
          ended += 1;
        },
      };
    };
    let looks = 0;
    const look = async () => `${++looks}`;
    const quiet = createWatches({ follow, minMs: 1, idleMs: 60_000 });
    const reader = quiet.follow({ key, workspaceId, first: resultOf('0'), known: null, look });
    await reader.next();
    const next = reader.next();
    await expect.poll(() => change).toBeDefined();
    expect(looks).toBe(0);
    change?.();
    expect((await next).value?.body).toBe('1');
    await reader.return();
    await expect.poll(() => ended).toBe(1);
    const late = createWatches({ follow, minMs: 1, idleMs: 20 });
    const other = late.follow({ key, workspaceId, first: resultOf('0'), known: resultOf('0').id, look });
    expect((await other.next()).value?.body).toBe('2');
    await other.return();
  });

  test('looks again by itself after a look that failed for a while', async () => {
    const changed: FollowChanges = () => {
      let told = false;
      return {
        next: (signal) => {
          if (!told) {
            told = true;
            return Promise.resolve();
          }
          return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
        },
        end: () => {},
      };
    };
    let looks = 0;
    const look = async () => {
      looks += 1;
      if (looks < 3) throw new ParleyError('unavailable', 'away');
      return 'b';
    };
    const watches = createWatches({ follow: changed, minMs: 5, idleMs: 600_000 });
    const reader = watches.follow({ key, workspaceId, first: resultOf('a'), known: resultOf('a').id, look });
    expect((await reader.next()).value?.body).toBe('b');
    await reader.return();
  });
});
