import type { Services } from '../context.ts';
import { invalid, ParleyError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import type { Viewer } from '../core/viewer.ts';
import { idempotentRequest } from '../graphql/idempotency-key.ts';
import type { Texts } from '../graphql/picked.ts';
import type { IdempotentRequest, Prepare, Prepared, Read } from '../graphql/run.ts';
import type { Identify } from '../http/identify.ts';
import type { RequestNotes } from '../http/log/request-log.ts';
import type { Answer } from '../http/pipeline.ts';
import type { Received } from '../http/received.ts';
import { readTexts, type Writer, writerOf } from './body-writer.ts';
import { expectedTimes, tagHeader, tryExpectedTimes, withExpected } from './condition.ts';
import { headersFor, type RequestParts, readInput, routeOf } from './input.ts';
import { acceptsIdempotencyKey, type Route, type RouteInput } from './route.ts';

/**
 * A request that has been identified and checked. `warnings` and `headers` are remarks on it, for the log and its
 * response.
 */
export type IdentifiedRequest = {
  route: Route;
  parts: RequestParts;
  input: RouteInput;
  viewer: Viewer;
  warnings: string[];
  headers: Record<string, string>;
};

/** Identifies who sends a request, and makes its input. Throws 400, 401, 403, 413, 415 or 429. */
export async function readRequest(
  found: { route: Route; params: Record<string, string> },
  received: Received,
  { identify, notes }: { identify: Identify; notes: RequestNotes },
): Promise<IdentifiedRequest> {
  const viewer = await identify(received);
  notes.viewer = viewer;
  const { query, headers, json } = received;
  const parts = { params: found.params, query, headers, json };
  const route = await routeOf(found.route, parts);
  notes.operation = route.id;
  notes.route = route.path;
  const { input, warnings, notes: remarks } = await readInput(route, parts);
  return { route, parts, input, viewer, warnings, headers: headersFor(parts, [...warnings, ...remarks]) };
}

type Ready = { writer: Writer; prepared: Prepared };

/** Answers requests by the documents of their routes, each of which is prepared once. */
export function createAnswer(prepare: Prepare, services: Services) {
  const known = new Map<Route, Ready>();
  const readyFor = (route: Route): Ready => {
    const ready = known.get(route) ?? readied(route);
    known.set(route, ready);
    return ready;
  };
  const readied = (route: Route): Ready => {
    const writer = writerOf(route);
    return { writer, prepared: prepare(route.document, writer.picked) };
  };

  return async (asked: IdentifiedRequest, notes: RequestNotes): Promise<Answer> => {
    const { route, parts, input, viewer } = asked;
    const { writer, prepared } = readyFor(route);
    const call = { context: { ...services, viewer }, notes };
    const times = expectedTimes(route, parts, viewer);
    const idempotent = await idempotentIn(route, parts);
    const variables = route.variables(input) as Record<string, unknown>;
    const make = (texts: Texts): Answer => ({
      status: 200,
      headers: { 'content-type': 'application/json', ...tagHeader(writer.version?.(texts)), ...asked.headers },
      body: writer.write(texts, input),
    });
    const work = async (read: Read) => {
      const expecting = (given: object) => (time?: Date) => read({ ...withExpected(given, time) });
      const ask = (given: object) =>
        tryExpectedTimes(times, expecting(given)).catch((error: unknown) => {
          throw rephrase(error, route.rephrase);
        });
      return make(await readTexts(writer, variables, ask));
    };
    // A condition may take several attempts, all of them in the transaction of the key.
    const reply = idempotent
      ? await prepared.once({ request: idempotent, variables, make, work: times && work }, call)
      : await work((given) => prepared.read(given, call));
    return notes.compiled ? { ...reply, headers: { ...reply.headers, 'x-parley-compiled': '1' } } : reply;
  };
}

/**
 * Returns the Idempotency-Key of a write, with a fingerprint of its path, query and body; null without one. Throws 400.
 */
async function idempotentIn(route: Route, parts: RequestParts): Promise<IdempotentRequest | null> {
  if (!acceptsIdempotencyKey(route) || parts.headers.get('idempotency-key') === null) return null;
  const { method, path, body, bodyLimit } = route;
  const json = body ? await parts.json(bodyLimit ?? limits.body) : null;
  return idempotentRequest(parts.headers, 'rest', [method, path, parts.params, parts.query, json ?? null]);
}

/** Replaces the graph's messages about arguments that have another name in the route. */
export function rephrase(error: unknown, sentences: Route['rephrase'] = {}): unknown {
  if (!(error instanceof ParleyError) || error.code !== 'invalid_request') return error;
  const keys = Object.keys(sentences);
  const messages = (error.issues ?? []).map(({ message }) => {
    const key = keys.find((name) => message.startsWith(`${name}:`));
    return key === undefined ? message : `${sentences[key]}`;
  });
  return messages.length > 0 && keys.length > 0 ? invalid(messages) : error;
}
