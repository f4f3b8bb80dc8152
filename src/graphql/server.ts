import type { GraphQLSchema } from 'graphql';
import { Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Services } from '../context.ts';
import { methodNotAllowed, ParleyError } from '../core/errors.ts';
import { lazy } from '../core/lazy.ts';
import { limits } from '../core/limits.ts';
import type { Viewer } from '../core/viewer.ts';
import { failureOf } from '../http/failure.ts';
import type { HttpContext, HttpVariables } from '../http/log/request-log.ts';
import { requestIn } from '../http/received.ts';
import { refusalOf } from '../http/unfinished-bodies.ts';
import { withoutRefused } from './accept.ts';
import type { Endpoint, EndpointContext } from './endpoint.ts';
import { withEtag } from './saved/etag.ts';
import { bodyOfFailure } from './unavailable.ts';

type Authenticate = (c: HttpContext) => Promise<Viewer>;
type Variables = HttpVariables & { viewer: Viewer };

const allow = 'GET, POST, HEAD, OPTIONS';

/** Opens the endpoint when it is first needed: Yoga is a third of all code that the gateway may load. */
export const createOpen = (schema: GraphQLSchema, services: Services): (() => Promise<Endpoint>) =>
  lazy(async () => (await import('./endpoint.ts')).createEndpoint(schema, services));

/** The /graphql endpoint: requires a bearer, limits the body, and returns every failure in GraphQL's own format. */
export function createGraphQL(open: () => Promise<Endpoint>, services: Services, authenticate: Authenticate) {
  const app = new Hono<{ Variables: Variables }>();
  const identify: MiddlewareHandler<{ Variables: Variables }> = async (c, next) => {
    const viewer = await authenticate(c as unknown as HttpContext);
    c.get('requestNotes').viewer = viewer;
    c.set('viewer', viewer);
    return next();
  };
  // In this order, since limiting a body of unknown length reads it.
  app.on(['GET', 'POST'], '/graphql', identify, limitBody(limits.contentBody), async (c) => {
    const { params = null } = c.get('received');
    const context: EndpointContext = {
      ...services,
      viewer: c.get('viewer'),
      requestNotes: c.get('requestNotes'),
      params,
      watchBearer: c.get('watchBearer'),
    };
    const accept = withoutRefused(c.req.header('accept') ?? '');
    const { fetch } = await open();
    const csv = /text\/csv/i.test(accept) ? await import('./csv.ts') : null;
    const isCsv = csv?.isPreferred(accept) === true;
    const request = plain(c.req.raw, isCsv ? 'application/graphql-response+json' : accept);
    if (request.method === 'HEAD') return headOf(await fetch(asGet(request), context));
    const response = await fetch(request, context);
    // Yoga reports a body that was refused as invalid JSON.
    const refusal = refusalOf(requestIn(c));
    if (refusal) throw refusal;
    const written = csv && isCsv && response.ok ? await csv.exportCsv(response, context) : response;
    const isSaved = c.req.method === 'GET' && c.req.query('documentId') !== undefined;
    const { maxAge, errorCodes = [] } = c.get('requestNotes');
    // A result with an error is not kept: a part of it is missing only now.
    return isSaved ? withEtag(c.req.raw, written, errorCodes.length > 0 ? null : maxAge) : written;
  });
  app.on('OPTIONS', '/graphql', () => new Response(null, { status: 204, headers: { allow } }));
  app.all('/graphql', () => {
    throw methodNotAllowed(allow);
  });
  app.onError((error, c) => {
    const failure = failureOf(refusalOf(requestIn(c)) ?? error, c.get('log') ?? services.log);
    const { status, headers, code } = failure;
    c.get('requestNotes').errorCodes = [code];
    return Response.json(bodyOfFailure(failure), { status, headers });
  });
  return app;
}

/** Yoga does not support HEAD: it is handled as a GET whose body is dropped. */
const asGet = (request: Request): Request => copyRequest(request, { method: 'GET' });

/**
 * Returns the request in the form that Yoga expects: the body's media type in lower case, JSON of any kind as JSON, and
 * `accept` for what the caller accepts.
 */
function plain(request: Request, accept: string): Request {
  const type = request.headers.get('content-type') ?? '';
  // The parameters may include a boundary, which is case-sensitive.
  const [media = ''] = type.split(';', 1);
  const plainMedia = media
    .trim()
    .toLowerCase()
    .replace(/^application\/[\w.!#$&^-]+\+json$/, 'application/json');
  if (media === plainMedia && accept === (request.headers.get('accept') ?? '')) return request;
  const headers = new Headers(request.headers);
  if (type) headers.set('content-type', plainMedia + type.slice(media.length));
  headers.set('accept', accept);
  return copyRequest(request, { headers });
}

/** Copies the headers: Hono's server cannot write Yoga's own kind of them. */
function headOf({ status, headers, body }: Response): Response {
  // A stream would go on without a reader.
  body?.cancel().catch(() => undefined);
  return new Response(null, { status, headers: [...headers] });
}

/**
 * Refuses bodies of more than `maxSize` bytes. Hono's middleware, which counts the bytes of the stream, is used only if
 * the length is unknown.
 */
function limitBody(maxSize: number): MiddlewareHandler {
  const onError = () => {
    throw new ParleyError('payload_too_large', `The body is larger than ${maxSize / 1_000_000} MB.`);
  };
  const watch = bodyLimit({ maxSize, onError });
  return (c, next) => {
    const length = c.req.header('content-length');
    if (length === undefined || c.req.header('transfer-encoding') !== undefined) return watch(c, next);
    return Number(length) > maxSize ? onError() : next();
  };
}

/** The copies of requests, by the signals that they follow. */
const copies = new WeakMap<AbortSignal, Request>();

/**
 * Copies a request, with changes. A copy learns that its caller has left only while somebody holds the copy itself, its
 * signal is not enough: it is held for as long as the original.
 */
export function copyRequest(request: Request, changes: RequestInit): Request {
  const copy = new Request(request, changes);
  copies.set(request.signal, copy);
  return copy;
}
