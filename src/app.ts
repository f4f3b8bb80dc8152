import { IncomingMessage } from 'node:http';
import { Hono } from 'hono';
import type { Logger } from 'pino';
import { getDatamodel, schema } from '../schema/index.ts';
import { findDemoAgent } from './auth/demo.ts';
import { issueToken } from './auth/issue.ts';
import { createCompiledQueries } from './compiled/compiled-queries.ts';
import { createExplain } from './compiled/explain.ts';
import type { Services } from './context.ts';
import type { ParleyError } from './core/errors.ts';
import { isTracing } from './core/tracing.ts';
import type { Viewer } from './core/viewer.ts';
import { describeRest } from './description.ts';
import { createExecute } from './graphql/execute.ts';
import { createPostHandler } from './graphql/post-handler.ts';
import { createExecution } from './graphql/run.ts';
import { createGraphQL, createOpen } from './graphql/server.ts';
import { createStream } from './graphql/stream.ts';
import { traceResolvers } from './graphql/trace-resolvers.ts';
import { compressed } from './http/compression.ts';
import { createDemoSession } from './http/demo-session.ts';
import { notFoundResponse, readOnlyResponse, respond } from './http/errors.ts';
import { failureOf } from './http/failure.ts';
import { createFiles } from './http/files.ts';
import { healthResponse, type Readiness, readyResponse } from './http/health.ts';
import { createIdentify } from './http/identify.ts';
import { type HttpContext, type HttpVariables, requestLog } from './http/log/request-log.ts';
import { ageHeaders } from './http/max-stale.ts';
import { pipelineMiddleware } from './http/node-listener.ts';
import { createOAuthCallback } from './http/oauth/callback.ts';
import { createOAuthStart } from './http/oauth/start.ts';
import { readableError } from './http/pages/error-page.ts';
import { createInvitationPage } from './http/pages/invitation-page.ts';
import { createPages } from './http/pages/pages.ts';
import { createPipeline, type Pipeline } from './http/pipeline.ts';
import { createRateLimit, rateLimitHeaders } from './http/rate-limit.ts';
import { requestIn } from './http/received.ts';
import { crossOrigin, securityHeaders } from './http/security.ts';
import { createSqlEndpoint } from './http/sql-endpoint.ts';
import { endWithBearer } from './http/stream-bearer.ts';
import { refusalOf } from './http/unfinished-bodies.ts';
import { createMcp } from './mcp/endpoint.ts';
import { createOpenAi } from './openai/endpoint.ts';
import { createChatResume } from './rest/chat-resume.ts';
import { createRest } from './rest/endpoint.ts';
import { routes } from './rest/routes.ts';
import { createTranslation } from './rest/translation/endpoint.ts';
import { createAlertCheck } from './saved/alerts.ts';
import { createSaved } from './saved/endpoint.ts';
import { type AddressOf, createAddressOf } from './widget/caller.ts';
import { createWidget } from './widget/widget.ts';

/** GET-only paths, both of this file and of the pages. */
const readOnly = [
  '/',
  '/health',
  '/ready',
  '/.well-known/jwks.json',
  '/openapi.json',
  '/reference',
  '/docs',
  '/dashboards',
  '/dashboards/:name',
  '/widget.js',
  '/demo/widget',
  '/files/:messageId/:position',
  '/oauth/callback/:pluginId',
  '/invitation',
];

/**
 * `fetch` serves every request; a server may try `pipeline` first, to avoid building a Fetch request. `addressOf`
 * returns the address by which a caller's requests are counted, `cacheSizes` the sizes of caches in bytes, by name.
 * `checkAlerts` checks the alerts of boards that are due, until its signal.
 */
export type App = Hono<{ Variables: HttpVariables }> & {
  pipeline: Pipeline;
  addressOf: AddressOf;
  cacheSizes: () => Record<string, number>;
  checkAlerts: (signal?: AbortSignal) => Promise<void>;
};

/**
 * The whole gateway as a fetch handler, independent of any port or process. `/ready` returns 200 while `readiness`
 * resolves to null.
 */
export function createApp(services: Services, readiness: Readiness): App {
  const { tokens, log, demoSessions } = services;
  const addressOf = createAddressOf(services);
  const callerAddress = (request: object) => addressIn(addressOf, request);
  const rate = createRateLimit(services);
  const identify = createIdentify(services, { rate, addressOf: callerAddress });
  const authenticate = (c: HttpContext) => identify(c.get('received'));
  if (isTracing()) traceResolvers(schema);
  const stream = createStream(schema, services);
  const { compiledQueries, databaseTimeoutMs } = services.config;
  const queries = compiledQueries ? createCompiledQueries({ schema, datamodel: getDatamodel(), ...services }) : null;
  const { prepare, run, answerCompiled } = createExecution(schema, services, queries);
  const rest = createRest(routes, services, { prepare, stream, identify });
  // In front of the routes below, for requests that need no Fetch `Request`.
  const pipeline = createPipeline({
    handlers: [...(queries ? [createPostHandler(answerCompiled, services, identify)] : []), rest.handler],
    addressOf: callerAddress,
    headersOf: rate.headersOf,
    log,
    databaseTimeoutMs,
  });
  const app = new Hono<{ Variables: HttpVariables }>();

  app.use(
    compressed(),
    pipelineMiddleware(pipeline),
    requestLog(log, callerAddress),
    securityHeaders(),
    crossOrigin(),
    rateLimitHeaders(rate),
    ageHeaders(),
  );
  app.use('/graphql', endWithBearer(tokens));
  app.use('/api/*', endWithBearer(tokens));
  app.use('/v1/*', endWithBearer(tokens));
  app.use('/mcp', endWithBearer(tokens));
  app.use('/run/*', endWithBearer(tokens));
  app.get('/health', () => healthResponse());
  app.get('/ready', () => readyResponse(readiness, services.nodes.unavailable));
  app.get('/.well-known/jwks.json', async (c) => c.json(await tokens.jwks()));
  const session = demoSessions !== null;
  app.route(
    '/',
    createPages({
      describe: () => describeRest(services.config.publicUrl),
      session,
      outside: services.config.oidc !== null,
      sql: services.config.explainSql,
      exampleAgent: async () => (demoSessions ? findDemoAgent(services.database) : null),
    }),
  );
  if (demoSessions)
    app.route(
      '/',
      createDemoSession({
        sessions: demoSessions,
        host: services.config.host,
        // Signed in as the owner, who can do everything on our pages that a person can, such as share a board.
        issueToken: () => issueToken(services, {}, 'person'),
      }),
    );
  app.route('/', createFiles(services));
  app.route('/', createOAuthStart(services));
  app.route('/', createOAuthCallback(services));
  app.route('/', createInvitationPage());
  const open = createOpen(schema, services);
  const execute = createExecute(services, open, answerCompiled);
  app.route('/', createGraphQL(open, services, authenticate));
  app.route('/', createMcp({ schema, services, run, execute, authenticate }));
  const asking = { schema, services, execute, admitAgain: (viewer: Viewer) => rate.admit(viewer, {}) };
  app.route('/', createSaved({ ...asking, authenticate }));
  app.route('/', createChatResume({ stream, authenticate, log, pingMs: services.config.streamPingMs }));
  app.use(rest.middleware);
  app.route('/', createTranslation(routes, { authenticate }));
  const failureIn = (error: Error, c: HttpContext) => notedFailure(error, c, log);
  app.route(
    '/',
    createOpenAi({ run, stream, authenticate, failureOf: failureIn, log, pingMs: services.config.streamPingMs }),
  );
  if (services.config.explainSql) {
    const explain = createExplain({ schema, datamodel: getDatamodel(), pool: services.pool, enabled: compiledQueries });
    app.route(
      '/',
      createSqlEndpoint({ authenticate, explain: (operation, viewer) => explain(operation, { ...services, viewer }) }),
    );
  }
  app.route('/', createWidget(services));
  app.on('ALL', readOnly, (c) => (/^(GET|HEAD)$/.test(c.req.method) ? c.notFound() : readOnlyResponse()));
  const outside = services.config.oidc !== null;
  const readable = (c: HttpContext, response: Response) =>
    readableError(c.req.raw, response, { session, outside, requestId: c.get('received').requestId });
  app.notFound((c) => readable(c, notFoundResponse(c.req.path)));
  app.onError((error, c) => readable(c, respond(failureIn(error, c))));
  const cacheSizes = () => ({ compiled_operations: queries?.cacheBytes() ?? 0 });
  return Object.assign(app, { pipeline, addressOf, cacheSizes, checkAlerts: createAlertCheck(asking) });
}

/** The error that the caller may see, noted for the access log. */
function notedFailure(error: Error, c: HttpContext, log: Logger): ParleyError {
  const failure = failureOf(refusalOf(requestIn(c)) ?? error, c.get('log') ?? log);
  const requestNotes = c.get('requestNotes');
  if (requestNotes) requestNotes.errorCodes = [failure.code];
  return failure;
}

/** The caller's address; null unless the request came through node:http. */
const addressIn = (addressOf: AddressOf, request: unknown): string | null =>
  (request instanceof IncomingMessage && addressOf(request)) || null;
