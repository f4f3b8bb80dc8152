import type { DocumentNode } from 'graphql';
import type { Result } from 'hono/router';
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { SmartRouter } from 'hono/router/smart-router';
import { TrieRouter } from 'hono/router/trie-router';
import type { Context, Viewer } from '../context.ts';
import { readJsonText } from '../http/body.ts';
import type { Answer, Asked, Way } from '../http/short-way.ts';
import type { Services } from '../services.ts';
import { headersFor, readInput, type Said } from './input.ts';
import { type Picked, readTexts, type Texts, writerOf } from './projection.ts';
import { patternsOf, type Route } from './route.ts';

/** Answers the picked values in their order as JSON, null for one that is not there; null as a whole when it leaves them. */
export type Picker = (variables: Record<string, unknown>, context: Context) => Promise<Texts | null>;
type PickerOf = (document: DocumentNode, picked: readonly Picked[]) => Picker;
type Serve = (said: Said, context: Context) => Promise<Answer | null>;

/**
 * Answers REST operations by the lane: the parts of a body are the texts that the database wrote. The header
 * `x-parley-lane` tells who answered. A request with unknown keys, and whatever would be a failure, is the router's, as
 * long as nothing was written.
 */
export function createRestWay(routes: Route[], lane: { pick: PickerOf }, services: Services): Way {
  const router = new SmartRouter<Serve>({ routers: [new RegExpRouter(), new TrieRouter()] });
  for (const route of routes.filter(({ stream }) => !stream)) {
    const serve = servedBy(lane, route);
    for (const pattern of patternsOf(route.path)) router.add(route.method.toUpperCase(), pattern, serve);
  }
  return async (asked, viewerOf) => {
    const found = paramsOf(router.match(asked.method, asked.path));
    if (!found || !plainQuery.test(asked.query)) return null;
    const [serve, params] = found;
    try {
      const viewer = await viewerOf();
      return await serve(saidIn(asked, params, viewer), { ...services, viewer });
    } catch (error) {
      if (error instanceof Final) throw error.cause;
      return null;
    }
  };
}

/** A failure of the lane itself: what was asked may have been written, so nobody else shall try it again. */
class Final extends Error {}

/** What a query may hold before it is decoded: visible characters, and nothing that ends it. */
const plainQuery = /^[!"$-~]*$/;

function servedBy(lane: { pick: PickerOf }, route: Route): Serve {
  const writer = writerOf(route);
  const pick = lane.pick(route.document, writer.picked);
  return async (said, context) => {
    const { input, warnings } = await readInput(route, said);
    if (warnings.length > 0) return null;
    const variables = route.variables(input) as Record<string, unknown>;
    const texts = await readTexts(writer, variables, async (given) => {
      const picked = await pick({ ...given }, context).catch((cause: unknown) => {
        throw new Final('The lane failed.', { cause });
      });
      return picked ?? leave();
    });
    const headers = { 'Content-Type': 'application/json', 'x-parley-lane': '1', ...headersFor(said, []) };
    return { status: 200, headers, body: bodyOf(route, () => writer.write(texts, input)) };
  };
}

/** What was read may be asked for again; what was written may not. */
function bodyOf({ method }: Route, write: () => string): string {
  try {
    return write();
  } catch (cause) {
    throw method === 'get' ? cause : new Final('The lane wrote, but cannot tell what.', { cause });
  }
}

/** Leaves a request to the router. */
function leave(): never {
  throw new Error('The lane does not answer this.');
}

const saidIn = ({ query, headers, text }: Asked, params: Record<string, string>, viewer: Viewer): Said => ({
  params,
  query,
  headers,
  json: async (maxBytes) => readJsonText((await text(viewer)) ?? leave(), headers, maxBytes),
});

function paramsOf([matches, values]: Result<Serve>): [serve: Serve, params: Record<string, string>] | null {
  const [match] = matches;
  if (!match) return null;
  const params = Object.entries(match[1]).map(([name, value]) => [name, values?.[value as number] ?? String(value)]);
  return [match[0], Object.fromEntries(params)];
}
