import type { ExecutionResult, GraphQLError } from 'graphql';
import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import type { Logger } from 'pino';
import { formatError } from '../format-error.ts';

const boundary = 'graphql';
const contentType = `multipart/mixed; boundary="${boundary}"; subscriptionSpec="1.0"`;
const named = /^\s*multipart\/mixed\s*;.*\bsubscriptionSpec\s*=\s*"?1\.0"?\s*(;|$)/i;

/**
 * Whether a request wants a subscription the way Apollo Client does: as parts of one body, by Apollo's protocol 1.0.
 */
export const acceptsMultipartSubscription = ({ headers }: Request): boolean =>
  (headers.get('accept') ?? '').split(',').some((range) => named.test(range));

/**
 * Subscriptions over multipart: each result is the `payload` of a part, an empty part every `pingMs` milliseconds keeps
 * the stream alive, and a fatal error comes as `errors` next to a null payload.
 */
export function multipartSubscriptions(pingMs: number, log: Logger): Plugin {
  const asked = new WeakSet<Request>();
  return {
    onSubscribe({ args: { contextValue } }) {
      const { request } = contextValue as { request: Request };
      if (acceptsMultipartSubscription(request)) asked.add(request);
    },
    onResultProcess({ request, result, setResultProcessor }) {
      if (!asked.has(request) || !isAsyncIterable(result)) return;
      const results = result as AsyncIterable<ExecutionResult>;
      const write = () =>
        new Response(partsOf(results, pingMs, log), { headers: { 'content-type': contentType } }) as never;
      setResultProcessor(write, 'multipart/mixed');
    },
  };
}

function partsOf(results: AsyncIterable<ExecutionResult>, pingMs: number, log: Logger): ReadableStream<Uint8Array> {
  const iterator = results[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const part = (body: object) =>
    encoder.encode(`\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(body)}\r\n--${boundary}`);
  let timer: NodeJS.Timeout;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(`\r\n--${boundary}`));
      timer = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(part({}));
      }, pingMs);
    },
    async pull(controller) {
      try {
        const { done, value } = await iterator.next();
        if (!done) return controller.enqueue(part({ payload: withoutStatus(value) }));
      } catch (error) {
        controller.enqueue(part(withoutStatus({ payload: null, errors: [formatError(error, log)] })));
      }
      clearInterval(timer);
      controller.enqueue(encoder.encode('--\r\n'));
      controller.close();
    },
    cancel() {
      clearInterval(timer);
      // Not awaited: cancelling must not wait for the next result.
      Promise.resolve(iterator.return?.()).catch(() => undefined);
    },
  });
}

/** The HTTP status does not belong in a part. */
function withoutStatus<Result extends { errors?: readonly GraphQLError[] }>(result: Result): object {
  if (!result.errors) return result;
  const errors = result.errors.map((error) => {
    const { extensions, ...shown } = error.toJSON();
    const { http: _, ...others } = extensions ?? {};
    return { ...shown, extensions: others };
  });
  return { ...result, errors };
}
