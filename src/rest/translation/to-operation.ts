import { type DocumentNode, print } from 'graphql';
import { getPath } from 'hono/utils/url';
import type { Viewer } from '../../core/viewer.ts';
import { readJsonText } from '../../http/body.ts';
import { expectedTimes, withExpected } from '../condition.ts';
import { type RequestParts, readInput, routeOf } from '../input.ts';
import type { Route } from '../route.ts';
import { createRouter } from '../router.ts';
import { wantsStream } from '../stream.ts';
import type { Variables } from './match.ts';

/** A REST request, as a curl names it. */
export type RestRequest = { method: string; url: string; headers: Record<string, string>; body: string };
/** The GraphQL operation that a request runs, and what its `Warning` header would say. */
type Translated = { route: Route; document: DocumentNode; variables: Variables; warnings: string[] };

export type ToOperation = (request: RestRequest, viewer: Viewer) => Promise<Translated | null>;

/**
 * Translates requests by the routes' own mapping, and runs nothing. Null where no route has the method and path. Throws
 * what the route would: 400, 413 or 415.
 */
export function createToOperation(routes: Route[]): ToOperation {
  const router = createRouter(routes);
  return async ({ method, url, headers: given, body }, viewer) => {
    const address = URL.parse(url, 'http://localhost');
    const headers = headersOf(given);
    if (!address || !headers || !/^[A-Za-z]+$/.test(method)) return null;
    const { url: sent } = new Request(`http://localhost${address.pathname}${address.search}`);
    const found = router(method.toUpperCase(), getPath({ url: sent } as Request));
    if (!found?.route) return null;
    const { params } = found;
    const query = address.search.slice(1);
    const parts: RequestParts = { params, query, headers, json: async (most) => readJsonText(body, headers, most) };
    const route = await routeOf(found.route, parts);
    const { input, warnings, notes } = await readInput(route, parts);
    const isStreamed = route.stream && (route.alwaysStreams || wantsStream({ headers }));
    if (route.stream && isStreamed) {
      const variables = route.stream.variables(input) as Variables;
      return { route, document: route.stream.document, variables, warnings: [...warnings, ...notes] };
    }
    const [time] = expectedTimes(route, parts, viewer) ?? [];
    const variables = withExpected(route.variables(input) as object, time) as Variables;
    return { route, document: route.document, variables, warnings: [...warnings, ...notes] };
  };
}

function headersOf(given: Record<string, string>): Headers | null {
  try {
    return new Headers(given);
  } catch {
    return null;
  }
}

/** An operation as text, without variables that are absent. */
export const written = ({ document, variables }: Translated): { query: string; variables: Variables } => ({
  query: print(document),
  variables: JSON.parse(JSON.stringify(variables)) as Variables,
});
