import type { Context, MiddlewareHandler } from 'hono';
import { type DestinationStream, type Logger, type LoggerOptions, pino, stdTimeFunctions } from 'pino';
import type { Viewer } from '../core/viewer.ts';
import { describeError } from './describe-error.ts';
import { requestIdOf } from './request-id.ts';

/** What is found out of a request while it is answered, for its line in the log. */
export type RequestNotes = {
  viewer?: Viewer | undefined;
  /** The name of the GraphQL operation. */
  operation?: string | undefined;
  errorCodes?: string[] | undefined;
};
/** What the middleware of this folder keeps for a request; whoever authenticates it notes the viewer. */
export type HttpVariables = { requestId: string; log: Logger; noted: RequestNotes };
export type HttpContext = Context<{ Variables: HttpVariables }>;

/** The log of the process: one JSON line an event on standard output, or on `destination`, without secrets. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: describeError, error: describeError },
    redact: { paths: secretPaths, censor: '***' },
  };
  return destination ? pino(options, destination) : pino(options);
}

/**
 * Standard output for a process that writes a line for each request: lines are written together, within a tenth of a
 * second and at the latest when the process ends by itself.
 */
export const bufferedOutput = (): DestinationStream =>
  pino.destination({ dest: 1, sync: false, minLength: 16_000, periodicFlush: 100 });

const secretNames = ['authorization', 'token', 'accessToken', 'secret', 'oauthClientSecret', 'password', 'apiKey'];
const secretPaths = secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/**
 * Gives each request an id (the caller's `X-Request-Id` when it is sane), answers with it, keeps a `log` that carries it
 * for whoever works on the request, and writes one line when the answer is known.
 */
export function requestLog(log: Logger): MiddlewareHandler<{ Variables: HttpVariables }> {
  const access = accessLog(log);
  return async (c, next) => {
    const requestId = requestIdOf(c.req.header('x-request-id'));
    c.set('requestId', requestId);
    c.set('log', log.child({ requestId }));
    c.set('noted', {});
    const started = performance.now();
    await next();
    c.res.headers.set('X-Request-Id', requestId);
    const { method, path } = c.req;
    access({ requestId, method, path, status: c.res.status, started, ...c.get('noted') });
  };
}

export type Access = {
  requestId: string;
  method: string;
  /** Without its query, whose values are the caller's. */
  path: string;
  status: number;
  /** When it began, as `performance.now()` said. */
  started: number;
} & RequestNotes;

/** Writes the line of a request that is answered. It holds no secret by its making, so none has to be looked for. */
export function accessLog(log: Logger): (access: Access) => void {
  const lines = log.child({}, { redact: [] });
  return ({ started, viewer, operation, errorCodes, ...access }) => {
    const ms = Math.round((performance.now() - started) * 10) / 10;
    lines[levelOf(access.path, access.status)]({
      ...access,
      ...(viewer && callerOf(viewer)),
      ...(operation && { operation }),
      ...(errorCodes?.length && { errorCodes: [...new Set(errorCodes)] }),
      ms,
    });
  };
}

/** Who asked, and by what kind of bearer. A visitor is one of a widget, who has no other name than its id. */
function callerOf({ workspaceId, role, credential, userId, appId, key, visitor }: Viewer): object {
  return { workspaceId, credential, role, callerId: visitor?.id ?? userId ?? key?.id ?? appId };
}

/** A probe each second is noise until it fails. */
function levelOf(path: string, status: number): 'debug' | 'info' | 'warn' {
  if (status >= 500) return 'warn';
  return path === '/health' || path === '/ready' ? 'debug' : 'info';
}
