import { type Context, Hono } from 'hono';
import type { Logger } from 'pino';
import { limits } from '../auth/limits.ts';
import type { Viewer } from '../context.ts';
import { invalid, methodNotAllowed, ParleyError } from '../errors.ts';
import type { Run } from '../graphql/run.ts';
import type { Stream } from '../graphql/stream.ts';
import { readJson } from '../http/body.ts';
import { respond } from '../http/errors.ts';
import type { HttpVariables } from '../http/request-log.ts';
import { headersFor, readInput, type Said } from './input.ts';
import { readTexts, textsIn, type Writer, writerOf } from './projection.ts';
import { patternsOf, type Route, type RouteInput } from './route.ts';
import { streamResponse, wantsStream } from './stream.ts';

type Dependencies = {
  run: Run;
  stream: Stream;
  authenticate: (c: HttpContext) => Promise<Viewer>;
  log: Logger;
  /** How often a stream shows that it lives, in milliseconds. */
  pingMs: number;
};
type Ask = (variables: unknown) => Promise<unknown>;
type HttpContext = Context<{ Variables: HttpVariables }>;

/** The REST layer: every route at its path, and 405 with `Allow` for its other methods. */
export function createRest(routes: Route[], dependencies: Dependencies): Hono<{ Variables: HttpVariables }> {
  const app = new Hono<{ Variables: HttpVariables }>();
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
  const said = saidIn(c);
  const { otherwise } = declared;
  const isOther = otherwise?.takes(await said.json(declared.bodyLimit ?? limits.body));
  const route = otherwise && isOther ? otherwise.route : declared;
  const { input, warnings } = await readInput(route, said);
  if (warnings.length > 0) (c.get('log') ?? log).warn({ operation: route.id, unknown: warnings }, 'unknown keys');
  if (route.stream && (route.alwaysStreams || wantsStream(c))) {
    for (const [name, value] of Object.entries(headersFor(request, warnings))) c.header(name, value);
    return follow(c, route, route.stream, input, viewer, dependencies);
  }
  const ask = (variables: unknown) =>
    run(route.document, variables, viewer).catch((error: unknown) => {
      throw rephrase(error, route.rephrase);
    });
  const body = await bodyOf(route, writer, input, ask);
  return new Response(body, { headers: { 'content-type': 'application/json', ...headersFor(request, warnings) } });
}

function saidIn({ req }: HttpContext): Said {
  let body: Promise<unknown> | undefined;
  return {
    params: req.param(),
    query: req.url.includes('?') ? new URL(req.url).search.slice(1) : '',
    headers: req.raw.headers,
    json: (maxBytes) => {
      body ??= readJson(req.raw, maxBytes);
      return body;
    },
  };
}

/** The body, made of the data that the document answers. */
async function bodyOf(route: Route, writer: Writer, input: RouteInput, ask: Ask): Promise<string> {
  const variables = route.variables(input) as object;
  if (typeof route.project === 'function') return JSON.stringify(route.project(await ask(variables), input));
  const texts = await readTexts(writer, variables, async (given) => textsIn(await ask(given), writer.picked));
  return writer.write(texts, input);
}

/** Answers by a stream. What fails before it begins is answered as any failure is. */
async function follow(
  c: HttpContext,
  { rephrase: sentences }: Route,
  route: NonNullable<Route['stream']>,
  input: RouteInput,
  viewer: Viewer,
  { stream, pingMs, log }: Dependencies,
): Promise<Response> {
  const events = await stream(route.document, route.variables(input), viewer).catch((error: unknown) => {
    throw rephrase(error, sentences);
  });
  return streamResponse(c, { events: mapped(events, route.event), pingMs, log: c.get('log') ?? log });
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
