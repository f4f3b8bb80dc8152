import { accepts } from 'hono/accepts';
import { streamSSE } from 'hono/streaming';
import type { Logger } from 'pino';
import { ParleyError } from '../core/errors.ts';
import type { HttpContext } from '../http/log/request-log.ts';

/** An event to send; `data` is serialized as JSON. */
export type StreamedEvent = { id: string; data: unknown };

const json = 'application/json';
const eventStream = 'text/event-stream';

/** Whether the caller prefers server-sent events over a JSON body. */
export const wantsStream = (c: HttpContext): boolean =>
  accepts(c, { header: 'Accept', supports: [json, eventStream], default: json }) === eventStream;

type Options = { events: AsyncGenerator<StreamedEvent, void>; pingMs: number; log: Logger };

/**
 * Responds with server-sent events in the AI SDK's UI message stream protocol: events as they come, a comment every
 * `pingMs` milliseconds, `[DONE]` at the end. An error is the last event. A disconnect ends only the reading, not the
 * turn.
 */
export function streamResponse(c: HttpContext, { events, pingMs, log }: Options): Response {
  c.header('x-vercel-ai-ui-message-stream', 'v1');
  // Proxies such as nginx buffer streams unless told otherwise.
  c.header('x-accel-buffering', 'no');
  return streamSSE(c, async (stream) => {
    // No further ping while one is unread, since each would be kept in memory.
    let waiting = false;
    const ping = async () => {
      if (waiting) return;
      waiting = true;
      await stream.write(': ping\n\n');
      waiting = false;
    };
    const pinging = setInterval(() => void ping(), pingMs);
    stream.onAbort(() => void events.return());
    try {
      for await (const { id, data } of events) await stream.writeSSE({ id, data: JSON.stringify(data) });
    } catch (error) {
      await stream.writeSSE({ data: JSON.stringify(failureEvent(error, log)) });
    } finally {
      clearInterval(pinging);
    }
    await stream.writeSSE({ data: '[DONE]' });
  });
}

function failureEvent(error: unknown, log: Logger): object {
  if (!(error instanceof ParleyError)) log.error({ err: error }, 'a stream broke off');
  const { body } =
    error instanceof ParleyError ? error : new ParleyError('internal_error', 'Something went wrong on our side.');
  return { type: 'error', errorText: body.message, ...body };
}
