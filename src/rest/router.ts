import { type Context, Hono, type MiddlewareHandler } from 'hono';
import type { Logger } from 'pino';
import { invalid, methodNotAllowed, ParleyError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import type { Viewer } from '../core/viewer.ts';
import type { Run, RunOnce } from '../graphql/run.ts';
import type { Stream } from '../graphql/stream.ts';
import { readJson } from '../http/body.ts';
import { respond } from '../http/errors.ts';
import type { HttpVariables } from '../http/log/request-log.ts';
import { readTexts, textsIn, type Writer, writerOf } from './body-writer.ts';
import { askExpecting, expectedTimes, tagHeader, withExpected } from './condition.ts';
import { headersFor, once, passedParts, type RequestParts, readInput } from './input.ts';
import { keyedRequest } from './keyed.ts';
import { patternsOf, type Route, type RouteInput } from './route.ts';
import { streamResponse, wantsStream } from './stream.ts';

type Dependencies = {
  run: Run;
  runOnce: RunOnce;
  stream: Stream;
  authenticate: (c: HttpContext) => Promise<Viewer>;
  log: Logger;
  /** Interval of keep-alive comments in a stream, in milliseconds. */
  pingMs: number;
  /** Headers of every response. */
  headers?: Record<string, string>;
};
type Ask = (variables: unknown) => Promise<unknown>;
type HttpContext = Context<{ Variables: HttpVariables }>;

/** Creates the REST layer: every route at its path, and 405 with `Allow` for other methods. */
export function createRest(routes: Route[], dependencies: Dependencies): Hono<{ Variables: HttpVariables }> {
  const app = new Hono<{ Variables: HttpVariables }>();
  const headers = Object.entries(dependencies.headers ?? {});
  const addHeaders: MiddlewareHandler = async (c, next) => {
    await next();
    for (const [name, value] of headers) c.res.headers.set(name, value);
  };
  if (headers.length > 0)
    for (const path of new Set(routes.flatMap((route) => patternsOf(route.path)))) app.use(path, addHeaders);
  for (const [path, sharing] of Map.groupBy(routes, (route) => route.path)) {
    const patterns = patternsOf(path);
    const allow = allowed(sharing);
    for (const route of sharing) {
      const writer = writerOf(route);
      app.on(route.method.toUpperCase(), patterns, (c) => answer(c, route, writer, dependencies));
    }
    app.on('OPTIONS', patterns, () => new Response(null, { status: 204, headers: { allow } }));
    app.on('ALL', patterns, () => respond(methodNotAllowed(allow)));
  }
  return app;
}

async function answer(c: HttpContext, declared: Route, writer: Writer, dependencies: Dependencies): Promise<Response> {
  const { run, authenticate, log } = dependencies;
  const request = c.req.raw;
  const viewer = await authenticate(c);
  c.get('noted').viewer = viewer;
  const { incoming } = (c.env ?? {}) as { incoming?: object };
  const parts = passedParts(incoming ?? request) ?? partsOf(c);
  const { otherwise } = declared;
  const isOther = otherwise?.takes(await parts.json(declared.bodyLimit ?? limits.body));
  const route = otherwise && isOther ? otherwise.route : declared;
  c.get('noted').operation = route.id;
  c.get('noted').route = route.path;
  const { input, warnings, notes } = await readInput(route, parts);
  const extraHeaders = headersFor(request, [...warnings, ...notes]);
  if (warnings.length > 0) (c.get('log') ?? log).warn({ operation: route.id, unknown: warnings }, 'unknown keys');
  if (route.stream && (route.alwaysStreams || wantsStream(c))) {
    for (const [name, value] of Object.entries(extraHeaders)) c.header(name, value);
    return follow(c, route, { stream: route.stream, input, viewer }, dependencies);
  }
  const times = expectedTimes(route, parts, viewer);
  const by = async (run: Run): Promise<Answer> => {
    const expecting = (variables: unknown) => (time?: Date) =>
      run(route.document, withExpected(variables as object, time), viewer);
    const ask = (variables: unknown) =>
      askExpecting(times, expecting(variables)).catch((error: unknown) => {
        throw rephrase(error, route.rephrase);
      });
    const { body, tag } = await bodyOf(route, writer, input, ask);
    return {
      status: 200,
      headers: { 'content-type': 'application/json', ...tag, ...extraHeaders },
      body,
    };
  };
  const keyed = await keyedRequest(route, parts);
  return responseOf(keyed ? await dependencies.runOnce(viewer, keyed, route.document, by) : await by(run));
}

type Answer = Awaited<ReturnType<RunOnce>>;

const responseOf = ({ status, headers, body }: Answer): Response => new Response(body, { status, headers });

function partsOf({ req }: HttpContext): RequestParts {
  return {
    params: req.param(),
    query: req.url.includes('?') ? new URL(req.url).search.slice(1) : '',
    headers: req.raw.headers,
    json: once((maxBytes) => readJson(req.raw, maxBytes)),
  };
}

type Body = { body: string; tag: { ETag?: string } };

/** Runs the document; returns the body and the row's ETag. */
async function bodyOf(route: Route, writer: Writer, input: RouteInput, ask: Ask): Promise<Body> {
  const variables = route.variables(input) as object;
  if (typeof route.project === 'function') {
    return { body: JSON.stringify(route.project(await ask(variables), input)), tag: {} };
  }
  const texts = await readTexts(writer, variables, async (given) => textsIn(await ask(given), writer.picked));
  return { body: writer.write(texts, input), tag: tagHeader(writer.version?.(texts)) };
}

/** Responds with a stream. An error before its start gives an ordinary error response. */
async function follow(
  c: HttpContext,
  route: Route,
  { stream, input, viewer }: { stream: NonNullable<Route['stream']>; input: RouteInput; viewer: Viewer },
  dependencies: Dependencies,
): Promise<Response> {
  const { pingMs, log } = dependencies;
  const variables = stream.variables(input);
  const events = await dependencies.stream(stream.document, variables, viewer).catch((error: unknown) => {
    throw rephrase(error, route.rephrase);
  });
  return streamResponse(c, { events: mapped(events, stream.event), pingMs, log: c.get('log') ?? log });
}

async function* mapped<From, To>(items: AsyncIterable<From>, map: (item: From) => To): AsyncGenerator<To, void> {
  for await (const item of items) yield map(item);
}

function rephrase(error: unknown, sentences: Route['rephrase'] = {}): unknown {
  if (!(error instanceof ParleyError) || error.code !== 'invalid_request') return error;
  const keys = Object.keys(sentences);
  const messages = (error.issues ?? []).map(({ message }) => {
    const key = keys.find((name) => message.startsWith(`${name}:`));
    return key === undefined ? message : `${sentences[key]}`;
  });
  return messages.length > 0 && keys.length > 0 ? invalid(messages) : error;
}

function allowed(routes: Route[]): string {
  const methods = routes.map(({ method }) => method.toUpperCase());
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}
