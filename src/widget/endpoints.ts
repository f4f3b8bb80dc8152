import type { IncomingMessage } from 'node:http';
import { Hono } from 'hono';
import { bearerOf } from '../auth/bearer.ts';
import { askAgent, faceOf, rateAnswer, readConversation, stopAgent } from '../domain/widget-chat.ts';
import { enterWidget, recognizeVisitor, type Visitor } from '../domain/widget-visitors.ts';
import { readJson } from '../http/body.ts';
import type { HttpContext, HttpVariables } from '../http/request-log.ts';
import { streamResponse } from '../rest/stream.ts';
import type { Services } from '../services.ts';
import { addressOf, createLimiter } from './limit.ts';

/** Bytes of a body; a question has at most 4,000 characters. */
const MAX_BODY = 32_000;

/**
 * All that a page may do for a visitor, and nothing else: these endpoints take the tokens of visitors, which no other
 * surface takes, and act in the conversations of that visitor alone.
 */
export function createWidgetEndpoints(services: Services): Hono<{ Variables: HttpVariables }> {
  const app = new Hono<{ Variables: HttpVariables }>();
  const take = createLimiter(services);
  const body = (c: HttpContext) => readJson(c.req.raw, MAX_BODY);
  const recognize = async (c: HttpContext): Promise<Visitor> => {
    const visitor = await recognizeVisitor(services, bearerOf(c.req.raw), originOf(c));
    return welcome(c, visitor);
  };

  app.post('/widget/session', async (c) => {
    take('enter', callerOf(c));
    const { visitor, token, expiresIn, secret } = await enterWidget(services, await body(c), originOf(c));
    welcome(c, visitor);
    return c.json({ token, expiresIn, secret, agent: faceOf(visitor), conversation: await readConversation(visitor) });
  });
  app.get('/widget/conversation', async (c) => {
    const visitor = await recognize(c);
    take('other', visitor.id);
    return c.json({ conversation: await readConversation(visitor, c.req.query('id')) });
  });
  app.post('/widget/messages', async (c) => {
    const visitor = await recognize(c);
    const after = c.req.header('last-event-id') || null;
    if (!after) {
      take('visitor', visitor.id);
      take('address', callerOf(c));
      take('channel', visitor.channelId);
    } else take('other', visitor.id);
    const again = { key: c.req.header('idempotency-key') || null, after };
    const events = await askAgent(visitor, await body(c), again);
    return streamResponse(c, { events, pingMs: services.config.streamPingMs, log: c.get('log') ?? services.log });
  });
  app.post('/widget/stop', async (c) => {
    const visitor = await recognize(c);
    take('other', visitor.id);
    await stopAgent(visitor, await body(c));
    return c.body(null, 204);
  });
  app.post('/widget/feedback', async (c) => {
    const visitor = await recognize(c);
    take('other', visitor.id);
    await rateAnswer(visitor, await body(c));
    return c.body(null, 204);
  });
  return app;
}

const originOf = (c: HttpContext): string | null => c.req.header('origin') || null;

const callerOf = (c: HttpContext): string => {
  const { incoming } = (c.env ?? {}) as { incoming?: IncomingMessage };
  return addressOf(incoming, c.req.header('x-forwarded-for'));
};

/** Shares the answer with the page of the visitor, and with no other. */
function welcome(c: HttpContext, visitor: Visitor): Visitor {
  c.set('workspaceId', visitor.context.viewer.workspaceId);
  c.header('Vary', 'Origin');
  const origin = originOf(c);
  if (origin) c.header('Access-Control-Allow-Origin', origin);
  return visitor;
}
