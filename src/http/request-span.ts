import { currentSpan, inSpan, isTracing, type Span } from '../core/tracing.ts';
import type { Viewer } from '../core/viewer.ts';

type TracedRequest = { method: string; path: string; traceparent: string | null | undefined };

/**
 * Runs `work`, which answers a request, in a span of kind `server` that lasts until `ended` resolves: a stream goes on
 * after `work` is done. The caller's `traceparent` is its parent.
 */
export function traceRequest<T>(
  describe: () => TracedRequest,
  work: () => Promise<T>,
  ended: () => Promise<unknown> = async () => {},
): Promise<T> {
  if (!isTracing() || currentSpan()) return work();
  const { method, path, traceparent } = describe();
  const attributes = { 'http.request.method': method, 'url.path': path, 'url.scheme': 'http' };
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const traced = inSpan(
    () => ({ name: method, kind: 'server', attributes, remoteParent: traceparent ?? null }),
    async () => {
      await work().then(resolve, reject);
      await ended();
    },
  );
  traced.catch(reject);
  return promise;
}

type Answered = {
  method: string;
  path: string;
  status: number;
  requestId: string;
  compiled?: boolean | undefined;
  route?: string | undefined;
  operation?: string | undefined;
  errorCodes?: string[] | undefined;
  viewer?: Viewer | undefined;
  statements: number;
};

/** Adds to the span of a request what is known once it is answered. */
export function describeAnswer(span: Span, answered: Answered): void {
  const { method, path, status, route = path === '/graphql' ? path : undefined, errorCodes = [] } = answered;
  if (route) span.rename(`${method} ${route}`);
  span.set({
    'http.route': route,
    'http.response.status_code': status,
    'parley.request.id': answered.requestId,
    'parley.operation': answered.operation,
    'parley.workspace.id': answered.viewer?.workspaceId,
    'parley.compiled': answered.compiled ?? false,
    'parley.statements': answered.statements,
    'parley.error_codes': errorCodes.length > 0 ? [...new Set(errorCodes)] : null,
  });
  if (status >= 500) span.fail(String(status));
}
