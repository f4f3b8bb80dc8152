import type { ServerResponse } from 'node:http';
import type { WatchBearer } from './log/request-log.ts';

/** The texts of a stream, one after the other. */
export type Texts = {
  /** Resolves with what comes next; never rejects. */
  next: () => Promise<{ text: string; isLast: boolean }>;
  /** Called once if the stream ends before its last text: its reader has left, or its bearer is over. */
  leave: () => void;
  /** Sent at once. */
  first?: string;
  /** Sent every `pingMs` milliseconds. */
  ping: string;
  pingMs: number;
  /** Ends the stream with the bearer of its request. */
  watchBearer?: WatchBearer | undefined;
};

const streamed = new WeakMap<ReadableStream, Texts>();
/** Whether a body ends itself with the bearer of its request. */
export const watchesBearer = (body: ReadableStream): boolean => Boolean(streamed.get(body)?.watchBearer);

/**
 * Creates the body of a response that is sent as it is made, at its reader's pace. A body that nobody reads, such as
 * that of a HEAD request, does nothing.
 */
export function textStream(texts: Texts): ReadableStream<Uint8Array> {
  const { next, leave, first, ping } = texts;
  const encoder = new TextEncoder();
  const pingBytes = encoder.encode(ping);
  let begun: Begun | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (first) controller.enqueue(encoder.encode(first));
      },
      async pull(controller) {
        begun ??= begin(texts, {
          ping() {
            if ((controller.desiredSize ?? -1) >= 0) controller.enqueue(pingBytes);
          },
          close: () => controller.close(),
        });
        for (let isSent = false; !isSent; ) {
          const { text, isLast } = await next();
          if (begun.isOver) return;
          if (text) controller.enqueue(encoder.encode(text));
          isSent = text !== '';
          if (!isLast) continue;
          begun.end();
          return controller.close();
        }
      },
      cancel: () => (begun ? begun.endEarly() : leave()),
    },
    { highWaterMark: 0 },
  );
  streamed.set(body, texts);
  return body;
}

/**
 * Sends a response whose body `textStream` made by node:http alone: the streams of the web in between cost more for
 * each text than all that is done to make it. Returns false for any other body.
 */
export function sendTexts({ status, headers, body }: Response, response: ServerResponse): boolean {
  const texts = body && streamed.get(body);
  if (!texts || body.locked) return false;
  if (response.destroyed) {
    texts.leave();
    return true;
  }
  const { next, first, ping } = texts;
  const begun = begin(texts, {
    ping() {
      if (response.writableLength === 0) response.write(ping);
    },
    close: () => void response.end(),
  });
  response.on('close', begun.endEarly).on('error', begun.endEarly);
  // As a list, in which a name may stand twice.
  response.writeHead(status, [...headers].flat());
  if (first) response.write(first);
  else response.flushHeaders();
  const write = async () => {
    while (!begun.isOver) {
      const { text, isLast } = await next();
      if (begun.isOver) return;
      if (isLast) {
        begun.end();
        return void response.end(text);
      }
      if (text && !response.write(text)) await new Promise((resolve) => void response.once('drain', resolve));
    }
  };
  write().catch((error: Error) => response.destroy(error));
  return true;
}

/** A stream that is read. `endEarly`: its reader has left. */
type Begun = { isOver: boolean; end: () => void; endEarly: () => void };

/** Begins what goes on beside the texts of a stream. No ping while something is unread, since each would be kept. */
function begin({ leave, pingMs, watchBearer }: Texts, out: { ping: () => void; close: () => void }): Begun {
  const begun: Begun = {
    isOver: false,
    end() {
      begun.isOver = true;
      clearInterval(pinging);
      unwatch?.();
    },
    endEarly() {
      if (begun.isOver) return;
      begun.end();
      leave();
    },
  };
  const pinging = setInterval(out.ping, pingMs);
  const unwatch = watchBearer?.(() => {
    begun.endEarly();
    out.close();
  });
  return begun;
}

/** Ends a generator without waiting for what it is about. */
export function abandon(generator: AsyncIterator<unknown>): void {
  Promise.resolve(generator.return?.()).catch(() => undefined);
}
