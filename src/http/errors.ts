import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { type ErrorCode, type Issue, notFound, ParleyError, statusOf } from '../errors.ts';

type Log = Pick<Logger, 'error'>;

/**
 * The one answer to every failure: `{message, code, issues?}` with the status and headers of the error. What the service
 * did not foresee is 500 `internal_error` with a neutral message, and its cause goes to the log alone.
 */
export function errorResponse(error: unknown, log: Log): Response {
  const known = recognize(error);
  if (!known) log.error({ err: error }, 'unexpected failure');
  return respond(known ?? new ParleyError('internal_error', 'Something went wrong on our side.'));
}

/** The HTTP form of an error that the service foresees. */
export function respond({ body, status, headers }: ParleyError): Response {
  return Response.json(body, { status, headers });
}

/** 404 for a path that no route serves. */
export function notFoundResponse(path: string): Response {
  return respond(notFound(`The path ${path.slice(0, 200)} was`));
}

/** A `ParleyError`, though the graph wrapped it or only its extensions came through; null for anything else. */
function recognize(error: unknown): ParleyError | null {
  if (error instanceof ParleyError) return error;
  if (!(error instanceof GraphQLError)) return null;
  if (error.originalError) return recognize(error.originalError);
  const { code, issues, http } = error.extensions as { code?: ErrorCode; issues?: Issue[]; http?: HttpExtension };
  if (!code || !Object.hasOwn(statusOf, code) || code === 'internal_error') return null;
  return new ParleyError(code, error.message, { issues, headers: http?.headers });
}

type HttpExtension = { headers?: Record<string, string> };
