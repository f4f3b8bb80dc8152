import type { GraphQLSchema } from 'graphql';
import { Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Services } from '../context.ts';
import { methodNotAllowed, ParleyError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import type { Viewer } from '../core/viewer.ts';
import { failureOf } from '../http/failure.ts';
import type { HttpContext, HttpVariables } from '../http/request-log.ts';
import { refusalOf } from '../http/unfinished-bodies.ts';
import type { Endpoint, EndpointContext } from './endpoint.ts';
import { bodyOfFailure } from './unavailable.ts';

type Authenticate = (c: HttpContext) => Promise<Viewer>;
type Variables = HttpVariables & { viewer: Viewer };

const allow = 'GET, POST, HEAD, OPTIONS';

/** /graphql for programs: a bearer, a body within the limits, and every failure in GraphQL's own shape. */
export function createGraphQL(schema: GraphQLSchema, services: Services, authenticate: Authenticate) {
  let opening: Promise<Endpoint> | undefined;
  // Yoga is a third of all that the gateway could load: a start does not wait for it.
  const open = () =>
    (opening ??= import('./endpoint.ts').then(({ createEndpoint }) => createEndpoint(schema, services)));
  const app = new Hono<{ Variables: Variables }>();
  const identify: MiddlewareHandler<{ Variables: Variables }> = async (c, next) => {
    const viewer = await authenticate(c as unknown as HttpContext);
    c.get('noted').viewer = viewer;
    c.set('viewer', viewer);
    return next();
  };
  // In this order: who limits a body that does not tell its length reads it.
  app.on(['GET', 'POST'], '/graphql', identify, limitBody(limits.contentBody), async (c) => {
    const context: EndpointContext = { ...services, viewer: c.get('viewer'), noted: c.get('noted') };
    const { fetch } = await open();
    if (c.req.raw.method === 'HEAD') return headOf(await fetch(asGet(c.req.raw), context));
    const accept = c.req.header('accept') ?? '';
    const csv = /text\/csv/i.test(accept) ? await import('./csv.ts') : null;
    const isCsv = csv?.isPreferred(accept) === true;
    const response = await fetch(plain(c.req.raw, isCsv), context);
    // To Yoga, a body that is not taken is one that is not JSON.
    const refusal = refusalOf(c.env);
    if (refusal) throw refusal;
    return csv && isCsv && response.ok ? csv.asCsv(response) : response;
  });
  app.on('OPTIONS', '/graphql', () => new Response(null, { status: 204, headers: { allow } }));
  app.all('/graphql', () => {
    throw methodNotAllowed(allow);
  });
  app.onError((error, c) => {
    const failure = failureOf(refusalOf(c.env) ?? error, c.get('log') ?? services.log);
    const { status, headers, code } = failure;
    c.get('noted').errorCodes = [code];
    return Response.json(bodyOfFailure(failure), { status, headers });
  });
  return app;
}

/** Yoga knows no HEAD: it is answered as a GET, without the body. */
const asGet = ({ url, headers }: Request): Request => new Request(url, { headers });

/** A request as Yoga knows it: the media type of its body in small letters, and JSON accepted where it is to become CSV. */
function plain(request: Request, isCsv: boolean): Request {
  const type = request.headers.get('content-type') ?? '';
  // What follows it may be a boundary, which has its capitals.
  const [media = ''] = type.split(';', 1);
  if (media === media.toLowerCase() && !isCsv) return request;
  const headers = new Headers(request.headers);
  if (type) headers.set('content-type', media.toLowerCase() + type.slice(media.length));
  if (isCsv) headers.set('accept', 'application/graphql-response+json');
  return new Request(request, { headers });
}

/** Its headers are copied, since those of yoga are of a kind of its own, which Hono's server cannot write. */
const headOf = ({ status, headers }: Response): Response => new Response(null, { status, headers: [...headers] });

/**
 * Refuses bodies of more than `maxSize` bytes. Hono's own way, which watches the stream, is only for those that do not tell
 * their length.
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
