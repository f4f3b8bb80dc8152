import { isUtf8 } from 'node:buffer';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MiddlewareHandler } from 'hono';
import { isTracing } from '../core/tracing.ts';
import { endDeadline, withDeadline } from '../database/deadline.ts';
import { codingFor, minCompressedSize } from './compression.ts';
import { compressResponse } from './content-coding.ts';
import type { FastPath, FastRequest, FinishedResponse } from './fast-path.ts';
import { maxStaleOf } from './max-stale.ts';
import { traceRequest } from './request-span.ts';
import { admit } from './unfinished-bodies.ts';

/** In bytes. Larger bodies are left to the app. */
const MAX_BODY = 1_000_000;

type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Serves fast-path requests straight from node:http, and passes the rest to `listener`. */
export function createNodeListener(fastPath: FastPath, listener: Listener): Listener {
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const fastRequest = fromNodeRequest(request);
    try {
      const answered = fastRequest && (await fastPath(fastRequest));
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
      fastPath.databaseTimeoutMs,
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
  const valueOf = (name: string) => headers[headers.indexOf(name) + 1] ?? null;
  return {
    status,
    contentType: valueOf('Content-Type'),
    etag: headers.includes('ETag') ? valueOf('ETag') : null,
  };
}

/** The fast path for an app that is called through `fetch`, with no node:http server in front of it. */
export function fastPathMiddleware(fastPath: FastPath): MiddlewareHandler {
  const answer: MiddlewareHandler = async (c, next) => {
    // Behind node:http, the listener has already tried the fast path.
    const fastRequest = c.env && 'incoming' in c.env ? null : fromFetchRequest(c.req.raw);
    const answered = fastRequest && (await fastPath(fastRequest));
    if (answered) return responseOf(answered);
    await next();
    // A stream outlives the deadline of its request.
    endDeadline();
  };
  return (c, next) =>
    withDeadline(
      fastPath.databaseTimeoutMs,
      () =>
        traceRequest(
          () => tracedRequest(c.req.method, c.req.path, c.req.header('traceparent')),
          async () => answer(c, next),
        ),
      maxStaleOf(c.req.header('cache-control')),
    );
}

const plainTarget = /^(\/[\w/-]*)(?:\?(.*))?$/;
const plainHost = /^[\w.-]+(?::\d{1,5})?$/;

/** Null for anything unusual, which is left to the app. */
function fromNodeRequest(request: IncomingMessage): FastRequest | null {
  const { method = '', url = '', headers } = request;
  const [, path, query = ''] = plainTarget.exec(url) ?? [];
  if (path === undefined || !plainHost.test(headers.host ?? '') || headers.expect !== undefined) return null;
  if (Number(headers['content-length'] ?? 0) > MAX_BODY || headers['transfer-encoding'] !== undefined) return null;
  const get = (name: string) => {
    const value = headers[name];
    return typeof value === 'string' ? value : null;
  };
  const text = () => {
    admit({ incoming: request });
    return readOnce(request).then(decode, () => null);
  };
  return { request, method, path, query, headers: { get }, text };
}

/** Reads the body of a request, and keeps it in `rawBody`, where Hono's listener looks for it. */
function readOnce(request: IncomingMessage & { rawBody?: Buffer }): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (request.rawBody) return resolve(request.rawBody);
    if (request.destroyed) return reject(request.errored);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('error', reject);
    request.once('end', () => {
      request.rawBody = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
      resolve(request.rawBody);
    });
  });
}

const decode = (bytes: Buffer) => (isUtf8(bytes) ? bytes.toString() : null);

function fromFetchRequest(request: Request): FastRequest | null {
  const { pathname, search } = new URL(request.url);
  if (!plainTarget.test(pathname)) return null;
  let body: Promise<string | null> | undefined;
  const read = async () => {
    const bytes = Buffer.from(await request.clone().arrayBuffer());
    return bytes.length > MAX_BODY ? null : decode(bytes);
  };
  return {
    request,
    method: request.method,
    path: pathname,
    query: search.slice(1),
    headers: request.headers,
    text: () => {
      body ??= read();
      return body;
    },
  };
}

function responseOf({ status, headers, body }: FinishedResponse): Response {
  const pairs = headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1]]] : []));
  return new Response(body, { status, headers: pairs as [string, string][] });
}
