import type { MiddlewareHandler } from 'hono';
import { currentAgeMs } from '../database/deadline.ts';

/** No response is staler, whatever the request accepts: what was erased is gone everywhere after this time. */
const maxStalenessMs = 60_000;

/**
 * How stale a response may be by the request's Cache-Control (RFC 9111), in milliseconds: `max-stale=<seconds>`, at
 * most `maxStalenessMs`, which `max-stale` alone means. Null if it must not be stale, or says nothing that can be
 * understood.
 */
export function maxStaleOf(cacheControl: string | undefined): number | null {
  if (!cacheControl) return null;
  const directives = cacheControl.split(',').map((directive) => directive.trim().toLowerCase());
  if (directives.some((directive) => directive === 'no-cache' || directive === 'no-store')) return null;
  const given = directives.find((directive) => /^max-stale(=|$)/.test(directive));
  if (given === 'max-stale') return maxStalenessMs;
  const seconds = /="?(\d{1,9})"?$/.exec(given ?? '')?.[1];
  return seconds === undefined ? null : Math.min(Number(seconds) * 1_000, maxStalenessMs);
}

/** The Age of a response that a standby has answered, in whole seconds, rounded up. */
export function ageHeader(): { Age?: string } {
  const ageMs = currentAgeMs();
  return ageMs === null ? {} : { Age: String(Math.ceil(ageMs / 1_000)) };
}

/** Sets the Age header on responses that a standby has answered. */
export function ageHeaders(): MiddlewareHandler {
  return async (c, next) => {
    await next();
    const { Age } = ageHeader();
    if (Age) c.res.headers.set('Age', Age);
  };
}
