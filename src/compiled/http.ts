import type { Context, Services } from '../context.ts';
import { ParleyError } from '../core/errors.ts';
import type { Viewer } from '../core/viewer.ts';
import { fingerprintOfOperation, keyIn } from '../graphql/idempotency-key.ts';
import { type Asked, withTrustedDocument } from '../graphql/saved/trusted.ts';
import { bodyOfFailure } from '../graphql/unavailable.ts';
import type { FastHandler, FastRequest } from '../http/fast-path.ts';
import type { RequestNotes } from '../http/log/request-log.ts';
import type { CompiledQueries, CompiledRequest } from './compiled-queries.ts';

/** The response's media type by the Accept header. All other values are left to Yoga. */
const mediaTypes: Record<string, string> = {
  '*/*': 'application/json',
  'application/json': 'application/json',
  'application/graphql-response+json': 'application/graphql-response+json',
  'application/graphql-response+json,application/json': 'application/graphql-response+json',
  'application/graphql-response+json,application/json;q=0.9': 'application/graphql-response+json',
  'application/json,application/graphql-response+json': 'application/json',
};

/**
 * Serves /graphql by compiled queries. The body is what the database returned; the header `x-parley-compiled` marks such
 * responses.
 */
export function createGraphQLFastPath(queries: CompiledQueries, services: Services): FastHandler {
  return async (fastRequest, viewerOf) => {
    if (fastRequest.path !== '/graphql' || fastRequest.method !== 'POST' || fastRequest.query !== '') return null;
    const mediaType = mediaTypes[(fastRequest.headers.get('accept') ?? '*/*').replaceAll(' ', '')];
    if (!mediaType || !isJson(fastRequest.headers.get('content-type'))) return null;
    const viewer: Viewer | null = await viewerOf().catch(() => null);
    const asked = viewer && read(await fastRequest.text(viewer));
    const request = asked && withKey(await trusted(asked, { ...services, viewer }), fastRequest.headers);
    const notes: RequestNotes = {};
    const headers = { 'Content-Type': `${mediaType}; charset=utf-8`, 'x-parley-compiled': '1' };
    try {
      const body = request && (await queries.answer(request, { ...services, viewer }, notes));
      return body ? { status: 200, headers, body, notes } : null;
    } catch (error) {
      if (!(error instanceof ParleyError)) throw error;
      const body = JSON.stringify(bodyOfFailure(error));
      return { status: error.status, headers: { ...headers, ...error.headers }, body, notes };
    }
  };
}

const isJson = (contentType: string | null) =>
  contentType === 'application/json' || contentType?.toLowerCase() === 'application/json; charset=utf-8';

/** Adds the Idempotency-Key to a request; null if it is invalid, which the resolvers report. */
function withKey(request: CompiledRequest | null, headers: FastRequest['headers']): CompiledRequest | null {
  if (!request || headers.get('idempotency-key') === null) return request;
  try {
    const key = keyIn(headers) ?? '';
    const { query, operationName, variables } = request;
    return { ...request, keyed: { key, fingerprint: fingerprintOfOperation(query, operationName, variables) } };
  } catch {
    return null;
  }
}

/** The request with its document; null if it is refused, which Yoga reports. */
async function trusted(asked: Asked, context: Context): Promise<CompiledRequest | null> {
  try {
    return (await withTrustedDocument(asked, context)) as CompiledRequest;
  } catch (error) {
    if (error instanceof ParleyError) return null;
    throw error;
  }
}

/** Parses a request body of the usual shape; null for any other. */
function read(text: Awaited<ReturnType<FastRequest['text']>>): Asked | null {
  let body: unknown;
  try {
    body = JSON.parse(text ?? '');
  } catch {
    return null;
  }
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return null;
  // Extensions do not affect a response to a full query: Apollo Client sends its version in them.
  const { query, documentId, operationName, variables, extensions, ...others } = body as Record<string, unknown>;
  if (extensions != null && (typeof extensions !== 'object' || Array.isArray(extensions))) return null;
  // Either a text or the name of a saved operation.
  if (typeof (query ?? documentId) !== 'string' || (query != null && documentId != null)) return null;
  if (Object.values(others).some((value) => value != null)) return null;
  if (operationName != null && typeof operationName !== 'string') return null;
  if (variables != null && (typeof variables !== 'object' || Array.isArray(variables))) return null;
  return { query, documentId, operationName: operationName || null, variables } as Asked;
}
