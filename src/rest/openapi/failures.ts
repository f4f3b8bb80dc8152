import { z } from 'zod';
import { type ErrorCode, statusOf } from '../../core/errors.ts';
import { acceptsIdempotencyKey, type Route } from '../route.ts';
import { type Examples, errorExamples } from './examples.ts';

const issue = z.strictObject({ message: z.string().meta({ description: 'The key and what is wrong with it.' }) });

/** The body of every error response. */
export const failure = z
  .strictObject({
    message: z.string().meta({ description: 'What went wrong and how to fix it, for people.' }),
    code: z.enum(Object.keys(statusOf) as [ErrorCode]).meta({ description: 'Machine-readable error code.' }),
    issues: z.array(issue).optional().meta({ description: 'One item for each problem with the request.' }),
  })
  .meta({
    id: 'Error',
    description: 'The body of every error response.',
    examples: [
      {
        message: 'size: must be a whole number from 1 to 100',
        code: 'invalid_request',
        issues: [{ message: 'size: must be a whole number from 1 to 100' }],
      },
    ],
  });

const always: ErrorCode[] = [
  'invalid_request',
  'unauthorized',
  'token_expired',
  'forbidden',
  'rate_limited',
  'internal_error',
  'unavailable',
];
const withBody: ErrorCode[] = ['payload_too_large', 'unsupported_media_type'];
const withKey: ErrorCode[] = ['conflict', 'request_in_progress', 'idempotency_key_reused'];

const meanings: Partial<Record<number, string>> = {
  400: 'The request is invalid. `issues` lists each invalid key.',
  401: 'The bearer token is missing, invalid or expired.',
  402: 'The workspace has no active subscription or trial.',
  403: "The bearer's role does not permit this.",
  404: 'The resource does not exist in the workspace.',
  409: 'The request conflicts with the current state.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  422: 'Trying again is of no use: the `Idempotency-Key` was used with a different request, or the model never answers these messages.',
  429: 'A limit is reached: requests or cost per minute, or interactions per month. `Retry-After` says when to try again.',
  500: 'An internal error occurred.',
  502: 'The model failed. The message is stored and the request can be retried.',
  503: 'The data could not be reached in time, or the service is not ready. `Retry-After` says when to try again.',
  504: 'The model took too long. The message is stored and the request can be retried.',
};

const text = { type: 'string' };
const etag = { description: 'The current tag of the object, if it does not match `If-Match`.', schema: text };
const headersOf: Partial<Record<number, object>> = {
  401: {
    'WWW-Authenticate': { description: 'Always `Bearer`, with the reason the token was rejected.', schema: text },
  },
  429: {
    'Retry-After': { description: 'The number of seconds to wait before trying again.', schema: { type: 'integer' } },
  },
  503: {
    'Retry-After': { description: 'The number of seconds to wait before trying again.', schema: { type: 'integer' } },
  },
};

type Failing = Pick<Route, 'id' | 'method' | 'errors' | 'body' | 'passesKey' | 'conditional' | 'forEveryone'>;

/** The codes of the errors that a route can respond with. */
export const errorCodesOf = (route: Omit<Failing, 'id'>): ErrorCode[] => [
  ...new Set([
    ...always.filter((code) => code !== 'forbidden' || !route.forEveryone),
    ...(route.body ? withBody : []),
    ...(acceptsIdempotencyKey(route) ? withKey : []),
    ...(route.errors ?? []),
  ]),
];

/** Returns a route's error responses by status for the OpenAPI description. `schema` is that of their body. */
export function failuresOf(route: Failing, schema: object, examples: Examples): Record<string, object> {
  const byStatus = Map.groupBy(errorCodesOf(route), (code) => statusOf[code]);
  return Object.fromEntries(
    [...byStatus].map(([status, names]) => [
      status,
      {
        description: `${meanings[status] ?? 'A failure.'} Code: ${names.map((name) => `\`${name}\``).join(', ')}.`,
        ...(headersOf[status] && { headers: headersOf[status] }),
        ...(route.conditional && status === 409 && { headers: { ETag: etag } }),
        content: { 'application/json': { schema, examples: errorExamples(examples, route.id, names) } },
      },
    ]),
  );
}
