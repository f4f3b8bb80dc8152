import { randomBytes, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/**
 * The session of a browser that has redeemed a key: `id` is in its cookie, `csrfToken` in the storage of its origin.
 */
export type DemoSession = { id: string; csrfToken: string };

/**
 * Sessions of pages that may get the demo owner's token. Kept in memory, with several workers in that of their primary:
 * a restart ends all keys and sessions.
 */
export type DemoSessions = {
  /** Returns a key that opens one session, within 15 minutes. */
  issueKey(): string | Promise<string>;
  /** Redeems a key for a session; null if the key is unknown, expired or already used. */
  exchange(key: string): DemoSession | null | Promise<DemoSession | null>;
  /** Whether the session exists and its CSRF token matches. */
  has(session: { id: string; csrfToken: string }): boolean | Promise<boolean>;
};

const KEY_LIFETIME_MS = 15 * 60_000;
/** Maximum number of keys and of sessions; the least recently used are evicted. */
const MAX_KEPT = 100;

/** `now` is a monotonic clock, in milliseconds. */
export function createDemoSessions({ now = () => performance.now() } = {}) {
  const keys = new LRUCache<string, number>({ max: MAX_KEPT });
  const sessions = new LRUCache<string, string>({ max: MAX_KEPT });
  return {
    issueKey(): string {
      const key = secret();
      keys.set(key, now() + KEY_LIFETIME_MS);
      return key;
    },
    exchange(key: string): DemoSession | null {
      const until = keys.get(key);
      keys.delete(key);
      if (until === undefined || until < now()) return null;
      const session = { id: secret(), csrfToken: secret() };
      sessions.set(session.id, session.csrfToken);
      return session;
    },
    has({ id, csrfToken }: DemoSession): boolean {
      const expected = Buffer.from(sessions.get(id) ?? '');
      const received = Buffer.from(csrfToken);
      return expected.length > 0 && expected.length === received.length && timingSafeEqual(expected, received);
    },
  } satisfies DemoSessions;
}

const secret = () => randomBytes(32).toString('base64url');
