import type { MiddlewareHandler } from 'hono';
import { bearerOf } from '../auth/bearer.ts';
import { ParleyError } from '../core/errors.ts';
import type { Viewer } from '../core/viewer.ts';
import type { HttpVariables } from './log/request-log.ts';

type Options = { verify: (bearer: string) => Promise<Viewer>; checkIntervalMs?: number };

/**
 * Ends a stream within seconds of its bearer becoming invalid or changing its rights: the token expired, the secret was
 * rotated, the member was removed or given another role, on whichever replica. A caller that still has access
 * reconnects.
 */
export function endWithBearer({
  verify,
  checkIntervalMs = 1_000,
}: Options): MiddlewareHandler<{ Variables: HttpVariables }> {
  return async (c, next) => {
    await next();
    const { body, headers } = c.res;
    const viewer = c.get('requestNotes').viewer;
    if (!body || !viewer || !/^(text\/event-stream|multipart\/mixed)/.test(headers.get('content-type') ?? '')) return;
    const bearer = bearerOf(c.req.raw);
    const isOver = async () => {
      try {
        return !isSame(viewer, await verify(bearer));
      } catch (error) {
        // A database that does not respond says nothing about the bearer.
        return error instanceof ParleyError && error.status === 401;
      }
    };
    c.res = new Response(endWhen(isOver, body, checkIntervalMs), c.res);
  };
}

const isSame = (a: Viewer, b: Viewer): boolean =>
  (['workspaceId', 'role', 'userId', 'membershipId', 'appId'] as const).every((name) => a[name] === b[name]);

function endWhen(isOver: () => Promise<boolean>, body: ReadableStream<Uint8Array>, checkIntervalMs: number) {
  const reader = body.getReader();
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  // Cancel both: some streams end only through their reader, others not while they are being read. Failing to cancel is
  // no error.
  const stop = (reason?: unknown) =>
    Promise.any([reader.cancel(reason), body.cancel(reason)]).then(undefined, () => undefined);
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const watch = async () => {
        const over = await isOver();
        if (ended) return;
        if (!over) {
          timer = setTimeout(() => void watch(), checkIntervalMs);
          return;
        }
        ended = true;
        controller.close();
        void stop();
      };
      timer = setTimeout(() => void watch(), checkIntervalMs);
    },
    async pull(controller) {
      const { done, value } = await reader.read().catch((error) => {
        clearTimeout(timer);
        if (!ended) {
          ended = true;
          throw error;
        }
        return { done: true, value: undefined };
      });
      if (ended) return;
      if (!done) return controller.enqueue(value as Uint8Array);
      ended = true;
      clearTimeout(timer);
      controller.close();
    },
    async cancel(reason) {
      ended = true;
      clearTimeout(timer);
      await stop(reason);
    },
  });
}
