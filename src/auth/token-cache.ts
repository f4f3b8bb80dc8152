import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Viewer } from '../core/viewer.ts';

/** A verified bearer: when it expires, in epoch milliseconds, and whom it represents now. */
export type VerifiedToken = { expiresAt: number; viewer(): Promise<Viewer> };

type Entry = { verified: VerifiedToken; viewer: Promise<Viewer>; freshUntil: number; generation: number };
type Options = {
  verify(bearer: string): Promise<VerifiedToken> | VerifiedToken;
  now: () => Date;
  size?: number;
  freshMs?: number;
};

/**
 * Caches verified tokens by the SHA-256 of their bearer, so that a signature is checked once, and their viewers for
 * `freshMs`, so that the database is queried once. `forget` makes all viewers be looked up again.
 */
export function createTokenCache({ verify, now, size = 10_000, freshMs = 5_000 }: Options) {
  const entries = new LRUCache<string, Entry>({ max: size });
  let generation = 0;

  function remember(key: string, verified: VerifiedToken): Entry {
    const entry: Entry = { verified, viewer: frozen(verified), freshUntil: now().getTime() + freshMs, generation };
    // Failures are not cached: an app's new secret, or a database that is back, must take effect at once.
    entry.viewer.catch(() => entries.peek(key) === entry && entries.delete(key));
    entries.set(key, entry);
    return entry;
  }

  return {
    async viewerOf(bearer: string): Promise<Viewer> {
      const key = hash('sha256', bearer, 'base64url');
      const time = now().getTime();
      const entry = entries.get(key);
      if (!entry || entry.verified.expiresAt <= time) return remember(key, await verify(bearer)).viewer;
      if (entry.freshUntil <= time || entry.generation !== generation) return remember(key, entry.verified).viewer;
      return entry.viewer;
    },
    forget(): void {
      generation += 1;
    },
  };
}

async function frozen(verified: VerifiedToken): Promise<Viewer> {
  return Object.freeze(await verified.viewer());
}
