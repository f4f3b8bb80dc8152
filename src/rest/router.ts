import { RegExpRouter } from 'hono/router/reg-exp-router';
import { SmartRouter } from 'hono/router/smart-router';
import { TrieRouter } from 'hono/router/trie-router';
import { tryDecodeURIComponent } from 'hono/utils/url';
import { patternsOf, type Route } from './route.ts';

/** The route of a request with the path's parameters, or only the methods that its path has. */
export type Match = { route: Route; params: Record<string, string> } | { route: null; allow: string };
/** Finds the route of a request by its method and decoded path; null if no route has the path. */
type Router = (method: string, path: string) => Match | null;

export function createRouter(routes: Route[]): Router {
  const router = new SmartRouter<Route | { allow: string }>({ routers: [new RegExpRouter(), new TrieRouter()] });
  for (const [path, sharing] of Map.groupBy(routes, (route) => route.path)) {
    const allow = allowed(sharing);
    for (const pattern of patternsOf(path)) {
      for (const route of sharing) router.add(route.method.toUpperCase(), pattern, route);
      router.add('ALL', pattern, { allow });
    }
  }
  return (method, path) => {
    const [[match], values] = router.match(method === 'HEAD' ? 'GET' : method, path);
    if (!match) return null;
    const [found, indexes] = match;
    if ('allow' in found) return { route: null, allow: found.allow };
    const params: Record<string, string> = {};
    for (const [name, index] of Object.entries(indexes))
      params[name] = tryDecodeURIComponent(values?.[index as number] ?? `${index}`);
    return { route: found, params };
  };
}

function allowed(routes: Route[]): string {
  const methods = routes.map(({ method }) => method.toUpperCase());
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}
