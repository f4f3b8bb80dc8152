import type { Services } from '../context.ts';
import { isObject } from '../core/json.ts';
import { parseJson } from '../core/json-limits.ts';
import { requireSmall } from '../http/body.ts';
import { failureOf } from '../http/failure.ts';
import type { Identify } from '../http/identify.ts';
import type { RequestNotes } from '../http/log/request-log.ts';
import { type Answer, answerOfFailure, type RequestHandler } from '../http/pipeline.ts';
import type { Received } from '../http/received.ts';
import { refusalOf } from '../http/unfinished-bodies.ts';
import type { AnswerCompiled } from './run.ts';
import type { OperationParams } from './saved/trusted.ts';
import { bodyOfFailure } from './unavailable.ts';

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
 * Answers POST /graphql by compiled queries. The body is what the database returned; the header `x-parley-compiled`
 * marks such responses. What they do not support is left to Yoga, with the viewer and the parsed body.
 */
export function createPostHandler(
  answerCompiled: AnswerCompiled,
  services: Services,
  identify: Identify,
): RequestHandler {
  return (received, notes) => {
    const { path, method, query, headers } = received;
    if (path !== '/graphql' || method !== 'POST' || query !== '') return null;
    const mediaType = mediaTypes[(headers.get('accept') ?? '*/*').replaceAll(' ', '')];
    if (!mediaType || !isJson(headers.get('content-type')) || !isPlain(headers.get('content-encoding'))) return null;
    return answer(received, mediaType, notes).catch((error: unknown) => {
      const failure = failureOf(refusalOf(received.request) ?? error, services.log);
      return answerOfFailure(failure, notes, bodyOfFailure(failure));
    });
  };

  async function answer(received: Received, mediaType: string, notes: RequestNotes): Promise<Answer | null> {
    const viewer = await identify(received);
    notes.viewer = viewer;
    received.params = objectIn(await received.text());
    const asked = received.params && askedIn(received.params);
    if (!asked) return null;
    const answered = await answerCompiled(asked, { context: { ...services, viewer }, notes }, received.headers);
    if (!answered) return null;
    const own = { 'Content-Type': `${mediaType}; charset=utf-8`, ...(notes.compiled && { 'x-parley-compiled': '1' }) };
    return { ...answered, headers: { ...own, ...answered.headers } };
  }
}

const isJson = (contentType: string | null) =>
  contentType === 'application/json' || contentType?.toLowerCase() === 'application/json; charset=utf-8';

const isPlain = (encoding: string | null) => encoding === null || encoding.toLowerCase() === 'identity';

/** Parses a body; null unless it is a JSON object. */
function objectIn(text: string | null): object | null {
  try {
    requireSmall(text ?? '');
    const body = parseJson(text ?? '');
    return isObject(body) ? body : null;
  } catch {
    return null;
  }
}

/** The parameters of a request of the usual shape; null for any other. */
function askedIn(params: object): OperationParams | null {
  // Extensions do not affect a response to a full query: Apollo Client sends its version in them.
  const { query, documentId, operationName, variables, extensions, onError, ...others } = params as Record<
    string,
    unknown
  >;
  // What a compiled query answers may fail only where it can be null, which is the same for the first two.
  if (onError != null && onError !== 'PROPAGATE' && onError !== 'NULL') return null;
  if (extensions != null && (typeof extensions !== 'object' || Array.isArray(extensions))) return null;
  // Either a text or the name of a saved operation.
  if (typeof (query ?? documentId) !== 'string' || (query != null && documentId != null)) return null;
  if (Object.values(others).some((value) => value != null)) return null;
  if (operationName != null && typeof operationName !== 'string') return null;
  if (variables != null && (typeof variables !== 'object' || Array.isArray(variables))) return null;
  return { query, documentId, operationName: operationName || null, variables } as OperationParams;
}
