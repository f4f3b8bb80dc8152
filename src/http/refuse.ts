import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { ParleyError } from '../core/errors.ts';
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
