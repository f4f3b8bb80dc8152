import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { ParleyError, statusOf } from '../core/errors.ts';
import { failureOf } from '../http/failure.ts';
import { isPersistedQueryRefusal } from './persisted-queries.ts';

/** An error as the response shows it: the code and issues of the decisions, and where in the document it belongs. */
export function formatError(error: unknown, log: Logger): GraphQLError {
  const source = error instanceof GraphQLError ? error : null;
  if (source && (isPresented(source) || isPersistedQueryRefusal(source))) return source;
  const failure = failureOf(wrongMethod(source) ?? error, log);
  const { http: _, ...extensions } = failure.extensions;
  return new GraphQLError(failure.message, {
    nodes: source?.nodes,
    source: source?.source,
    positions: source?.positions,
    path: source?.path,
    originalError: failure,
    extensions: { ...extensions, ...statusFor(source, failure) },
  });
}

const isPresented = ({ path, extensions }: GraphQLError): boolean =>
  Object.hasOwn(statusOf, String(extensions.code)) && !(path && extensions.http);

/** Yoga's refusal of a mutation by GET, as every path says it. */
function wrongMethod(source: GraphQLError | null): ParleyError | null {
  const http = source?.extensions.http as { status?: number; headers?: Record<string, string> } | undefined;
  if (!source || http?.status !== statusOf.method_not_allowed) return null;
  return new ParleyError('method_not_allowed', source.message, { headers: http.headers });
}

/** The status of the response is an error's business only when nothing ran: data may stand beside a field's error. */
function statusFor(source: GraphQLError | null, { code, extensions }: ParleyError): Record<string, unknown> {
  if (source?.path) return {};
  if (code !== 'invalid_request' || !source || source.extensions.code === 'BAD_REQUEST')
    return { http: extensions.http };
  // With application/json the response to a document that is not valid is 200, by GraphQL over HTTP: `spec` says so.
  return { http: source.extensions.http ?? { spec: true, status: statusOf[code] } };
}
