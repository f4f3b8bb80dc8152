import { inChildSpan } from './tracing.ts';

type Options = {
  method: string;
  /** Neither its path nor its query is recorded: they may contain secrets and what a person wrote. */
  url: URL;
  /** Whether the other side learns the trace: it gets a `traceparent`, but no `tracestate` or `baggage`. */
  propagates: boolean;
};

/**
 * Sends a request in a span of kind `client`, if it has a parent. `send` gets the headers to add. The span ends when
 * the status is known.
 */
export function inHttpSpan<Answer extends { status: number }>(
  { method, url, propagates }: Options,
  send: (headers: Record<string, string>) => Promise<Answer>,
): Promise<Answer> {
  const describe = () => ({
    name: method,
    kind: 'client' as const,
    attributes: {
      'http.request.method': method,
      'server.address': url.hostname,
      'server.port': Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
      'url.scheme': url.protocol.slice(0, -1),
    },
  });
  return inChildSpan(describe, async (span) => {
    const answer = await send(span && propagates ? { traceparent: span.traceparent } : {});
    span?.set({ 'http.response.status_code': answer.status });
    if (answer.status >= 400) span?.fail(String(answer.status));
    return answer;
  });
}
