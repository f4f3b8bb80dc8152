import type { MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';

const exposed = [
  'Age',
  'Allow',
  'Content-Disposition',
  'Content-Range',
  'Deprecation',
  'ETag',
  'Link',
  'Preference-Applied',
  'Retry-After',
  'Sunset',
  'Warning',
  'WWW-Authenticate',
  'X-Parley-Conversation',
  'X-Request-Id',
  'RateLimit',
  'RateLimit-Policy',
];

/** Default security headers of every response; a page that needs other values sets them itself. */
const security = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/** Only called by our own pages: see demo-session.ts and oauth/start.ts. */
const isForPages = (path: string) => path.startsWith('/demo/') || path === '/oauth/start';

/** CORS for any origin: callers authenticate with a bearer, never with a cookie. */
const corsHeaders = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': exposed.join(',') };

/** Headers of every API response. */
export const staticHeaders = { ...security, ...corsHeaders };

/**
 * Sets these headers on every response. Pages are not shared with other origins, nor are the endpoints that issue them
 * a token.
 */
export function securityHeaders(): MiddlewareHandler {
  return async (c, next) => {
    await next();
    // Hono's own `c.header` would rebuild the whole response for each header.
    const { headers } = c.res;
    const isOwn = isForPages(c.req.path) || headers.get('content-type')?.startsWith('text/html');
    for (const [name, value] of Object.entries(isOwn ? security : staticHeaders)) {
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

/** Handles CORS preflights; any other OPTIONS request goes on to its route. */
export function crossOrigin(): MiddlewareHandler {
  return (c, next) =>
    c.req.method === 'OPTIONS' && !isForPages(c.req.path) && c.req.header('access-control-request-method')
      ? preflight(c, next)
      : next();
}
