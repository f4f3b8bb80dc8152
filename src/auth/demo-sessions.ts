import { randomBytes, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** What a browser that gave a key has from then on: `id` in its cookie, `csrfToken` in the storage of its origin. */
export type DemoSession = { id: string; csrfToken: string };

/**
 * Who may have the demo owner's token in a page. Kept in memory alone: a restart ends every key and session.
 */
export type DemoSessions = {
  /** A key that opens one session, within 15 minutes. */
  issueKey(): string;
  /** The session that a key opens; null when the key is unknown, too old, or was given before. */
  exchange(key: string): DemoSession | null;
  /** Whether a session is one of these. */
  has(session: { id: string; csrfToken: string }): boolean;
};

const KEY_LIFETIME_MS = 15 * 60_000;
/** Of keys and of sessions; those that were used longest ago make room. */
const MAX_KEPT = 100;

/** `now` in milliseconds, of a clock that nobody sets. */
export function createDemoSessions({ now = () => performance.now() } = {}): DemoSessions {
  const keys = new LRUCache<string, number>({ max: MAX_KEPT });
  const sessions = new LRUCache<string, string>({ max: MAX_KEPT });
  return {
    issueKey() {
      const key = secret();
      keys.set(key, now() + KEY_LIFETIME_MS);
      return key;
    },
    exchange(key) {
      const until = keys.get(key);
      keys.delete(key);
      if (until === undefined || until < now()) return null;
      const session = { id: secret(), csrfToken: secret() };
      sessions.set(session.id, session.csrfToken);
      return session;
    },
    has({ id, csrfToken }) {
      const expected = Buffer.from(sessions.get(id) ?? '');
      const given = Buffer.from(csrfToken);
      return expected.length > 0 && expected.length === given.length && timingSafeEqual(expected, given);
    },
  };
}

const secret = () => randomBytes(32).toString('base64url');
