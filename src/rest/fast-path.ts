import type { DocumentNode } from 'graphql';
import type { Result } from 'hono/router';
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { SmartRouter } from 'hono/router/smart-router';
import { TrieRouter } from 'hono/router/trie-router';
import type { Context, Services } from '../context.ts';
import type { Viewer } from '../core/viewer.ts';
import type { Picked, Picker } from '../graphql/picked.ts';
import type { KeyedRequest, StoredAnswer } from '../graphql/run.ts';
import { readJsonText } from '../http/body.ts';
import type { FastHandler, FastRequest, FastResponse } from '../http/fast-path.ts';
import { readTexts, textsIn, writerOf } from './body-writer.ts';
import { expectedTimes, tagHeader, withExpected } from './condition.ts';
import { deprecationHeaders } from './deprecation.ts';
import { headersFor, once, passParts, type RequestParts, readInput } from './input.ts';
import { keyedRequest } from './keyed.ts';
import { patternsOf, type Route, type RouteInput } from './route.ts';

type PickerOf = (document: DocumentNode, picked: readonly Picked[]) => Picker;
/** The counterpart of `PickerOf` for a write with an Idempotency-Key. */
type Once = (
  document: DocumentNode,
  variables: Record<string, unknown>,
  context: Context,
  keyed: { request: KeyedRequest; make: (data: unknown) => StoredAnswer },
) => Promise<StoredAnswer | null>;
type Queries = { pick: PickerOf; once: Once };
type Serve = (parts: RequestParts, context: Context) => Promise<FastResponse | null>;

/**
 * Serves REST operations by compiled queries: the body consists of JSON that the database wrote. The header
 * `x-parley-compiled` marks such responses. Requests with unknown keys, and all that would fail, fall back to the router,
 * unless something may have been written.
 */
export function createRestFastPath(routes: Route[], queries: Queries, services: Services): FastHandler {
  const deprecation = deprecationHeaders(services.config.restDeprecation);
  const router = new SmartRouter<Serve>({ routers: [new RegExpRouter(), new TrieRouter()] });
  for (const route of routes.filter(({ stream }) => !stream)) {
    const serve = servedBy(queries, route);
    for (const pattern of patternsOf(route.path)) router.add(route.method.toUpperCase(), pattern, serve);
  }
  return async (fastRequest, viewerOf) => {
    const found = paramsOf(router.match(fastRequest.method, fastRequest.path));
    if (!found || !plainQuery.test(fastRequest.query)) return null;
    const [serve, params] = found;
    const viewer = await viewerOf().catch(() => null);
    if (!viewer) return null;
    const parts = partsOf(fastRequest, params, viewer);
    const answer = await serve(parts, { ...services, viewer }).catch((error: unknown) => {
      if (error instanceof Final) throw error.cause;
      return null;
    });
    if (!answer) passParts(fastRequest.request, parts);
    return answer && { ...answer, headers: { ...answer.headers, ...deprecation } };
  };
}

/** A compiled query failed after it may have written: the request must not be run again by the router. */
class Final extends Error {}

/** Query strings that are handled here: visible ASCII characters except `#`. */
const plainQuery = /^[!"$-~]*$/;

function servedBy(queries: Queries, route: Route): Serve {
  const writer = writerOf(route);
  const pick = queries.pick(route.document, writer.picked);
  return async (parts, context) => {
    const { input, warnings, notes } = await readInput(route, parts);
    if (warnings.length > 0) return null;
    const times = expectedTimes(route, parts, context.viewer);
    const request = await keyedRequest(route, parts);
    // A condition together with a key is left to the router, which can retry with another time.
    if (request && times) return null;
    const variables = { ...withExpected(route.variables(input) as object, times?.[0]) };
    const extraHeaders = headersFor(parts, notes);
    if (request) return serveOnce(queries, route, { request, input, variables, context, headers: extraHeaders });
    const texts = await readTexts(writer, variables, async (variables) => {
      const picked = await pick({ ...variables }, context).catch((cause: unknown) => {
        throw new Final('The compiled query failed.', { cause });
      });
      return picked ?? leave();
    });
    const body = bodyOf(route, () => writer.write(texts, input));
    const tag = tagHeader(writer.version?.(texts));
    const headers = { 'Content-Type': 'application/json', 'x-parley-compiled': '1', ...tag, ...extraHeaders };
    return { status: 200, headers, body, notes: notesOf(route) };
  };
}

const notesOf = ({ id, path }: Route) => ({ operation: id, route: path });

type Keyed = {
  request: KeyedRequest;
  input: RouteInput;
  variables: Record<string, unknown>;
  context: Context;
  headers: Record<string, string>;
};

/**
 * Serves a request with an Idempotency-Key. The stored headers are the router's, since either may serve the repetition.
 */
async function serveOnce(queries: Queries, route: Route, keyed: Keyed): Promise<FastResponse | null> {
  const { request, input, variables, context } = keyed;
  const { picked, write, version } = writerOf(route);
  const make = (data: unknown) => {
    const texts = textsIn(data, picked);
    const headers = { 'content-type': 'application/json', ...tagHeader(version?.(texts)), ...keyed.headers };
    return { status: 200, headers, body: write(texts, input) };
  };
  const answer = await queries.once(route.document, variables, context, { request, make }).catch((cause: unknown) => {
    throw new Final('The compiled query failed.', { cause });
  });
  return (
    answer && {
      ...answer,
      headers: { ...answer.headers, 'x-parley-compiled': '1' },
      notes: notesOf(route),
    }
  );
}

/** A read may be repeated by the router; a write may not. */
function bodyOf({ method }: Route, write: () => string): string {
  try {
    return write();
  } catch (cause) {
    throw method === 'get' ? cause : new Final('The compiled query wrote, but its answer cannot be read.', { cause });
  }
}

/** Falls back to the router. */
function leave(): never {
  throw new Error('No compiled query answers this.');
}

const partsOf = (
  { query, headers, text }: FastRequest,
  params: Record<string, string>,
  viewer: Viewer,
): RequestParts => ({
  params,
  query,
  headers,
  json: once(async (maxBytes) => readJsonText((await text(viewer)) ?? leave(), headers, maxBytes)),
});

function paramsOf([matches, values]: Result<Serve>): [serve: Serve, params: Record<string, string>] | null {
  const [match] = matches;
  if (!match) return null;
  const params = Object.entries(match[1]).map(([name, value]) => [name, values?.[value as number] ?? String(value)]);
  return [match[0], Object.fromEntries(params)];
}
