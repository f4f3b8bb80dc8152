import { randomBytes, timingSafeEqual } from 'node:crypto';

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
/** Of keys and of sessions; the oldest make room. */
const MAX_KEPT = 100;

/** `now` in milliseconds, of a clock that nobody sets. */
export function createDemoSessions({ now = () => performance.now() } = {}): DemoSessions {
  const keys = new Map<string, number>();
  const sessions = new Map<string, string>();
  return {
    issueKey() {
      const key = secret();
      keep(keys, key, now() + KEY_LIFETIME_MS);
      return key;
    },
    exchange(key) {
      const until = keys.get(key);
      keys.delete(key);
      if (until === undefined || until < now()) return null;
      const session = { id: secret(), csrfToken: secret() };
      keep(sessions, session.id, session.csrfToken);
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

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_KEPT && oldest !== undefined) map.delete(oldest);
}
