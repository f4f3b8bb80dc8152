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

const watching = new WeakSet<ReadableStream>();
/** Whether a body ends itself with the bearer of its request. */
export const watchesBearer = (body: ReadableStream): boolean => watching.has(body);

/**
 * Creates the body of a response that is sent as it is made, at its reader's pace. A body that nobody reads, such as
 * that of a HEAD request, does nothing.
 */
export function textStream({ next, leave, first, ping, pingMs, watchBearer }: Texts): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const pingBytes = encoder.encode(ping);
  let pinging: NodeJS.Timeout | undefined;
  let unwatch: (() => void) | undefined;
  let isOver = false;
  const end = () => {
    isOver = true;
    clearInterval(pinging);
    unwatch?.();
  };
  const endEarly = () => {
    if (isOver) return;
    end();
    leave();
  };
  const begin = (controller: ReadableStreamDefaultController) => {
    // No further ping while something is unread, since each would be kept in memory.
    pinging = setInterval(() => {
      if ((controller.desiredSize ?? -1) >= 0) controller.enqueue(pingBytes);
    }, pingMs);
    unwatch = watchBearer?.(() => {
      endEarly();
      controller.close();
    });
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (first) controller.enqueue(encoder.encode(first));
      },
      async pull(controller) {
        if (!pinging) begin(controller);
        for (let isSent = false; !isSent; ) {
          const { text, isLast } = await next();
          if (isOver) return;
          if (text) controller.enqueue(encoder.encode(text));
          isSent = text !== '';
          if (!isLast) continue;
          end();
          return controller.close();
        }
      },
      cancel: endEarly,
    },
    { highWaterMark: 0 },
  );
  if (watchBearer) watching.add(body);
  return body;
}

/** Ends a generator without waiting for what it is about. */
export function abandon(generator: AsyncIterator<unknown>): void {
  Promise.resolve(generator.return?.()).catch(() => undefined);
}
