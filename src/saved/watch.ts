import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ParleyError } from '../core/errors.ts';
import { inBackground } from '../database/deadline.ts';
import { abortable } from '../domain/shared/abortable-generator.ts';

/** A result, and the hash of it, by which a stream is resumed. */
export type Result = { id: string; body: string };

type Watcher = { look: () => Promise<string>; wake: () => void; failure: Error | null };
type Watch = { watchers: Set<Watcher>; last: Result };

type Asked = {
  /** What is watched, and with which rights: the same for all who may share a look. */
  key: string;
  /** What the watcher's own first look has found. */
  first: Result;
  /** The id of the result that the watcher already has; null for none. */
  known: string | null;
  /** Looks again, at the watcher's own cost. */
  look: () => Promise<string>;
};

export type Watches = { follow(asked: Asked): AsyncGenerator<Result, void> };

/** How long a look rests, in times of how long it took. */
const rest = 20;

export const resultOf = (body: string): Result => ({
  id: createHash('sha256').update(body).digest('base64url').slice(0, 27),
  body,
});

/**
 * Watches results for changes. However many watch the same, one of them looks for all, at most once in `minMs`
 * milliseconds, and less often if a look takes long: 20 times that. A slow reader gets the latest result alone.
 */
export function createWatches(minMs = 1_000): Watches {
  const watches = new Map<string, Watch>();

  function publish(watch: Watch, result: Result): void {
    if (watch.last.id === result.id) return;
    watch.last = result;
    for (const { wake } of watch.watchers) wake();
  }

  async function run(key: string, watch: Watch): Promise<void> {
    for (let pauseMs = minMs; ; ) {
      await sleep(pauseMs, undefined, { ref: false });
      const [watcher] = watch.watchers;
      if (!watcher) return void watches.delete(key);
      const started = performance.now();
      try {
        publish(watch, resultOf(await watcher.look()));
      } catch (error) {
        // The others have bearers of their own.
        if (!isPassing(error)) fail(watch, watcher, error);
      }
      pauseMs = Math.max(minMs, rest * (performance.now() - started));
    }
  }

  async function* read({ key, first, known, look }: Asked, signal: AbortSignal): AsyncGenerator<Result, void> {
    const watch = watches.get(key) ?? { watchers: new Set(), last: first };
    const watcher: Watcher = { look, wake: () => {}, failure: null };
    watch.watchers.add(watcher);
    publish(watch, first);
    if (!watches.has(key)) {
      watches.set(key, watch);
      void inBackground(() => run(key, watch));
    }
    signal.addEventListener('abort', () => watcher.wake());
    try {
      for (let sent = known; !signal.aborted; ) {
        if (watcher.failure) throw watcher.failure;
        const { last } = watch;
        if (last.id !== sent) {
          sent = last.id;
          yield last;
        } else {
          await new Promise<void>((resolve) => {
            watcher.wake = resolve;
          });
        }
      }
    } finally {
      watch.watchers.delete(watcher);
    }
  }

  return { follow: (asked) => abortable((signal) => read(asked, signal)) };
}

function fail(watch: Watch, watcher: Watcher, error: unknown): void {
  watch.watchers.delete(watcher);
  watcher.failure = error instanceof Error ? error : new Error(String(error));
  watcher.wake();
}

/** Whether the next look may succeed: a budget is used up for a minute, or the database is away. */
const isPassing = (error: unknown): boolean =>
  error instanceof ParleyError && (error.code === 'rate_limited' || error.code === 'unavailable');
