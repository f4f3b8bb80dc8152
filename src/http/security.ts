import type { MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';

const exposed = [
  'Allow',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Preference-Applied',
  'Retry-After',
  'Warning',
  'WWW-Authenticate',
  'X-Request-Id',
  'RateLimit',
  'RateLimit-Policy',
];

/** Defaults of every answer, for its safety; a page that needs other ones sets them itself. */
const security = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/** Asked by our own pages alone: see demo-session.ts and oauth-start.ts. */
const isForPages = (path: string) => path.startsWith('/demo/') || path === '/oauth/start';

/** CORS for any origin: callers prove themselves with a bearer and never with a cookie. */
const sharing = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': exposed.join(',') };

/** What every answer of the API carries. */
export const standingHeaders = { ...security, ...sharing };

/** Puts these headers on every answer. Pages are not shared with other origins, nor is what gives them a token. */
export function securityHeaders(): MiddlewareHandler {
  return async (c, next) => {
    await next();
    // Hono's own `c.header` would build the whole response anew for each of them.
    const { headers } = c.res;
    const isOwn = isForPages(c.req.path) || headers.get('content-type')?.startsWith('text/html');
    for (const [name, value] of Object.entries(isOwn ? security : standingHeaders)) {
      if (!headers.has(name)) headers.set(name, value);
    }
  };
}

const preflight = cors({
  origin: '*',
  allowMethods: ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'],
  maxAge: 7_200,
  exposeHeaders: exposed,
});

/** Answers preflights; a plain OPTIONS goes on to its route. */
export function crossOrigin(): MiddlewareHandler {
  return (c, next) =>
    c.req.method === 'OPTIONS' && !isForPages(c.req.path) && c.req.header('access-control-request-method')
      ? preflight(c, next)
      : next();
}
