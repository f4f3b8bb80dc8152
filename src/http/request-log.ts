import type { Context, MiddlewareHandler } from 'hono';
import { requestId } from 'hono/request-id';
import { type Logger, pino, stdTimeFunctions } from 'pino';
import { describeError } from './describe-error.ts';

/** What the middleware of this folder keeps for a request; whoever authenticates it sets `workspaceId`. */
export type HttpVariables = { requestId: string; log: Logger; workspaceId?: string };
export type HttpContext = Context<{ Variables: HttpVariables }>;

/** The log of the process: one JSON line an event on standard output, without secrets. */
export function createLog(level: string): Logger {
  return pino({
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: describeError, error: describeError },
    redact: { paths: secretPaths, censor: '***' },
  });
}

const secretNames = ['authorization', 'token', 'accessToken', 'secret', 'oauthClientSecret', 'password', 'apiKey'];
const secretPaths = secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/**
 * Gives each request an id (the caller's `X-Request-Id` when it is sane), answers with it, keeps a `log` that carries it
 * for whoever works on the request, and writes one line when the answer is known. Query values and headers never show.
 */
export function requestLog(log: Logger): MiddlewareHandler<{ Variables: HttpVariables }>[] {
  return [
    requestId({ limitLength: 128 }),
    async (c, next) => {
      const id = c.get('requestId');
      c.set('log', log.child({ requestId: id }));
      const started = performance.now();
      await next();
      c.header('X-Request-Id', id);
      const { status } = c.res;
      c.get('log')[levelOf(c.req.path, status)]({
        method: c.req.method,
        path: c.req.path,
        status,
        ms: Math.round((performance.now() - started) * 10) / 10,
        workspaceId: c.get('workspaceId'),
      });
    },
  ];
}

/** A probe each second is noise until it fails. */
function levelOf(path: string, status: number): 'debug' | 'info' | 'warn' {
  if (status >= 500) return 'warn';
  return path === '/health' || path === '/ready' ? 'debug' : 'info';
}
