import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ParleyError } from '../core/errors.ts';
import { inBackground } from '../database/deadline.ts';
import { abortable } from '../domain/shared/abortable-generator.ts';
import type { FollowChanges } from './changes.ts';

/** A result, and the hash of it, by which a stream is resumed. */
export type Result = { id: string; body: string };

type Watcher = { look: () => Promise<string>; last: Result; wake: () => void; failure: Error | null };
type Watch = {
  watchers: Set<Watcher>;
  last: Result;
  left: AbortController;
  /** Whether the next look waits for no change: one is already known to be missed. */
  isLate: boolean;
  /** The wait for a change, which aborting ends. */
  idle: AbortController | null;
};

type Asked = {
  /** What is watched, and with which rights: the same for all who may share a look. */
  key: string;
  /** The workspace whose rows it reads. */
  workspaceId: string;
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

type Options = {
  follow: FollowChanges;
  /** How long a look rests at least, in milliseconds. */
  minMs?: number;
  /** After how long it looks without a change that was seen: times pass, and not every change is seen. */
  idleMs?: number;
};

/**
 * Watches results for changes. However many watch the same, one of them looks for all, when rows of its workspace have
 * changed: at most once in `minMs` milliseconds, and less often if a look takes long, 20 times that. A slow reader gets
 * the latest result alone.
 */
export function createWatches({ follow, minMs = 1_000, idleMs = 30_000 }: Options): Watches {
  const watches = new Map<string, Watch>();

  function publish(watch: Watch, result: Result): void {
    watch.last = result;
    for (const watcher of watch.watchers) {
      watcher.last = result;
      watcher.wake();
    }
  }

  function leave(key: string, watch: Watch, watcher: Watcher): void {
    watch.watchers.delete(watcher);
    if (watch.watchers.size > 0) return;
    if (watches.get(key) === watch) watches.delete(key);
    watch.left.abort();
    watch.idle?.abort();
  }

  async function run(key: string, watch: Watch, workspaceId: string): Promise<void> {
    const { signal } = watch.left;
    const changes = follow(workspaceId);
    try {
      for (let pauseMs = minMs; ; ) {
        await sleep(pauseMs, undefined, { ref: false, signal }).catch(() => {});
        if (signal.aborted) return;
        if (!watch.isLate) {
          const idle = new AbortController();
          watch.idle = idle;
          // Its timer holds it: a signal of AbortSignal.timeout may be collected, and then never aborts.
          const timer = setTimeout(() => idle.abort(), idleMs).unref();
          await changes.next(idle.signal).finally(() => clearTimeout(timer));
        }
        const [watcher] = watch.watchers;
        if (!watcher) return;
        const started = performance.now();
        // Before the look: who joins during it may know of a later change.
        watch.isLate = false;
        try {
          publish(watch, resultOf(await watcher.look()));
        } catch (error) {
          // It has missed what it was for.
          watch.isLate = true;
          // The others have bearers of their own.
          if (!isPassing(error)) fail(key, watch, watcher, error);
        }
        pauseMs = Math.max(minMs, rest * (performance.now() - started));
      }
    } finally {
      changes.end();
    }
  }

  function fail(key: string, watch: Watch, watcher: Watcher, error: unknown): void {
    watcher.failure = error instanceof Error ? error : new Error(String(error));
    leave(key, watch, watcher);
    watcher.wake();
  }

  async function* read(asked: Asked, signal: AbortSignal): AsyncGenerator<Result, void> {
    const { key, workspaceId, first, known, look } = asked;
    const joined = watches.get(key);
    const watch: Watch = joined ?? {
      watchers: new Set(),
      last: first,
      left: new AbortController(),
      isLate: false,
      idle: null,
    };
    const watcher: Watcher = { look, last: first, wake: () => {}, failure: null };
    watch.watchers.add(watcher);
    if (!joined) {
      watches.set(key, watch);
      void inBackground(() => run(key, watch, workspaceId));
    } else if (first.id !== watch.last.id) {
      // Either may be the older one. The next look tells, and all get what it finds.
      watch.isLate = true;
      watch.idle?.abort();
    }
    signal.addEventListener('abort', () => watcher.wake());
    try {
      for (let sent = known; !signal.aborted; ) {
        if (watcher.failure) throw watcher.failure;
        const { last } = watcher;
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
      leave(key, watch, watcher);
    }
  }

  return { follow: (asked) => abortable((signal) => read(asked, signal)) };
}

/** Whether the next look may succeed: a budget is used up for a minute, or the database is away. */
const isPassing = (error: unknown): boolean =>
  error instanceof ParleyError && (error.code === 'rate_limited' || error.code === 'unavailable');
