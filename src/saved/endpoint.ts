import type { GraphQLSchema } from 'graphql';
import { Hono } from 'hono';
import { methodNotAllowed, ParleyError } from '../core/errors.ts';
import type { Viewer } from '../core/viewer.ts';
import { requireOperation, runnableOperations } from '../domain/operations/find.ts';
import { withEtag } from '../graphql/saved/etag.ts';
import type { HttpContext, HttpVariables } from '../http/log/request-log.ts';
import { showBoard } from './board.ts';
import { createFollowChanges } from './changes.ts';
import { describeSaved } from './description.ts';
import { asJson, asLines, type Format, requestedFormat } from './formats.ts';
import { queryOf, type Saved, type SavedRunner } from './operation.ts';
import { readParameters, takeTheme } from './parameters.ts';
import { streamResults } from './stream.ts';
import { createWatches } from './watch.ts';

type Dependencies = SavedRunner & { authenticate: (c: HttpContext) => Promise<Viewer> };

type Asked = {
  format: Format;
  viewer: Viewer;
  schema: GraphQLSchema;
  saved: Saved;
  variables: Record<string, unknown>;
  isDark: boolean;
};

/** Saved operations that a workspace may have. */
const all = 1_000;
const allow = 'GET, HEAD';
/** How long the look at a tile of a board rests at least, in milliseconds. */
const boardMs = 5_000;

/**
 * Saved queries at addresses of their own, with variables as parameters: `/run/{name}`, `/run/{name}.csv`.
 * `/run/openapi.json` describes those that the bearer may run.
 */
export function createSaved({ schema, services, execute, authenticate, admitAgain }: Dependencies) {
  const follow = createFollowChanges(services);
  const watches = createWatches({ follow });
  // A board asks for all of its tiles at once.
  const tiles = { schema, services, execute, admitAgain, watches: createWatches({ follow, minMs: boardMs }) };
  const app = new Hono<{ Variables: HttpVariables }>();
  app.get('/run/openapi.json', async (c) => {
    const viewer = await begin(c, 'describeOperations');
    const saved = await runnableOperations({ ...services, viewer }, { take: all });
    const queries = await Promise.all(saved.map((each) => described(each)));
    return withEtag(c.req.raw, c.json(describeSaved(queries.flat(), services.config.publicUrl)));
  });
  app.get('/run/:file', async (c) => {
    const viewer = await begin(c, 'runOperation');
    const { name, format } = requestedFormat(c, c.req.param('file'));
    const saved = await requireOperation({ ...services, viewer }, name);
    const { variables } = await queryOf(schema, saved);
    const parameters = new URL(c.req.url).searchParams;
    const isDark = takeTheme(variables, parameters) === 'dark';
    const given = readParameters(variables, parameters);
    const requestNotes = c.get('requestNotes');
    const asked = { documentId: saved.name, variables: given, onlyQuery: true };
    const response = await execute(asked, viewer, requestNotes);
    requestNotes.operation = saved.name;
    if (format !== 'stream' || c.req.method === 'HEAD')
      return written(c.req.raw, response, { format, viewer, schema, saved, variables: given, isDark });
    const result = await asJson(response);
    if (!result.ok) return result;
    const body = await result.text();
    const look = async () => asJson(await execute(asked, await admitAgain(viewer), {}));
    const { config, log } = services;
    const options = { pingMs: config.streamPingMs, log: c.get('log') ?? log };
    return streamResults(c, watches, { name, variables: given, viewer, body, look }, options);
  });
  app.get('/run/boards/:name', async (c) => {
    const viewer = await begin(c, 'streamDashboard');
    return showBoard(c, c.req.param('name'), viewer, tiles);
  });
  app.all('/run/boards/:name', () => {
    throw methodNotAllowed(allow);
  });
  app.all('/run/:file', () => {
    throw methodNotAllowed(allow);
  });
  return app;

  async function begin(c: HttpContext, operation: string): Promise<Viewer> {
    const viewer = await authenticate(c);
    Object.assign(c.get('requestNotes'), { viewer, operation, route: c.req.routePath });
    return viewer;
  }

  /** The description leaves out what has no address, and what the schema no longer accepts. */
  async function described(saved: Saved) {
    try {
      return [await queryOf(schema, saved)];
    } catch (error) {
      if (error instanceof ParleyError) return [];
      throw error;
    }
  }

  async function written(request: Request, response: Response, asked: Asked): Promise<Response> {
    const { format, viewer, saved } = asked;
    if (format === 'svg') return (await import('./picture.ts')).asPicture(request, response, asked);
    if (format !== 'csv')
      return withEtag(request, await (format === 'ndjson' ? asLines : asJson)(response), saved.maxAge);
    const { exportCsv } = await import('../graphql/csv.ts');
    return withEtag(request, await exportCsv(response, { ...services, viewer }), saved.maxAge);
  }
}
