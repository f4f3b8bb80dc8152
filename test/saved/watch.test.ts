import { describe, expect, test } from 'vitest';
import { ParleyError } from '../../src/core/errors.ts';
import type { FollowChanges } from '../../src/saved/changes.ts';
import { createWatches, resultOf } from '../../src/saved/watch.ts';

const [key, workspaceId] = ['k', 'wsp_1'];
/** Something changes all the time. */
const always: FollowChanges = () => ({ next: async () => {}, end: () => {} });

describe('a watch', () => {
  const idle = () => Promise.resolve('a');

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

  test('tells what a newcomer has found to all', async () => {
    const watches = createWatches({ follow: always, minMs: 60_000 });
    const early = watches.follow({ key, workspaceId, first: resultOf('a'), known: null, look: idle });
    await early.next();
    const next = early.next();
    const late = watches.follow({ key, workspaceId, first: resultOf('b'), known: null, look: idle });
    expect([(await late.next()).value?.body, (await next).value?.body]).toEqual(['b', 'b']);
    await Promise.all([early.return(), late.return()]);
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
