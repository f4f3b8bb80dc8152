import { type ErrorBody, type ErrorCode, internalError, ParleyError } from '../core/errors.ts';
import type { Viewer } from '../core/viewer.ts';
import { abortable } from '../domain/shared/abortable-generator.ts';
import { bodyOfFailure } from '../graphql/unavailable.ts';
import type { HttpContext } from '../http/log/request-log.ts';
import { type StreamedEvent, type StreamProtocol, streamResponse } from '../rest/stream.ts';
import { type Result, resultOf, type Watches } from './watch.ts';

export const protocol: StreamProtocol = {
  headers: { 'cache-control': 'no-cache' },
  failureEvent: (error) => bodyOfFailure(error instanceof ParleyError ? error : internalError()),
  done: null,
};

type Asked = {
  name: string;
  variables: Record<string, unknown>;
  viewer: Viewer;
  /** The result that there is now. */
  body: string;
  look: () => Promise<Response>;
};

/** Responds with a result, unless the caller has it already, and with each that differs from the one before. */
export function streamResults(
  c: HttpContext,
  watches: Watches,
  { name, variables, viewer, body, look }: Asked,
  { pingMs, log }: { pingMs: number; log: Parameters<typeof streamResponse>[1]['log'] },
): Response {
  const { spend: _, ...rights } = viewer;
  const results = watches.follow({
    key: JSON.stringify([rights, name, variables]),
    workspaceId: viewer.workspaceId,
    first: resultOf(body),
    known: c.req.header('last-event-id') || null,
    look: async () => textOf(await look()),
  });
  return streamResponse(c, { events: mapped(results), pingMs, log, protocol });
}

/** Maps results to events, and leaves at once when its reader does. */
function mapped(results: AsyncGenerator<Result, void>): AsyncGenerator<StreamedEvent, void> {
  return abortable(async function* (signal) {
    signal.addEventListener('abort', () => void results.return());
    for await (const { id, body } of results) yield { id, data: JSON.parse(body) };
  });
}

/** The body of a response. Throws what failed in it. */
async function textOf(response: Response): Promise<string> {
  const text = await response.text();
  if (response.ok) return text;
  const [failed] = (JSON.parse(text) as { errors?: Failed[] }).errors ?? [];
  throw new ParleyError(failed?.extensions?.code ?? 'internal_error', failed?.message ?? 'The operation failed.');
}

type Failed = Pick<ErrorBody, 'message'> & { extensions?: { code?: ErrorCode } };
