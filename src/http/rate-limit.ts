import type { MiddlewareHandler } from 'hono';
import { createRateLimits, type RateStanding, rateLimited, secondsLeft } from '../auth/keys/rate-limits.ts';
import type { Services } from '../context.ts';
import type { Viewer } from '../core/viewer.ts';

type Taken = ReturnType<ReturnType<typeof createRateLimits>['take']>;
export type RateLimit = ReturnType<typeof createRateLimit>;

/** Counts each request once, however many layers ask, and reports the caller's standing. */
export function createRateLimit({ database }: Pick<Services, 'database'>) {
  const limits = createRateLimits({ database });
  const taken = new WeakMap<object, Taken>();
  const standings = new WeakMap<object, RateStanding>();
  return {
    /** Counts a request. Throws 429 `rate_limited`. */
    async admit(viewer: Viewer, request: object): Promise<void> {
      const taking = taken.get(request) ?? limits.take(viewer);
      taken.set(request, taking);
      const standing = await taking;
      if (!standing) return;
      standings.set(request, standing);
      if (standing.refused) throw rateLimited(standing, Date.now());
    },
    /** The RateLimit headers (draft-ietf-httpapi-ratelimit-headers); none if the bearer has no limit. */
    headersOf(request: object): Record<string, string> {
      const standing = standings.get(request);
      if (!standing) return {};
      return {
        'RateLimit-Policy': `"requests";q=${standing.limit};w=60`,
        RateLimit: `"requests";r=${standing.remaining};t=${secondsLeft(standing, Date.now())}`,
      };
    },
  };
}

/** The object that identifies a request to every layer that handles it: node:http's, or Fetch's. */
export const requestIn = ({ env, req }: { env: unknown; req: { raw: Request } }): object =>
  (env as { incoming?: object } | undefined)?.incoming ?? req.raw;

/** Sets the RateLimit headers on every response. */
export function tellRateLimit(rate: RateLimit): MiddlewareHandler {
  return async (c, next) => {
    // Before `next`: a body limit replaces the raw request.
    const request = requestIn(c);
    await next();
    for (const [name, value] of Object.entries(rate.headersOf(request))) c.res.headers.set(name, value);
  };
}
