import type { MiddlewareHandler } from 'hono';
import { bearerOf } from '../auth/bearer.ts';
import { ParleyError } from '../core/errors.ts';
import type { Viewer } from '../core/viewer.ts';
import type { HttpVariables, WatchBearer } from './log/request-log.ts';
import { watchesBearer } from './text-stream.ts';

type Options = { verify: (bearer: string) => Promise<Viewer>; checkIntervalMs?: number };

/**
 * Ends a stream within seconds of its bearer becoming invalid or changing its rights. A caller that still has access
 * reconnects. A stream that ends itself takes `watchBearer`; others are wrapped.
 */
export function endWithBearer({
  verify,
  checkIntervalMs = 1_000,
}: Options): MiddlewareHandler<{ Variables: HttpVariables }> {
  return async (c, next) => {
    const watchBearer: WatchBearer = (end) => {
      const { viewer } = c.get('requestNotes');
      if (!viewer) return () => {};
      const bearer = bearerOf(c.req.raw);
      const isOver = () =>
        verify(bearer).then(
          (now) => !isSame(viewer, now),
          // A database that does not respond says nothing about the bearer.
          (error) => error instanceof ParleyError && error.status === 401,
        );
      return onceOver(isOver, checkIntervalMs, end);
    };
    c.set('watchBearer', watchBearer);
    await next();
    const { body, headers } = c.res;
    const { viewer } = c.get('requestNotes');
    if (!body || !viewer || watchesBearer(body)) return;
    if (!/^(text\/event-stream|multipart\/mixed)/.test(headers.get('content-type') ?? '')) return;
    c.res = new Response(endingWith(watchBearer, body), c.res);
  };
}

const isSame = (a: Viewer, b: Viewer): boolean =>
  (['workspaceId', 'role', 'userId', 'membershipId', 'appId'] as const).every((name) => a[name] === b[name]);

/** Looks every `ms` milliseconds, until it is over; then calls `end`. Returns what stops it. */
function onceOver(isOver: () => Promise<boolean>, ms: number, end: () => void): () => void {
  let timer: NodeJS.Timeout;
  let isStopped = false;
  const look = async () => {
    const over = await isOver();
    if (isStopped) return;
    if (over) end();
    else wait();
  };
  const wait = () => {
    timer = setTimeout(() => void look(), ms);
  };
  wait();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

function endingWith(watchBearer: WatchBearer, body: ReadableStream<Uint8Array>) {
  const reader = body.getReader();
  let unwatch = () => {};
  let ended = false;
  const end = () => {
    ended = true;
    unwatch();
  };
  // Cancel both: some streams end only through their reader, others not while they are being read. Failing to cancel is
  // no error.
  const stop = (reason?: unknown) =>
    Promise.any([reader.cancel(reason), body.cancel(reason)]).then(undefined, () => undefined);
  return new ReadableStream<Uint8Array>({
    start(controller) {
      unwatch = watchBearer(() => {
        end();
        controller.close();
        void stop();
      });
    },
    async pull(controller) {
      const { done, value } = await reader.read().catch((error) => {
        if (ended) return { done: true, value: undefined };
        end();
        throw error;
      });
      if (ended) return;
      if (!done) return controller.enqueue(value as Uint8Array);
      end();
      controller.close();
    },
    async cancel(reason) {
      end();
      await stop(reason);
    },
  });
}
