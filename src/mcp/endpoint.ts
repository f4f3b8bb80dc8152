import type { GraphQLSchema } from 'graphql';
import { Hono } from 'hono';
import type { Services } from '../context.ts';
import { invalid, methodNotAllowed } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { version } from '../core/version.ts';
import type { Viewer } from '../core/viewer.ts';
import type { Execute } from '../graphql/execute.ts';
import type { Run } from '../graphql/run.ts';
import { readJson } from '../http/body.ts';
import { failureOf } from '../http/failure.ts';
import type { HttpContext, HttpVariables } from '../http/log/request-log.ts';

type Dependencies = {
  schema: GraphQLSchema;
  services: Pick<Services, 'database' | 'config' | 'log'>;
  run: Run;
  execute: Execute;
  authenticate: (c: HttpContext) => Promise<Viewer>;
};

/**
 * The Model Context Protocol at /mcp, over streamable HTTP without sessions: agents, knowledge and saved operations as
 * tools. Any origin may ask, as everywhere: what counts is the bearer, which no browser adds by itself.
 */
export function createMcp({ schema, services, run, execute, authenticate }: Dependencies) {
  const { database, config, log: ownLog } = services;
  const app = new Hono<{ Variables: HttpVariables }>();
  app.post('/mcp', async (c) => {
    const viewer = await authenticate(c);
    const requestNotes = c.get('requestNotes');
    const log = c.get('log') ?? ownLog;
    requestNotes.viewer = viewer;
    requestNotes.route = '/mcp';
    const body = await readJson(c.req.raw, limits.body);
    if (Array.isArray(body)) throw invalid('Send one message at a time: the protocol has no batches.');
    requestNotes.operation = nameOf(body);
    // Loaded lazily, since many gateways are never asked.
    const { answerMcp } = await import('./server.ts');
    return answerMcp(
      { schema, database, run, execute, viewer, requestNotes },
      {
        request: c.req.raw,
        body,
        version,
        pingMs: config.streamPingMs,
        visible: (error) => failureOf(error, log),
      },
    );
  });
  app.all('/mcp', () => {
    throw methodNotAllowed('POST');
  });
  return app;
}

/** The method of a message, with the tool that it calls, for the log. */
function nameOf(body: unknown): string | undefined {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { name?: unknown } };
  if (typeof method !== 'string') return undefined;
  return [method, ...(typeof params?.name === 'string' ? [params.name] : [])].join(' ').slice(0, 200);
}
