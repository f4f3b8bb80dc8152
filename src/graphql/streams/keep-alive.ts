import type { Plugin } from 'graphql-yoga';

const ping = new TextEncoder().encode(': ping\n\n');
const newline = 10;

/**
 * Sends a comment every `pingMs` milliseconds in server-sent event streams, between events. Yoga's own interval is
 * fixed at 12 seconds, whatever the timeouts of proxies in front of the gateway.
 */
export function keepAlive(pingMs: number): Plugin {
  return {
    onResponse({ response, setResponse }) {
      if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream')) return;
      const { status, headers } = response;
      setResponse(new Response(pinging(response.body, pingMs), { status, headers }));
    },
  };
}

function pinging(body: ReadableStream<Uint8Array>, pingMs: number): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let timer: NodeJS.Timeout;
  let between = true;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      timer = setInterval(() => {
        if (between && (controller.desiredSize ?? 0) > 0) controller.enqueue(ping);
      }, pingMs);
    },
    async pull(controller) {
      const { done, value } = await reader.read().catch((error) => {
        clearInterval(timer);
        throw error;
      });
      if (!done) {
        between = value.at(-1) === newline && value.at(-2) === newline;
        return controller.enqueue(value);
      }
      clearInterval(timer);
      controller.close();
    },
    // Cancels the reader, which has the stream locked. Yoga's own streams would first wait for the pending read;
    // `body.cancel` ends these at once, while locked streams of other kinds reject it. A rejection of both is no
    // failure.
    async cancel(reason) {
      clearInterval(timer);
      await Promise.any([reader.cancel(reason), body.cancel(reason)]).catch(() => undefined);
    },
  });
}
