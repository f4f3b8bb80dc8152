import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { ParleyError } from '../core/errors.ts';
import type { Cost } from '../core/load.ts';
import { accessLog } from './log/request-log.ts';
import { requestIdOf } from './request-id.ts';
import { staticHeaders } from './security.ts';

type RefuseRequest = (request: IncomingMessage, response: ServerResponse, failure: ParleyError) => void;

/** Rejects a request before any of its body is read, in the error shape of its path, and logs it. */
export function createRefuse(log: Logger | undefined): RefuseRequest {
  const access = log && accessLog(log);
  return (request, response, { status, headers, body, code, issues }) => {
    const { method = '', url = '' } = request;
    const [path = ''] = url.split('?', 1);
    const { message } = body;
    const isGraphQL = path === '/graphql';
    const shaped = isGraphQL ? { errors: [{ message, extensions: { code, ...(issues && { issues }) } }] } : body;
    const requestId = requestIdOf(request.headers['x-request-id']?.toString());
    const text = JSON.stringify(shaped);
    response.writeHead(status, {
      ...staticHeaders,
      'X-Request-Id': requestId,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(text),
      ...headers,
    });
    response.end(text);
    access?.({ requestId, method, path, status, started: performance.now(), errorCodes: [code] });
  };
}

/** A body of more bytes carries large or bulk content. */
const largeBody = 100_000;

/** Never shed under load: probes, and the keys that others verify our tokens with. */
const alwaysServed = /^\/(health|ready|\.well-known\/jwks\.json)$/;
/** Writes that start a turn or have sources read. */
const expensiveWrites = /^\/(api\/|v1\/chat\/|widget\/messages|rest\/bases)/;

/**
 * The cost class of a request, judged by its head alone; null if it is never refused. GraphQL operations count as cheap
 * until their document is known: see src/graphql/cost.ts.
 */
export function requestCost({
  method = '',
  url = '',
  headers,
}: Pick<IncomingMessage, 'method' | 'url' | 'headers'>): Cost | null {
  const [path = ''] = url.split('?', 1);
  if (alwaysServed.test(path)) return null;
  if (Number(headers['content-length'] ?? 0) > largeBody) return 'expensive';
  if (path === '/graphql') return 'cheap';
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS')
    return path.startsWith('/files/') ? 'ordinary' : 'cheap';
  return method === 'DELETE' || !expensiveWrites.test(path) ? 'ordinary' : 'expensive';
}
