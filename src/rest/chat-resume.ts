import { Hono } from 'hono';
import type { Logger } from 'pino';
import type { Viewer } from '../core/viewer.ts';
import type { Stream } from '../graphql/stream.ts';
import type { HttpContext, HttpVariables } from '../http/log/request-log.ts';
import { eventOf } from './chat.ts';
import { ResumeChatDocument } from './generated/graphql.ts';
import { streamResponse } from './stream.ts';

type Dependencies = {
  stream: Stream;
  authenticate: (c: HttpContext) => Promise<Viewer>;
  log: Logger;
  pingMs: number;
};

/**
 * The endpoint at which the AI SDK's chats resume a reply in progress after a page reload: the stream from its start,
 * or 204 if there is none.
 */
export function createChatResume({ stream, authenticate, log, pingMs }: Dependencies) {
  const app = new Hono<{ Variables: HttpVariables }>();
  app.get('/api/:agentId/:chatId/stream', async (c) => {
    const viewer = await authenticate(c);
    c.get('requestNotes').viewer = viewer;
    const { agentId, chatId: chat } = c.req.param();
    const events = await stream(ResumeChatDocument, { agentId, chat }, viewer);
    const first = await events.next();
    if (first.done) return new Response(null, { status: 204 });
    const all = async function* () {
      try {
        yield eventOf(first.value.resumeChat);
        for await (const { resumeChat } of events) yield eventOf(resumeChat);
      } finally {
        await events.return();
      }
    };
    return streamResponse(c, { events: all(), pingMs, log: c.get('log') ?? log });
  });
  return app;
}
