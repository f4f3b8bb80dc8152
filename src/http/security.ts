import type { MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';

/** Defaults of every answer; a page that needs other ones sets them itself. */
const headers = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/** Security headers on every answer. */
export function securityHeaders(): MiddlewareHandler {
  return async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(headers)) if (!c.res.headers.has(name)) c.header(name, value);
  };
}

const preflight = cors({
  origin: '*',
  allowMethods: ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'],
  maxAge: 7_200,
  exposeHeaders: [
    'Allow',
    'Content-Location',
    'Idempotency-Replayed',
    'Preference-Applied',
    'Retry-After',
    'Warning',
    'WWW-Authenticate',
    'X-Request-Id',
  ],
});

/**
 * CORS for any origin: callers prove themselves with a bearer and never with a cookie. Answers preflights; a plain
 * OPTIONS goes on to its route. Pages are left out, since one may hold the demo token and no other site may read it.
 */
export function crossOrigin(): MiddlewareHandler {
  return async (c, next) => {
    if (c.req.method === 'OPTIONS' && !c.req.header('access-control-request-method')) return next();
    const answer = await preflight(c, next);
    if (answer) return answer;
    if (c.res.headers.get('content-type')?.startsWith('text/html')) c.header('Access-Control-Allow-Origin', undefined);
    return undefined;
  };
}
