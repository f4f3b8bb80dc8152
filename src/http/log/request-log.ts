import type { Context, MiddlewareHandler } from 'hono';
import { LRUCache } from 'lru-cache';
import { type DestinationStream, type Logger, type LoggerOptions, pino, stdTimeFunctions } from 'pino';
import { telemetry } from '../../core/telemetry.ts';
import { currentSpan } from '../../core/tracing.ts';
import type { Viewer } from '../../core/viewer.ts';
import { currentAgeMs, currentOutcome, currentRequestId } from '../../database/deadline.ts';
import { failureCode } from '../../database/errors.ts';
import type { Received } from '../received.ts';
import { describeAnswer } from '../request-span.ts';
import { describeError } from './describe-error.ts';

/** What is learned about a request while it is handled, for its access log line. */
export type RequestNotes = {
  viewer?: Viewer | undefined;
  /** The name of the GraphQL operation, or the id of the REST operation. */
  operation?: string | undefined;
  /** The name of the saved operation that it runs. */
  saved?: string | undefined;
  /** For how many seconds its result may be kept. */
  maxAge?: number | null | undefined;
  /** The path of the REST operation, with the names of its parameters. */
  route?: string | undefined;
  errorCodes?: string[] | undefined;
  /** Whether a compiled query answered it. */
  compiled?: boolean | undefined;
};
/**
 * Calls `end` once the bearer of the request has become invalid or changed its rights: the token expired, the secret
 * was rotated, the member was removed or given another role, on whichever replica. Returns what stops the watch.
 */
export type WatchBearer = (end: () => void) => () => void;
/** Hono variables; whatever authenticates the request adds the viewer to `requestNotes`. */
export type HttpVariables = {
  received: Received;
  log: Logger;
  requestNotes: RequestNotes;
  watchBearer?: WatchBearer;
};
export type HttpContext = Context<{ Variables: HttpVariables }>;

/**
 * Creates the process's logger: one line per event to standard output (JSON, unless a person reads it) or JSON to
 * `destination`, with secrets redacted.
 * Lines with the same `cause` are limited to one a second. `base` is in every line.
 */
export function createLog(
  level: string,
  destination: DestinationStream = logOutput(),
  base: Record<string, unknown> | null = null,
): Logger {
  const options: LoggerOptions = {
    level,
    base,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: describeError, error: describeError },
    redact: { paths: secretPaths, censor: '***' },
    hooks: { logMethod: limitCauses() },
    mixin: withRequestId,
  };
  return pino(options, destination);
}

/** What is logged while a request is handled has its id, wherever that is. */
function withRequestId(): object {
  const requestId = currentRequestId();
  return requestId === null ? {} : { requestId };
}

/** Where lines go; `flush` calls back once all that were logged are written. */
export type LogOutput = DestinationStream & { flush?(done: () => void): void; flushSync?(): void };

/** Resolves once all lines that were logged are written. */
export const flushed = (output: LogOutput): Promise<void> =>
  new Promise((resolve) => (output.flush ? output.flush(() => resolve()) : resolve()));

/**
 * Standard output for a process that logs every request: lines are buffered, and written within a tenth of a second or
 * when the process exits by itself. Workers share one pipe, where only writes of up to 4,096 bytes are atomic.
 */
export const bufferedOutput = (workers = 1): LogOutput => {
  const size = workers > 1 ? { minLength: 4_000, maxWrite: 4_096 } : { minLength: 16_000 };
  return pino.destination({ dest: 1, sync: false, ...size, periodicFlush: 100 });
};

/** Where a process that logs every request writes, or one that logs little (without `workers`). */
export function logOutput(workers?: number): LogOutput {
  if (process.stdout.isTTY) return terminalOutput();
  return workers === undefined ? pino.destination(1) : bufferedOutput(workers);
}

const secretNames = ['authorization', 'token', 'accessToken', 'secret', 'oauthClientSecret', 'password', 'apiKey'];
const secretPaths = secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/**
 * Returns a request's id (the caller's `X-Request-Id` if well-formed) in the response, and
 * writes one access log line once the response is known.
 */
export function requestLog(
  log: Logger,
  addressOf: (request: object) => string | null = () => null,
): MiddlewareHandler<{ Variables: HttpVariables }> {
  const access = accessLog(log);
  return async (c, next) => {
    const received = c.get('received');
    c.set('log', log);
    c.set('requestNotes', {});
    const started = performance.now();
    await next();
    c.res.headers.set('X-Request-Id', received.requestId);
    access({ ...accessOf(received, addressOf), status: c.res.status, started, ...c.get('requestNotes') });
  };
}

/** What the log has of a request before it is answered. */
export const accessOf = ({ request, requestId, method, path, headers }: Received, addressOf: AddressOf) => ({
  requestId,
  method,
  path,
  address: addressOf(request),
  traceId: traceIdOf(headers.get('traceparent')),
  client: headers.get('graphql-client-name') ?? headers.get('apollographql-client-name'),
});
type AddressOf = (request: object) => string | null;

type Access = {
  requestId: string;
  method: string;
  /** Without the query string, whose values are the caller's. */
  path: string;
  status: number;
  /** The caller's address, as it is rate limited. */
  address?: string | null | undefined;
  /** The id of the caller's trace; replaced by that of the gateway's own, if it records one. */
  traceId?: string | null | undefined;
  /** What the caller calls itself. */
  client?: string | null | undefined;
  /** Start time, from `performance.now()`. */
  started: number;
} & RequestNotes;

/**
 * Writes the access log line of a request, and publishes it to telemetry. No field can hold a secret, so redaction is
 * off.
 */
export function accessLog(log: Logger): (access: Access) => void {
  const lines = log.child({}, { redact: [] });
  return ({ started, viewer, operation, saved, route, errorCodes, compiled, address, client, ...others }) => {
    const { maxAge: _, traceId: own, ...access } = others;
    const elapsed = performance.now() - started;
    const ms = Math.round(elapsed * 10) / 10;
    telemetry.request.publish(() => ({
      method: access.method,
      path: access.path,
      status: access.status,
      operation: operation ?? null,
      compiled: compiled ?? false,
      errorCodes: errorCodes ?? [],
      seconds: elapsed / 1_000,
    }));
    const statements = currentOutcome()?.statements ?? 0;
    const standbyAgeMs = currentAgeMs();
    const span = currentSpan();
    if (span) describeAnswer(span, { ...access, compiled, viewer, operation, route, errorCodes, statements });
    const traceId = span?.traceId ?? own;
    lines[levelOf(access.path, access.status)]({
      ...access,
      ...(compiled && { compiled }),
      ...(address && { address }),
      ...(traceId && { traceId }),
      ...(viewer && callerOf(viewer)),
      ...(client && { client: client.slice(0, 100) }),
      ...(operation && { operation }),
      ...(saved && { saved }),
      ...(errorCodes?.length && { errorCodes: [...new Set(errorCodes)] }),
      statements,
      ...(standbyAgeMs !== null && { standbyAgeMs: Math.round(standbyAgeMs) }),
      ms,
    });
  };
}

/** The caller and its kind of credential. A widget's visitor has no other name than its id. */
function callerOf({ workspaceId, role, credential, userId, appId, key, maker, visitor }: Viewer): object {
  const callerId = visitor?.id ?? userId ?? key?.id ?? appId;
  return { workspaceId, credential, role, callerId, ...(maker && { makerId: maker.id }) };
}

/** A probe every second is noise until it fails. */
function levelOf(path: string, status: number): 'debug' | 'info' | 'warn' {
  if (status >= 500) return 'warn';
  return path === '/health' || path === '/ready' ? 'debug' : 'info';
}

/** Returns the trace id of a `traceparent` header (W3C Trace Context); null if there is none or it is invalid. */
function traceIdOf(traceparent: string | null | undefined): string | null {
  const [, version, id] = /^([\da-f]{2})-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}(?:-|$)/.exec(traceparent ?? '') ?? [];
  return id === undefined || version === 'ff' || /^0+$/.test(id) ? null : id;
}

type LogMethod = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>;

/** Shortest time between two lines of one cause, in milliseconds. */
const intervalMs = 1_000;
/** The most causes remembered at once. */
const maxCauses = 1_000;

/**
 * A hook for pino that limits lines whose details have a `cause`, such as `model fast: HTTP 500`, to one a second for
 * each cause, so that an outage does not flood the log. The next line of the cause has the number of those `leftOut`.
 * Lines with an `err` of the database, the network or the disk get a cause of their message. Its state is shared by all
 * child loggers.
 */
export function limitCauses(now: () => number = () => performance.now()): LogMethod {
  const causes = new LRUCache<string, { since: number; leftOut: number }>({ max: maxCauses });
  return function (args, method) {
    const [given, ...rest] = args as unknown as [object, ...unknown[]];
    const details = withCause(given, rest[0]);
    const write = (first: unknown) => method.apply(this, [first, ...rest] as unknown as Parameters<typeof method>);
    const cause = causeIn(details);
    if (cause === null) return write(details);
    const earlier = causes.get(cause);
    if (earlier && now() - earlier.since < intervalMs) {
      earlier.leftOut += 1;
      return;
    }
    causes.set(cause, { since: now(), leftOut: 0 });
    write(earlier?.leftOut ? { ...details, leftOut: earlier.leftOut } : details);
  };
}

function withCause(details: object, message: unknown): object {
  if (typeof details !== 'object' || details === null || !('err' in details) || 'cause' in details) return details;
  const code = failureCode(details.err);
  return code ? { cause: `${String(message)}: ${code}`, ...details } : details;
}

function causeIn(details: unknown): string | null {
  if (typeof details !== 'object' || details === null || details instanceof Error || !('cause' in details)) return null;
  return typeof details.cause === 'string' ? details.cause : null;
}

/** Clears what stands in the line of the cursor: the progress of a start. */
const clearLine = '\r\u001b[K';
const colours: Record<string, string> = { fatal: '\u001b[31m', error: '\u001b[31m', warn: '\u001b[33m' };
const plain = '\u001b[0m';

type Line = { level: string; time: string; msg?: string; err?: { message?: string; stack?: string } } & Record<
  string,
  unknown
>;

/** Writes the log for a person: `14:05:01 WARN  The message  name=value`, and the frames of an error below. */
export function terminalOutput(
  write: (text: string) => void = (text) => process.stdout.write(text),
): DestinationStream {
  return { write: (line) => write(clearLine + readable(JSON.parse(line))) };
}

/** `line` as text, with a line break at its end. */
function readable({ level, time, msg = '', err, ...details }: Line): string {
  const clock = new Date(time).toLocaleTimeString('en-GB');
  const name = `${colours[level] ?? ''}${level.toUpperCase().padEnd(5)}${colours[level] ? plain : ''}`;
  const values = Object.entries(details).map(([key, value]) => `${key}=${valueOf(value)}`);
  const head = [`${clock} ${name} ${msg}`, ...(err?.message ? [err.message] : []), ...values].join('  ');
  const frames = err?.stack ? `\n${err.stack.replace(/^/gm, '    ')}` : '';
  return `${head}${frames}\n`;
}

/** Without control characters, which a terminal would obey. */
function valueOf(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return /^[^\s"\p{Cc}]+$/u.test(text) ? text : JSON.stringify(text).replace(/\p{Cc}/gu, '');
}
