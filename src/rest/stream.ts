import { accepts } from 'hono/accepts';
import { streamSSE } from 'hono/streaming';
import type { Logger } from 'pino';
import { internalError, ParleyError } from '../core/errors.ts';
import type { HttpContext } from '../http/log/request-log.ts';
import type { Received } from '../http/received.ts';

/** An event to send; `data` is serialized as JSON. */
export type StreamedEvent = { id?: string; data: unknown };

const json = 'application/json';
const eventStream = 'text/event-stream';

/** Whether the caller prefers server-sent events over a JSON body. */
export function wantsStream({ headers }: Pick<Received, 'headers'>): boolean {
  const c = { req: { header: (name: string) => headers.get(name) ?? undefined } } as HttpContext;
  return accepts(c, { header: 'Accept', supports: [json, eventStream], default: json }) === eventStream;
}

/** What a protocol adds to a stream. */
export type StreamProtocol = {
  headers: Record<string, string>;
  /** The event with which a stream that breaks off ends. */
  failureEvent: (error: unknown) => object;
  /** The data of the last event of all; null for none. */
  done: string | null;
};

/** The AI SDK's UI message stream. */
const uiMessages: StreamProtocol = {
  headers: { 'x-vercel-ai-ui-message-stream': 'v1' },
  failureEvent,
  done: '[DONE]',
};

type Options = {
  events: AsyncGenerator<StreamedEvent, void>;
  pingMs: number;
  log: Logger;
  protocol?: StreamProtocol;
  /** Called if the caller hangs up before the end. */
  onAbort?: () => void;
};

/**
 * Responds with server-sent events, by default in the AI SDK's UI message stream protocol: events as they come, a
 * comment every `pingMs` milliseconds, and the end that the protocol has. An error is the last event. A disconnect ends only the
 * reading, not the turn.
 */
export function streamResponse(
  c: HttpContext,
  { events, pingMs, log, protocol = uiMessages, onAbort }: Options,
): Response {
  for (const [name, value] of Object.entries(protocol.headers)) c.header(name, value);
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
    stream.onAbort(() => {
      onAbort?.();
      void events.return();
    });
    try {
      for await (const { id, data } of events)
        await stream.writeSSE({ ...(id !== undefined && { id }), data: JSON.stringify(data) });
    } catch (error) {
      if (!(error instanceof ParleyError)) log.error({ err: error }, 'a stream broke off');
      await stream.writeSSE({ data: JSON.stringify(protocol.failureEvent(error)) });
    } finally {
      clearInterval(pinging);
    }
    if (protocol.done !== null) await stream.writeSSE({ data: protocol.done });
  });
}

function failureEvent(error: unknown): object {
  const { body } = error instanceof ParleyError ? error : internalError();
  return { type: 'error', errorText: body.message, ...body };
}
