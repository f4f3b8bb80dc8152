import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { logCause } from '../core/causes.ts';
import { ParleyError, statusOf } from '../core/errors.ts';
import { failureOf } from '../http/failure.ts';
import { isPersistedQueryRefusal } from './saved/trusted.ts';

/** Returns an error as the response shows it: with our code and issues, and its location in the document. */
export function formatError(error: unknown, log: Logger): GraphQLError {
  const source = error instanceof GraphQLError ? error : null;
  if (source instanceof ParleyError) logCause(source, log);
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

/** Yoga's error for a mutation by GET, in our form. */
function wrongMethod(source: GraphQLError | null): ParleyError | null {
  const http = source?.extensions.http as { status?: number; headers?: Record<string, string> } | undefined;
  if (!source || http?.status !== statusOf.method_not_allowed) return null;
  return new ParleyError('method_not_allowed', source.message, { headers: http.headers });
}

/** An error sets the response's status only if nothing ran: a field's error may come with data. */
function statusFor(source: GraphQLError | null, { code, extensions }: ParleyError): Record<string, unknown> {
  if (source?.path) return {};
  if (code !== 'invalid_request' || !source || source.extensions.code === 'BAD_REQUEST')
    return { http: extensions.http };
  // With application/json an invalid document gives 200, by GraphQL over HTTP: that is what `spec` means.
  return { http: source.extensions.http ?? { spec: true, status: statusOf[code] } };
}
