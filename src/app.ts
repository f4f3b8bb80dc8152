import { existsSync } from 'node:fs';
import { Hono } from 'hono';
import { getDatamodel, schema } from '../schema/index.ts';
import { bearerOf } from './auth/bearer.ts';
import { issueToken } from './auth/issue.ts';
import type { Viewer } from './context.ts';
import { describeRest } from './description.ts';
import { failureOf } from './graphql/failure.ts';
import { createRun } from './graphql/run.ts';
import { createGraphQL } from './graphql/server.ts';
import { createStream } from './graphql/stream.ts';
import { createDemoSession } from './http/demo-session.ts';
import { notFoundResponse, readOnlyResponse, respond } from './http/errors.ts';
import { createFiles } from './http/files.ts';
import { answerShortly } from './http/front.ts';
import { healthResponse, readyResponse } from './http/health.ts';
import { createInvitationPage } from './http/invitation-page.ts';
import { createOAuthCallback } from './http/oauth-callback.ts';
import { createOAuthStart } from './http/oauth-start.ts';
import { createPages } from './http/pages.ts';
import { type HttpContext, type HttpVariables, requestLog } from './http/request-log.ts';
import { crossOrigin, securityHeaders } from './http/security.ts';
import { createShortWay, type ShortWay, type Way } from './http/short-way.ts';
import { findUnstorable } from './http/storable.ts';
import { endWithBearer } from './http/stream-bearer.ts';
import { admit, refusalOf } from './http/unfinished-bodies.ts';
import { createChatResume } from './rest/chat-resume.ts';
import { createRest } from './rest/router.ts';
import { routes } from './rest/routes.ts';
import { createRestWay } from './rest/short.ts';
import type { Services } from './services.ts';
import { type AddressOf, createAddressOf } from './widget/caller.ts';
import { createWidget } from './widget/widget.ts';

/** The gateway is the same without the folder, only slower. */
const laneFolder = existsSync(new URL('lane', import.meta.url)) ? await import('./lane/index.ts') : null;

/** Paths of this file and of the pages, which take GET alone. */
const readOnly = [
  '/',
  '/health',
  '/ready',
  '/.well-known/jwks.json',
  '/openapi.json',
  '/reference',
  '/widget.js',
  '/demo/widget',
  '/files/:messageId/:place',
  '/oauth/callback/:pluginId',
  '/invitation',
];

/**
 * `fetch` answers everything; `short` is what a front may ask first, so that it need not build a Fetch request. `addressOf`
 * tells whose requests are counted together.
 */
export type App = Hono<{ Variables: HttpVariables }> & { short: ShortWay; addressOf: AddressOf };

/** The whole gateway as a fetch handler: no port, no process. `readiness` tells whether `/ready` is 200. */
export function createApp(services: Services, readiness: () => Promise<boolean>): App {
  const { tokens, log, demoSessions } = services;
  const authenticate = async ({ req, env }: HttpContext): Promise<Viewer> => {
    const viewer = await tokens.verify(bearerOf(req.raw));
    admit(env);
    return viewer;
  };
  const run = createRun(schema, services);
  const stream = createStream(schema, services);
  const short = createShortWay({ ways: services.config.lane ? waysOf(services) : [], verify: tokens.verify, log });
  const app = new Hono<{ Variables: HttpVariables }>();

  app.use(answerShortly(short), requestLog(log), securityHeaders(), crossOrigin());
  app.use('/graphql', endWithBearer(tokens));
  app.use('/api/*', endWithBearer(tokens));
  app.get('/health', () => healthResponse());
  app.get('/ready', () => readyResponse(readiness));
  app.get('/.well-known/jwks.json', async (c) => c.json(await tokens.jwks()));
  app.route(
    '/',
    createPages({ describe: () => describeRest(services.config.publicUrl), session: demoSessions !== null }),
  );
  if (demoSessions)
    app.route(
      '/',
      createDemoSession({
        sessions: demoSessions,
        host: services.config.host,
        issueToken: () => issueToken(services, {}),
      }),
    );
  app.route('/', createFiles(services));
  app.route('/', createOAuthStart(services));
  app.route('/', createOAuthCallback(services));
  app.route('/', createInvitationPage());
  app.route('/', createGraphQL(schema, services, authenticate));
  app.route('/', createChatResume({ stream, authenticate, log, pingMs: services.config.streamPingMs }));
  app.route('/', createRest(routes, { run, stream, authenticate, log, pingMs: services.config.streamPingMs }));
  app.route('/', createWidget(services));
  app.on('ALL', readOnly, () => readOnlyResponse());
  app.notFound((c) => notFoundResponse(c.req.path));
  app.onError((error, c) => {
    const failure = failureOf(refusalOf(c.env) ?? error, c.get('log') ?? log);
    const noted = c.get('noted');
    if (noted) noted.errorCodes = [failure.code];
    return respond(failure);
  });
  return Object.assign(app, { short, addressOf: createAddressOf(services) });
}

/** What the lane answers before anything else is asked. */
function waysOf(services: Services): Way[] {
  if (!laneFolder) return [];
  const lane = laneFolder.createLane({ schema, datamodel: getDatamodel(), findUnstorable, ...services });
  return [laneFolder.createGraphQLWay(lane, services), createRestWay(routes, lane, services)];
}
