import type { WatchBearer } from './log/request-log.ts';

/** The texts of a stream, one after the other. */
export type Texts = {
  /** Resolves with what comes next; never rejects. */
  next: () => Promise<{ text: string; isLast: boolean }>;
  /** Called when the stream ends before its last text: its reader has left, or its bearer is over. */
  leave: () => void;
  /** Sent at once. */
  first?: string;
  /** Sent every `pingMs` milliseconds. */
  ping: string;
  pingMs: number;
  /** Ends the stream with the bearer of its request. */
  watchBearer?: WatchBearer | undefined;
};

/** Creates the body of a response that is sent as it is made, at its reader's pace. */
export function textStream({ next, leave, first, ping, pingMs, watchBearer }: Texts): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const pingBytes = encoder.encode(ping);
  let pinging: NodeJS.Timeout;
  let unwatch: (() => void) | undefined;
  let isOver = false;
  const end = () => {
    isOver = true;
    clearInterval(pinging);
    unwatch?.();
  };
  const endEarly = () => {
    end();
    leave();
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      if (first) controller.enqueue(encoder.encode(first));
      // No further ping while something is unread, since each would be kept in memory.
      pinging = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(pingBytes);
      }, pingMs);
      unwatch = watchBearer?.(() => {
        endEarly();
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
    cancel: endEarly,
  });
}
