import type { Logger } from 'pino';
import { bearerOf } from '../auth/bearer.ts';
import { requireSurface } from '../auth/keys/key-surfaces.ts';
import { auditActorOf } from '../core/actor.ts';
import type { ParleyError } from '../core/errors.ts';
import type { Viewer } from '../core/viewer.ts';
import { setWorkspace } from '../database/deadline.ts';
import { failureOf } from './failure.ts';
import { accessLog, type RequestNotes } from './log/request-log.ts';
import { ageHeader } from './max-stale.ts';
import { requestIdOf } from './request-id.ts';
import { staticHeaders } from './security.ts';
import { traceIdOf } from './trace-id.ts';

/** What the fast path reads of a request, so that no Fetch `Request` has to be built for it. */
export type FastRequest = {
  /** The underlying request, of node:http or Fetch: the same object that the app sees. */
  request: object;
  method: string;
  /** Letters, digits, `_`, `-` and `/` only, so nothing has to be decoded. */
  path: string;
  /** The query string as sent, without the `?`; empty if there is none. */
  query: string;
  headers: { get(name: string): string | null };
  /**
   * Returns the body; null if it is not UTF-8, is too large for the fast path, or broke off. It takes the viewer so
   * that no body is read before the bearer has been verified.
   */
  text(viewer: Viewer): Promise<string | null>;
};

/** What a fast-path handler returns, without the headers that every response carries. */
export type FastResponse = { status: number; headers: Record<string, string>; body: string; notes?: RequestNotes };

/**
 * Handles what it can handle cheaply, and returns null to leave the request to the app. It must not have changed
 * anything when it returns null. An error that it throws is sent as the response, since something may have been
 * written.
 */
export type FastHandler = (fastRequest: FastRequest, viewerOf: () => Promise<Viewer>) => Promise<FastResponse | null>;

/** The complete response: `headers` as alternating names and values, as node:http takes them. */
export type FinishedResponse = {
  status: number;
  headers: string[];
  body: string;
  /** Size of the body in bytes. */
  size: number;
};
export type FastPath = ((fastRequest: FastRequest) => Promise<FinishedResponse | null>) & {
  /** The total time a request may wait for the database, whichever path serves it, in milliseconds. */
  databaseTimeoutMs: number;
};

type Options = {
  handlers: FastHandler[];
  verify: (bearer: string) => Promise<Viewer>;
  /**
   * Called with the viewer and the request; returns the viewer to use from then on. Throws if the caller is rate
   * limited.
   */
  admitBearer?: (viewer: Viewer, request: object) => Promise<Viewer>;
  /** The caller's address; null if it is unknown. */
  addressOf?: (request: object) => string | null;
  /** Response headers that depend on the request. */
  headersOf?: (request: object) => Record<string, string>;
  log: Logger;
  databaseTimeoutMs: number;
};

/** Tries the handlers in order, and adds what they share: bearer verification, standard headers and the access log. */
export function createFastPath({
  handlers,
  verify,
  admitBearer,
  addressOf,
  headersOf,
  log,
  databaseTimeoutMs,
}: Options): FastPath {
  const access = accessLog(log);
  const answer = async (fastRequest: FastRequest): Promise<FinishedResponse | null> => {
    const started = performance.now();
    let viewer: Viewer | undefined;
    const viewerOf = async () => {
      const verified = (viewer ??= await verify(bearerOf(fastRequest)));
      requireSurface(verified, fastRequest.path);
      setWorkspace(verified.workspaceId, () => auditActorOf(verified, addressOf?.(fastRequest.request) ?? null));
      if (admitBearer) viewer = await admitBearer(viewer, fastRequest.request);
      return viewer;
    };
    const answered = await firstAnswer(handlers, fastRequest, viewerOf).catch((error) => failed(failureOf(error, log)));
    if (!answered) return null;
    const requestId = requestIdOf(fastRequest.headers.get('x-request-id'));
    const { method, path } = fastRequest;
    const address = addressOf?.(fastRequest.request);
    const traceId = traceIdOf(fastRequest.headers.get('traceparent'));
    const { status, notes } = answered;
    access({ requestId, method, path, status, started, compiled: true, address, traceId, viewer, ...notes });
    const added = { ...(viewer?.spend && headersOf?.(fastRequest.request)), ...ageHeader() };
    return withHeaders({ ...answered, headers: { ...answered.headers, ...added } }, requestId);
  };
  return Object.assign(answer, { databaseTimeoutMs });
}

async function firstAnswer(
  handlers: FastHandler[],
  fastRequest: FastRequest,
  viewerOf: () => Promise<Viewer>,
): Promise<FastResponse | null> {
  for (const handler of handlers) {
    const answer = await handler(fastRequest, viewerOf);
    if (answer) return answer;
  }
  return null;
}

const failed = ({ status, headers, body, code }: ParleyError): FastResponse => ({
  status,
  notes: { errorCodes: [code] },
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

function withHeaders({ status, headers, body }: FastResponse, requestId: string): FinishedResponse {
  const size = Buffer.byteLength(body);
  const all = [...staticHeaderList, 'X-Request-Id', requestId, 'Content-Length', String(size)];
  for (const name of Object.keys(headers)) all.push(name, headers[name] as string);
  return { status, headers: all, body, size };
}

const staticHeaderList = Object.entries(staticHeaders).flat();
