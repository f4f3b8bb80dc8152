import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MiddlewareHandler } from 'hono';
import { isTracing } from '../core/tracing.ts';
import { endDeadline, setRequestId, withDeadline } from '../database/deadline.ts';
import { codingFor, minCompressedSize } from './compression.ts';
import { compressResponse } from './content-coding.ts';
import type { HttpVariables } from './log/request-log.ts';
import { maxStaleOf } from './max-stale.ts';
import type { FinishedResponse, Pipeline } from './pipeline.ts';
import { receivedBefore, receiveFetch, receiveNode } from './received.ts';
import { traceRequest } from './request-span.ts';

type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Answers by the pipeline, straight from node:http, and passes what it leaves to `listener`. */
export function createNodeListener(pipeline: Pipeline, listener: Listener): Listener {
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const received = receiveNode(request);
    if (received) setRequestId(received.requestId);
    try {
      const answered = received && (await pipeline(received));
      return answered ? await send(request, response, answered) : listener(request, response);
    } catch {
      // Something may have been written: drop the connection rather than run the request a second time.
      return response.destroy();
    }
  };
  const traced: Listener = (request, response) =>
    traceRequest(
      () => tracedRequest(request.method ?? '', request.url ?? '', request.headers.traceparent),
      () => serve(request, response),
      () => (response.closed ? Promise.resolve() : once(response, 'close')),
    );
  return (request, response) =>
    withDeadline(
      pipeline.databaseTimeoutMs,
      () => (isTracing() ? traced : serve)(request, response),
      maxStaleOf(request.headers['cache-control']),
    );
}

const tracedRequest = (method: string, url: string, traceparent: string | string[] | undefined) => ({
  method,
  path: url.split('?', 1)[0] ?? '',
  traceparent: typeof traceparent === 'string' ? traceparent : null,
});

async function send(request: IncomingMessage, response: ServerResponse, answered: FinishedResponse): Promise<void> {
  const { status, headers, body, size } = answered;
  const accepted = request.headers['accept-encoding'];
  const coding = accepted && size >= minCompressedSize ? codingFor(accepted, headOf(answered)) : null;
  if (coding) {
    const sent = await compressResponse[coding](body);
    const kept = headers.map((text, index) => (headers[index - 1] === 'Content-Length' ? String(sent.length) : text));
    response.writeHead(status, [...kept, 'Content-Encoding', coding, 'Vary', 'Accept-Encoding']);
    return void response.end(sent);
  }
  response.writeHead(status, headers);
  // As many bytes as characters means ASCII, which can be written without encoding.
  response.end(body, size === body.length ? 'latin1' : 'utf8');
}

function headOf({ status, headers }: FinishedResponse) {
  // A stored response has its names in lower case.
  const valueOf = (name: string) =>
    headers.find((_, index) => index % 2 === 1 && headers[index - 1]?.toLowerCase() === name) ?? null;
  return { status, contentType: valueOf('content-type'), etag: valueOf('etag') };
}

/** The pipeline for an app that is called through `fetch`, with no node:http server in front of it. */
export function pipelineMiddleware(pipeline: Pipeline): MiddlewareHandler<{ Variables: HttpVariables }> {
  const answer: MiddlewareHandler<{ Variables: HttpVariables }> = async (c, next) => {
    const before = receivedBefore(c.env);
    const { received, isPlain } = before ? { received: before, isPlain: true } : receiveFetch(c);
    c.set('received', received);
    setRequestId(received.requestId);
    // Behind node:http, the listener has already tried the pipeline.
    const answered = isPlain && received.request === c.req.raw ? await pipeline(received) : null;
    if (answered) return responseOf(answered);
    await next();
    // A stream outlives the deadline of its request.
    endDeadline();
  };
  return (c, next) =>
    withDeadline(
      pipeline.databaseTimeoutMs,
      () =>
        traceRequest(
          () => tracedRequest(c.req.method, c.req.path, c.req.header('traceparent')),
          async () => answer(c, next),
        ),
      maxStaleOf(c.req.header('cache-control')),
    );
}

function responseOf({ status, headers, body }: FinishedResponse): Response {
  const pairs = headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1]]] : []));
  return new Response(body, { status, headers: pairs as [string, string][] });
}
