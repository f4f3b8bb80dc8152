import { accepts } from 'hono/accepts';
import { streamSSE } from 'hono/streaming';
import type { Logger } from 'pino';
import { ParleyError } from '../core/errors.ts';
import type { HttpContext } from '../http/request-log.ts';

/** One event as it is sent: `data` is written as JSON. */
export type StreamedEvent = { id: string; data: unknown };

const json = 'application/json';
const eventStream = 'text/event-stream';

/** Whether the caller would rather have server-sent events than one JSON body. */
export const wantsStream = (c: HttpContext): boolean =>
  accepts(c, { header: 'Accept', supports: [json, eventStream], default: json }) === eventStream;

type Options = { events: AsyncGenerator<StreamedEvent, void>; pingMs: number; log: Logger };

/**
 * Server-sent events in the protocol of the AI SDK's UI message streams: each event is sent when it comes, a comment
 * every `pingMs` milliseconds, `[DONE]` at the end. A failure is the last event. A caller that leaves stops nothing but
 * the reading.
 */
export function streamResponse(c: HttpContext, { events, pingMs, log }: Options): Response {
  c.header('x-vercel-ai-ui-message-stream', 'v1');
  // Proxies such as nginx gather what they pass on unless told otherwise.
  c.header('x-accel-buffering', 'no');
  return streamSSE(c, async (stream) => {
    // Who does not read gets no more pings: each would wait in memory.
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
