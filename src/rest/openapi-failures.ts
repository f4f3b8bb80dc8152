import { z } from 'zod';
import { type ErrorCode, statusOf } from '../core/errors.ts';
import { type Route, takesKey } from './route.ts';

const issue = z.strictObject({ message: z.string().meta({ description: 'Names the key and what is wrong with it.' }) });

/** The body of every error response. */
export const failure = z
  .strictObject({
    message: z.string().meta({ description: 'What went wrong and what to do, for people.' }),
    code: z.enum(Object.keys(statusOf) as [ErrorCode]).meta({ description: 'What went wrong, for programs.' }),
    issues: z.array(issue).optional().meta({ description: 'One for each flaw of the request.' }),
  })
  .meta({
    id: 'Error',
    description: 'Every failure has this body.',
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
  'internal_error',
  'unavailable',
];
const withBody: ErrorCode[] = ['payload_too_large', 'unsupported_media_type'];
const withKey: ErrorCode[] = ['conflict', 'request_in_progress', 'idempotency_key_reused'];

const meanings: Partial<Record<number, string>> = {
  400: 'The request is not valid; `issues` name each key at fault.',
  401: 'The bearer is missing, wrong or expired.',
  402: 'No subscription of the workspace is in force.',
  403: 'The role of the bearer may not do this.',
  404: 'There is no such row in the workspace.',
  409: 'The request is at odds with what is there.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  422: 'The Idempotency-Key was used with another request.',
  429: 'The limit of the month is reached; `Retry-After` says when to come back.',
  500: 'The fault is ours.',
  502: 'The model failed; the message is kept and the request may be repeated.',
  503: 'The data cannot be reached in time, or the service is not ready; `Retry-After` says when to come back.',
  504: 'The model took too long; the message is kept and the request may be repeated.',
};

const text = { type: 'string' };
const etag = { description: 'The tag of the row as it is now, where `If-Match` names another one.', schema: text };
const headersOf: Partial<Record<number, object>> = {
  401: { 'WWW-Authenticate': { description: 'Always `Bearer`, with what is wrong with it.', schema: text } },
  429: {
    'Retry-After': { description: 'The seconds until it makes sense to try again.', schema: { type: 'integer' } },
  },
  503: {
    'Retry-After': { description: 'The seconds until it makes sense to try again.', schema: { type: 'integer' } },
  },
};

type Failing = Pick<Route, 'method' | 'errors' | 'body' | 'passesKey' | 'conditional'>;

/** Returns a route's error responses by status for the OpenAPI description. `schema` is that of their body. */
export function failuresOf(route: Failing, schema: object): Record<string, object> {
  const codes = new Set([
    ...always,
    ...(route.body ? withBody : []),
    ...(takesKey(route) ? withKey : []),
    ...(route.errors ?? []),
  ]);
  const byStatus = Map.groupBy(codes, (code) => statusOf[code]);
  return Object.fromEntries(
    [...byStatus].map(([status, names]) => [
      status,
      {
        description: `${meanings[status] ?? 'A failure.'} Code: ${names.map((name) => `\`${name}\``).join(', ')}.`,
        ...(headersOf[status] && { headers: headersOf[status] }),
        ...(route.conditional && status === 409 && { headers: { ETag: etag } }),
        content: { 'application/json': { schema } },
      },
    ]),
  );
}
