import { accepts } from 'hono/accepts';
import type { Logger } from 'pino';
import { internalError, ParleyError } from '../core/errors.ts';
import type { HttpContext } from '../http/log/request-log.ts';
import type { Received } from '../http/received.ts';
import { abandon, type Texts, textStream } from '../http/text-stream.ts';

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
 * comment every `pingMs` milliseconds, and the end that the protocol has. An error is the last event. A disconnect ends
 * only the reading, not the turn.
 */
export function streamResponse(c: HttpContext, options: Options): Response {
  const headers = {
    ...(options.protocol ?? uiMessages).headers,
    'content-type': eventStream,
    'cache-control': 'no-cache',
    // Proxies such as nginx buffer streams unless told otherwise.
    'x-accel-buffering': 'no',
  };
  return c.body(
    textStream({ ...textsOf(options), pingMs: options.pingMs, watchBearer: c.get('watchBearer') }),
    200,
    headers,
  );
}

function textsOf({ events, log, protocol = uiMessages, onAbort }: Options) {
  const last = protocol.done === null ? '' : `data: ${protocol.done}\n\n`;
  return {
    ping: ': ping\n\n',
    async next() {
      try {
        const { done, value } = await events.next();
        return done ? { text: last, isLast: true } : { text: textOf(value), isLast: false };
      } catch (error) {
        abandon(events);
        if (!(error instanceof ParleyError)) log.error({ err: error }, 'a stream broke off');
        return { text: textOf({ data: protocol.failureEvent(error) }) + last, isLast: true };
      }
    },
    leave() {
      onAbort?.();
      abandon(events);
    },
  } satisfies Partial<Texts>;
}

/** JSON has no line breaks of its own. */
const textOf = ({ id, data }: StreamedEvent): string =>
  `data: ${JSON.stringify(data)}\n${id === undefined ? '' : `id: ${id}\n`}\n`;

function failureEvent(error: unknown): object {
  const { body } = error instanceof ParleyError ? error : internalError();
  return { type: 'error', errorText: body.message, ...body };
}
