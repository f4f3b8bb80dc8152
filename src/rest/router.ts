import { Hono } from 'hono';
import type { Logger } from 'pino';
import type { Viewer } from '../context.ts';
import { ParleyError } from '../errors.ts';
import type { Run } from '../graphql/run.ts';
import { respond } from '../http/errors.ts';
import { readInput } from './input.ts';
import type { Route } from './route.ts';

type Dependencies = { run: Run; authenticate: (request: Request) => Promise<Viewer>; log: Logger };

/** The REST layer: every route at its path, and 405 with `Allow` for its other methods. */
export function createRest(routes: Route[], { run, authenticate, log }: Dependencies): Hono {
  const app = new Hono();
  const methods = new Map<string, string[]>();
  for (const route of routes) {
    const path = route.path.replaceAll(/\{(\w+)\}/g, ':$1');
    methods.set(path, [...(methods.get(path) ?? []), route.method.toUpperCase()]);
    app.on(route.method.toUpperCase(), path, async (c) => {
      const viewer = await authenticate(c.req.raw);
      const { input, warnings } = await readInput(route, c.req.raw, c.req.param());
      if (warnings.length > 0) log.warn({ operation: route.id, unknown: warnings }, 'unknown keys');
      const data = await run(route.document, route.variables(input), viewer);
      return Response.json(route.project(data, input), { headers: headersFor(warnings) });
    });
  }
  for (const [path, allowed] of methods) app.all(path, () => respond(methodNotAllowed(allowed)));
  return app;
}

/** Unknown keys, named to the caller. 299 is the code of a lasting warning (RFC 7234). */
function headersFor(warnings: string[]): Record<string, string> {
  if (warnings.length === 0) return {};
  const text = warnings.slice(0, 10).join('; ').replaceAll(/[^\x20-\x7e]/g, '?').replaceAll(/["\\]/g, "'");
  return { warning: `299 parley "${text.slice(0, 1_000)}"` };
}

function methodNotAllowed(allowed: string[]): ParleyError {
  const allow = [...allowed, ...(allowed.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  return new ParleyError('method_not_allowed', `This path takes ${allow}.`, { headers: { allow } });
}
