import { type Context, Hono } from 'hono';
import type { Logger } from 'pino';
import type { Viewer } from '../context.ts';
import { invalid, ParleyError } from '../errors.ts';
import type { Run } from '../graphql/run.ts';
import type { Stream } from '../graphql/stream.ts';
import { respond } from '../http/errors.ts';
import type { HttpVariables } from '../http/request-log.ts';
import { isStrict, readInput } from './input.ts';
import type { Route } from './route.ts';
import { streamResponse, wantsStream } from './stream.ts';

type Dependencies = {
  run: Run;
  stream: Stream;
  authenticate: (request: Request) => Promise<Viewer>;
  log: Logger;
  /** How often a stream shows that it lives, in milliseconds. */
  pingMs: number;
};
type HttpContext = Context<{ Variables: HttpVariables }>;

/** The REST layer: every route at its path, and 405 with `Allow` for its other methods. */
export function createRest(routes: Route[], dependencies: Dependencies): Hono<{ Variables: HttpVariables }> {
  const app = new Hono<{ Variables: HttpVariables }>();
  for (const [path, sharing] of Map.groupBy(routes, (route) => route.path)) {
    const pattern = path.replaceAll(/\{(\w+)\}/g, ':$1');
    const patterns = [pattern, `${pattern}/`];
    const allow = allowed(sharing);
    for (const route of sharing) app.on(route.method.toUpperCase(), patterns, (c) => answer(c, route, dependencies));
    app.on('OPTIONS', patterns, () => new Response(null, { status: 204, headers: { allow } }));
    app.on('ALL', patterns, () => respond(methodNotAllowed(allow)));
  }
  return app;
}

async function answer(c: HttpContext, route: Route, dependencies: Dependencies): Promise<Response> {
  const { run, authenticate, log } = dependencies;
  const request = c.req.raw;
  const viewer = await authenticate(request);
  c.set('workspaceId', viewer.workspaceId);
  const { input, warnings } = await readInput(route, request, c.req.param());
  if (warnings.length > 0) (c.get('log') ?? log).warn({ operation: route.id, unknown: warnings }, 'unknown keys');
  if (route.stream && wantsStream(c)) {
    for (const [name, value] of Object.entries(headersFor(request, warnings))) c.header(name, value);
    return follow(c, route, route.stream, input, viewer, dependencies);
  }
  const data = await ask(route, route.variables(input), (variables) => run(route.document, variables, viewer));
  return Response.json(route.project(data, input), { headers: headersFor(request, warnings) });
}

/** Answers by a stream. What fails before it begins is answered as any failure is. */
async function follow(
  c: HttpContext,
  { rephrase: sentences }: Route,
  route: NonNullable<Route['stream']>,
  input: Parameters<Route['variables']>[0],
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

/** Runs the document of a route; again for each further page when the route answers a whole list. */
async function ask(route: Route, variables: unknown, run: (variables: unknown) => Promise<unknown>): Promise<unknown> {
  try {
    const data = await run(variables);
    const list = route.whole?.(data);
    for (let page = list; page?.pageInfo.hasNextPage; ) {
      page = route.whole?.(await run({ ...(variables as object), after: page.pageInfo.endCursor }));
      for (const node of page?.nodes ?? []) list?.nodes.push(node);
    }
    return data;
  } catch (error) {
    throw rephrase(error, route.rephrase);
  }
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

/** Unknown keys, named to the caller. 299 is the code of a lasting warning (RFC 7234). */
function headersFor(request: Request, warnings: string[]): Record<string, string> {
  const text = warnings
    .join('; ')
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .replaceAll(/["\\]/g, "'");
  return {
    ...(warnings.length > 0 && { warning: `299 parley "${text.slice(0, 1_000)}"` }),
    ...(isStrict(request) && { 'preference-applied': 'handling=strict' }),
  };
}

function allowed(routes: Route[]): string {
  const methods = routes.map(({ method }) => method.toUpperCase());
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}

function methodNotAllowed(allow: string): ParleyError {
  return new ParleyError('method_not_allowed', `This path takes ${allow}.`, { headers: { allow } });
}
