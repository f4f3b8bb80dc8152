import type { Logger } from 'pino';
import type { ParleyError } from '../core/errors.ts';
import { failureOf } from './failure.ts';
import { accessLog, accessOf, type RequestNotes } from './log/request-log.ts';
import { ageHeader } from './max-stale.ts';
import type { Received } from './received.ts';
import { staticHeaders } from './security.ts';

/** A response without the headers that every response carries. */
export type Answer = { status: number; headers: Record<string, string>; body: string };

/**
 * Answers a request without a Fetch `Request`; `notes` collects what its log line shows. Returns null, from the head
 * alone, for requests that are not its own. If it resolves with null, the app's routes have to answer, and nothing was
 * written. An error that it throws is the response.
 */
export type RequestHandler = (received: Received, notes: RequestNotes) => Promise<Answer | null> | null;

/** The complete response: `headers` as alternating names and values, as node:http takes them. */
export type FinishedResponse = {
  status: number;
  headers: string[];
  body: string;
  /** Size of the body in bytes. */
  size: number;
};
export type Pipeline = ((received: Received) => Promise<FinishedResponse | null>) & {
  /** The total time a request may wait for the database, whatever answers it, in milliseconds. */
  databaseTimeoutMs: number;
};

type Options = {
  handlers: RequestHandler[];
  /** The caller's address; null if it is unknown. */
  addressOf?: (request: object) => string | null;
  /** Response headers that depend on the request. */
  headersOf?: (request: object) => Record<string, string>;
  log: Logger;
  databaseTimeoutMs: number;
};

/** Asks the handlers in order, and adds what all responses share: standard headers and a line in the access log. */
export function createPipeline({
  handlers,
  addressOf = () => null,
  headersOf,
  log,
  databaseTimeoutMs,
}: Options): Pipeline {
  const access = accessLog(log);
  const answer = async (received: Received): Promise<FinishedResponse | null> => {
    const started = performance.now();
    const notes: RequestNotes = {};
    const answered = await firstAnswer(handlers, received, notes).catch((error) =>
      answerOfFailure(failureOf(error, log), notes),
    );
    if (!answered) return null;
    access({ ...accessOf(received, addressOf), status: answered.status, started, ...notes });
    const headers = { ...answered.headers, ...headersOf?.(received.request), ...ageHeader() };
    return withHeaders({ ...answered, headers }, received.requestId);
  };
  return Object.assign(answer, { databaseTimeoutMs });
}

async function firstAnswer(
  handlers: RequestHandler[],
  received: Received,
  notes: RequestNotes,
): Promise<Answer | null> {
  for (const handler of handlers) {
    const answering = handler(received, notes);
    if (answering) return answering;
  }
  return null;
}

/** A failed request's response, whose `body` is that of REST unless told otherwise. */
export function answerOfFailure(failure: ParleyError, notes: RequestNotes, body: object = failure.body): Answer {
  notes.errorCodes = [failure.code];
  const { status, headers } = failure;
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

function withHeaders({ status, headers, body }: Answer, requestId: string): FinishedResponse {
  const size = Buffer.byteLength(body);
  const all = [...staticHeaderList, 'X-Request-Id', requestId, 'Content-Length', String(size)];
  for (const name of Object.keys(headers)) all.push(name, headers[name] as string);
  return { status, headers: all, body, size };
}

const staticHeaderList = Object.entries(staticHeaders).flat();
