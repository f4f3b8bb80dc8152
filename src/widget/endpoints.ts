import { Hono } from 'hono';
import { bearerOf } from '../auth/bearer.ts';
import type { Services } from '../context.ts';
import { invalid, methodNotAllowed } from '../core/errors.ts';
import { setWorkspace } from '../database/deadline.ts';
import {
  agentProfileOf,
  askAgent,
  followReplies,
  greetingsOf,
  isAnswered,
  rateAnswer,
  rateConversation,
  stopAgent,
} from '../domain/widget/chat.ts';
import { listConversations, readConversation } from '../domain/widget/conversations.ts';
import { readAnswers, readForm } from '../domain/widget/form.ts';
import { createWidgetLimits } from '../domain/widget/limits.ts';
import { attachable, storeUpload, uploadLimits } from '../domain/widget/uploads.ts';
import { enterWidget, recognizeVisitor, type Visitor } from '../domain/widget/visitors.ts';
import { readFileBody, readJson } from '../http/body.ts';
import { respond } from '../http/errors.ts';
import type { HttpContext, HttpVariables } from '../http/log/request-log.ts';
import { streamResponse } from '../rest/stream.ts';
import { createCallerOf } from './caller.ts';

/** In bytes; a question has at most 4,000 characters. */
const MAX_BODY = 32_000;

/**
 * Everything a page may do for a visitor. Only these endpoints accept visitors' tokens, and each acts only on that
 * visitor's own conversations.
 */
export function createWidgetEndpoints(services: Services): Hono<{ Variables: HttpVariables }> {
  const app = new Hono<{ Variables: HttpVariables }>();
  const limits = createWidgetLimits(services);
  const callerOf = createCallerOf(services);
  const body = async (c: HttpContext) => objectOf(await readJson(c.req.raw, MAX_BODY));
  const recognize = async (c: HttpContext): Promise<Visitor> => {
    const visitor = await recognizeVisitor(services, bearerOf(c.req.raw), originOf(c));
    return welcome(c, visitor);
  };

  app.post('/widget/session', async (c) => {
    await limits.consume({ enter: callerOf(c) });
    const { visitor, token, expiresIn, secret } = await enterWidget(services, await body(c), originOf(c));
    welcome(c, visitor);
    return c.json({
      token,
      expiresIn,
      secret,
      agent: agentProfileOf(visitor),
      attachable: attachable(visitor),
      form: await readForm(visitor),
      greetings: greetingsOf(visitor),
      conversation: await readConversation(visitor),
    });
  });
  app.post('/widget/form', async (c) => {
    const visitor = await recognize(c);
    limits.consumeOther(visitor.id);
    const { lead } = (await body(c)) as { lead?: unknown };
    await readAnswers(visitor, lead);
    return c.body(null, 204);
  });
  app.get('/widget/conversation', async (c) => {
    const visitor = await recognize(c);
    limits.consumeOther(visitor.id);
    return c.json({ conversation: await readConversation(visitor, c.req.query('id')) });
  });
  app.get('/widget/conversations', async (c) => {
    const visitor = await recognize(c);
    limits.consumeOther(visitor.id);
    return c.json({ conversations: await listConversations(visitor) });
  });
  app.post('/widget/messages', async (c) => {
    const visitor = await recognize(c);
    const resume = { key: c.req.header('idempotency-key') || null, after: c.req.header('last-event-id') || null };
    if (await isAnswered(visitor, resume)) limits.consumeOther(visitor.id);
    else await limits.consume({ visitor: visitor.id, address: callerOf(c), channel: visitor.channelId });
    const events = await askAgent(visitor, await body(c), resume);
    return streamResponse(c, { events, pingMs: services.config.streamPingMs, log: c.get('log') ?? services.log });
  });
  app.post('/widget/attachments', async (c) => {
    const visitor = await recognize(c);
    const address = callerOf(c);
    await limits.consume({ upload: visitor.id, uploadAddress: address, uploadChannel: visitor.channelId });
    const bytes = await readFileBody(c.req.raw, uploadLimits.bytes);
    return c.json(await storeUpload(visitor, c.req.query(), bytes), 201);
  });
  app.get('/widget/replies', async (c) => {
    const visitor = await recognize(c);
    limits.consumeOther(visitor.id);
    const events = await followReplies(visitor, c.req.query('id') ?? '', c.req.header('last-event-id') || null);
    return streamResponse(c, { events, pingMs: services.config.streamPingMs, log: c.get('log') ?? services.log });
  });
  app.post('/widget/stop', async (c) => {
    const visitor = await recognize(c);
    limits.consumeOther(visitor.id);
    await stopAgent(visitor, await body(c));
    return c.body(null, 204);
  });
  app.post('/widget/feedback', async (c) => {
    const visitor = await recognize(c);
    limits.consumeOther(visitor.id);
    await rateAnswer(visitor, await body(c));
    return c.body(null, 204);
  });
  app.post('/widget/satisfaction', async (c) => {
    const visitor = await recognize(c);
    limits.consumeOther(visitor.id);
    await rateConversation(visitor, await body(c));
    return c.body(null, 204);
  });
  for (const [path, routes] of Map.groupBy(app.routes, (route) => route.path)) {
    const allow = routes.map(({ method }) => (method === 'GET' ? 'GET, HEAD' : method)).join(', ');
    app.all(path, () => respond(methodNotAllowed(allow)));
  }
  return app;
}

/** Requires the body to be an object; its contents are validated later. */
function objectOf(body: unknown): object {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  throw invalid(body === undefined ? 'body: is required' : 'body: must be an object');
}

const originOf = (c: HttpContext): string | null => c.req.header('origin') || null;

/** Allows the visitor's page, and no other origin, to read the response. */
function welcome(c: HttpContext, visitor: Visitor): Visitor {
  c.get('requestNotes').viewer = visitor.context.viewer;
  setWorkspace(visitor.context.viewer.workspaceId);
  c.header('Vary', 'Origin');
  const origin = originOf(c);
  if (origin) c.header('Access-Control-Allow-Origin', origin);
  return visitor;
}
