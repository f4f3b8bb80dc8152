import { accepts } from 'hono/accepts';
import type { Logger } from 'pino';
import { internalError, ParleyError } from '../core/errors.ts';
import type { HttpContext, WatchBearer } from '../http/log/request-log.ts';
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
export function streamResponse(c: HttpContext, options: Options): Response {
  const headers = {
    ...(options.protocol ?? uiMessages).headers,
    'content-type': eventStream,
    'cache-control': 'no-cache',
    // Proxies such as nginx buffer streams unless told otherwise.
    'x-accel-buffering': 'no',
  };
  return c.body(bodyOf(options, c.get('watchBearer')), 200, headers);
}

/** The body of a stream, which is read at its reader's pace. `watchBearer` ends it early. */
function bodyOf(
  { events, pingMs, log, protocol = uiMessages, onAbort }: Options,
  watchBearer?: WatchBearer,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let pinging: NodeJS.Timeout;
  let unwatch: (() => void) | undefined;
  let isOver = false;
  const end = () => {
    isOver = true;
    clearInterval(pinging);
    unwatch?.();
  };
  const leave = () => {
    end();
    onAbort?.();
    void events.return();
  };
  const next = async (): Promise<{ text: string; isLast: boolean }> => {
    try {
      const { done, value } = await events.next();
      if (!done) return { text: textOf(value), isLast: false };
    } catch (error) {
      if (!(error instanceof ParleyError)) log.error({ err: error }, 'a stream broke off');
      return { text: textOf({ data: protocol.failureEvent(error) }) + ending(protocol), isLast: true };
    }
    return { text: ending(protocol), isLast: true };
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      // No further ping while one is unread, since each would be kept in memory.
      pinging = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(ping);
      }, pingMs);
      unwatch = watchBearer?.(() => {
        leave();
        controller.close();
      });
    },
    async pull(controller) {
      const { text, isLast } = await next();
      if (isOver) return;
      if (text) controller.enqueue(encoder.encode(text));
      if (!isLast) return;
      end();
      controller.close();
    },
    cancel: leave,
  });
}

const ping = new TextEncoder().encode(': ping\n\n');

/** JSON has no line breaks of its own. */
const textOf = ({ id, data }: StreamedEvent): string =>
  `data: ${JSON.stringify(data)}\n${id === undefined ? '' : `id: ${id}\n`}\n`;

const ending = ({ done }: StreamProtocol): string => (done === null ? '' : `data: ${done}\n\n`);

function failureEvent(error: unknown): object {
  const { body } = error instanceof ParleyError ? error : internalError();
  return { type: 'error', errorText: body.message, ...body };
}
