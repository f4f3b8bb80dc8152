import type { Logger } from 'pino';
import { bearerOf } from '../auth/bearer.ts';
import type { ParleyError } from '../core/errors.ts';
import type { Viewer } from '../core/viewer.ts';
import { noteWorkspace } from '../database/deadline.ts';
import { failureOf } from './failure.ts';
import { requestIdOf } from './request-id.ts';
import { accessLog, type RequestNotes } from './request-log.ts';
import { standingHeaders } from './security.ts';

/** What the fast path reads of a request, so that nobody has to build a Fetch `Request` for it. */
export type FastRequest = {
  /** The request as the server knows it, of node:http or of Fetch: the same object that the app has of it. */
  request: object;
  method: string;
  /** Letters, digits, `_`, `-` and `/` alone: nothing is left to decode. */
  path: string;
  /** What stands behind the `?`, as it was sent; empty without one. */
  query: string;
  headers: { get(name: string): string | null };
  /**
   * The body; null when it is not UTF-8, is too large for the fast path, or broke off. Nobody's body is read who has not shown a
   * bearer: it takes the viewer.
   */
  text(viewer: Viewer): Promise<string | null>;
};

/** What a handler of the fast path answers, without the headers that every answer has. */
export type FastResponse = { status: number; headers: Record<string, string>; body: string; noted?: RequestNotes };

/**
 * Answers what it can answer with little work, and leaves the rest to the app by null, failures included: whoever answers
 * null has changed nothing. What it throws is the answer, since something may have been written.
 */
export type FastHandler = (asked: FastRequest, viewerOf: () => Promise<Viewer>) => Promise<FastResponse | null>;

/** The whole answer: `headers` as names and values in turn, as node:http takes them. */
export type FinishedResponse = {
  status: number;
  headers: string[];
  body: string;
  /** Bytes of the body. */
  size: number;
};
export type FastPath = ((asked: FastRequest) => Promise<FinishedResponse | null>) & {
  /** How long a request waits for the database in all, whoever answers it in the end, in milliseconds. */
  databaseTimeoutMs: number;
};

type Options = {
  handlers: FastHandler[];
  verify: (bearer: string) => Promise<Viewer>;
  /** Is told who asks, and what. Throws when they may not at the moment; then the app says so. */
  admitBearer?: (viewer: Viewer, request: object) => Promise<void>;
  /** Headers of an answer that the request decides. */
  headersOf?: (request: object) => Record<string, string>;
  log: Logger;
  databaseTimeoutMs: number;
};

/** Asks the handlers in turn: checks the bearer, completes the headers and writes the line of the log. */
export function createFastPath({
  handlers,
  verify,
  admitBearer,
  headersOf,
  log,
  databaseTimeoutMs,
}: Options): FastPath {
  const access = accessLog(log);
  const answer = async (asked: FastRequest): Promise<FinishedResponse | null> => {
    const started = performance.now();
    let viewer: Viewer | undefined;
    const viewerOf = async () => {
      viewer ??= await verify(bearerOf(asked));
      noteWorkspace(viewer.workspaceId);
      if (viewer.key) await admitBearer?.(viewer, asked.request);
      return viewer;
    };
    const found = await firstAnswer(handlers, asked, viewerOf).catch((error) => failed(failureOf(error, log)));
    if (!found) return null;
    const requestId = requestIdOf(asked.headers.get('x-request-id'));
    const { method, path } = asked;
    access({ requestId, method, path, status: found.status, started, viewer, ...found.noted });
    const told = viewer?.key && headersOf?.(asked.request);
    return finish(told ? { ...found, headers: { ...found.headers, ...told } } : found, requestId);
  };
  return Object.assign(answer, { databaseTimeoutMs });
}

async function firstAnswer(
  handlers: FastHandler[],
  asked: FastRequest,
  viewerOf: () => Promise<Viewer>,
): Promise<FastResponse | null> {
  for (const handler of handlers) {
    const answer = await handler(asked, viewerOf);
    if (answer) return answer;
  }
  return null;
}

const failed = ({ status, headers, body, code }: ParleyError): FastResponse => ({
  status,
  noted: { errorCodes: [code] },
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

function finish({ status, headers, body }: FastResponse, requestId: string): FinishedResponse {
  const size = Buffer.byteLength(body);
  const all = [...standing, 'X-Request-Id', requestId, 'Content-Length', String(size)];
  for (const name of Object.keys(headers)) all.push(name, headers[name] as string);
  return { status, headers: all, body, size };
}

const standing = Object.entries(standingHeaders).flat();
