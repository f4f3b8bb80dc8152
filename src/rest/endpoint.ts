import type { MiddlewareHandler } from 'hono';
import type { Config } from '../config/config.ts';
import type { Services } from '../context.ts';
import { methodNotAllowed } from '../core/errors.ts';
import type { Prepare } from '../graphql/run.ts';
import type { Stream } from '../graphql/stream.ts';
import { failureOf } from '../http/failure.ts';
import type { Identify } from '../http/identify.ts';
import type { HttpContext, HttpVariables, RequestNotes } from '../http/log/request-log.ts';
import { type Answer, answerOfFailure, type RequestHandler } from '../http/pipeline.ts';
import type { Received } from '../http/received.ts';
import { refusalOf } from '../http/unfinished-bodies.ts';
import { createAnswer, type IdentifiedRequest, readRequest, rephrase } from './answer.ts';
import type { Route } from './route.ts';
import { createRouter, type Match } from './router.ts';
import { streamResponse, wantsStream } from './stream.ts';

type Found = Extract<Match, { route: Route }>;
type Dependencies = { prepare: Prepare; stream: Stream; identify: Identify };

/**
 * The REST layer: every route at its path, and 405 with `Allow` for other methods. `handler` answers what comes
 * straight from node:http, except for streams; `middleware` answers everything, by the same means.
 */
export function createRest(routes: Route[], services: Services, { prepare, stream, identify }: Dependencies) {
  const router = createRouter(routes);
  const answer = createAnswer(prepare, services);
  const deprecation = deprecationHeaders(services.config.restDeprecation);

  const ask = (found: Found, received: Received, notes: RequestNotes): Promise<IdentifiedRequest> =>
    readRequest(found, received, { identify, notes });
  const reply = (asked: IdentifiedRequest, notes: RequestNotes): Promise<Answer> => {
    logWarnings(asked);
    return answer(asked, notes);
  };
  const logWarnings = ({ route, warnings }: IdentifiedRequest) => {
    if (warnings.length > 0) services.log.warn({ operation: route.id, unknown: warnings }, 'unknown keys');
  };
  /** The response to a request that failed. */
  const failed = (error: unknown, received: Received, notes: RequestNotes): Answer =>
    answerOfFailure(failureOf(refusalOf(received.request) ?? error, services.log), notes);
  const deprecated = ({ headers, ...reply }: Answer): Answer => ({ ...reply, headers: { ...headers, ...deprecation } });

  const handler: RequestHandler = (received, notes) => {
    const found = router(received.method, received.path);
    if (received.method === 'HEAD' || !found?.route || (found.route.stream && wantsStream(received))) return null;
    return ask(found, received, notes)
      .then((asked) => (asked.route.alwaysStreams ? null : reply(asked, notes).then(deprecated)))
      .catch((error: unknown) => deprecated(failed(error, received, notes)));
  };

  const middleware: MiddlewareHandler<{ Variables: HttpVariables }> = async (c, next) => {
    const received = c.get('received');
    const found = router(received.method, received.path);
    if (!found) return next();
    const notes = c.get('requestNotes');
    const respond = async (): Promise<Answer | Response> => {
      if (!found.route) return answerOfMethod(received.method, found.allow);
      const asked = await ask(found, received, notes);
      const { stream, alwaysStreams } = asked.route;
      return stream && (alwaysStreams || wantsStream(received)) ? follow(c, asked) : reply(asked, notes);
    };
    const replied = await respond().catch((error: unknown) => failed(error, received, notes));
    return replied instanceof Response ? replied : responseOf(deprecated(replied));
  };

  /** Responds with a stream. An error before its start gives an ordinary error response. */
  const follow = async (c: HttpContext, asked: IdentifiedRequest): Promise<Response> => {
    const { route, input, viewer, headers } = asked;
    logWarnings(asked);
    const { document, variables, event } = route.stream as NonNullable<Route['stream']>;
    const events = await stream(document, variables(input), viewer).catch((error: unknown) => {
      throw rephrase(error, route.rephrase);
    });
    for (const [name, value] of Object.entries({ ...headers, ...deprecation })) c.header(name, value);
    return streamResponse(c, {
      events: mapped(events, event),
      pingMs: services.config.streamPingMs,
      log: c.get('log'),
    });
  };

  return { handler, middleware };
}

function answerOfMethod(method: string, allow: string): Answer | Response {
  if (method === 'OPTIONS') return { status: 204, headers: { allow }, body: '' };
  throw methodNotAllowed(allow);
}

const responseOf = ({ status, headers, body }: Answer): Response =>
  new Response(status === 204 ? null : body, { status, headers });

async function* mapped<From, To>(items: AsyncIterable<From>, map: (item: From) => To): AsyncGenerator<To, void> {
  for await (const item of items) yield map(item);
}

/**
 * The headers that announce the end of the REST layer: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a link to its
 * successor. None unless a setting names a date.
 */
function deprecationHeaders({ since, sunset }: Config['restDeprecation']): Record<string, string> {
  if (!since && !sunset) return {};
  return {
    ...(since && { Deprecation: `@${since.getTime() / 1_000}` }),
    ...(sunset && { Sunset: sunset.toUTCString() }),
    Link: '</graphql>; rel="successor-version"',
  };
}
