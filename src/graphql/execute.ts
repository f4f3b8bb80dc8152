import type { Services } from '../context.ts';
import type { Viewer } from '../core/viewer.ts';
import type { RequestNotes } from '../http/log/request-log.ts';
import type { Endpoint } from './endpoint.ts';
import type { Compiled, CompiledRequest } from './run.ts';
import { type OperationParams, withTrustedDocument } from './saved/trusted.ts';

/**
 * Runs a request of GraphQL for a viewer, and resolves with the response that POST /graphql would have. Throws a
 * `ParleyError` if the request is refused as a whole.
 */
export type Execute = (asked: OperationParams, viewer: Viewer, requestNotes: RequestNotes) => Promise<Response>;

const accept = 'application/graphql-response+json';

/** Creates the access of other surfaces to whole responses of the graph: the same ways that POST /graphql has. */
export function createExecute(
  services: Services,
  open: () => Promise<Endpoint>,
  compiled: Pick<Compiled, 'answer'> | null,
): Execute {
  return async (asked, viewer, requestNotes) => {
    const context = { ...services, viewer };
    const trusted = await withTrustedDocument(asked, context, requestNotes);
    const body = trusted.query ? await compiled?.answer(trusted as CompiledRequest, context, requestNotes) : null;
    requestNotes.compiled = Boolean(body);
    if (body) return new Response(body, { headers: { 'content-type': `${accept}; charset=utf-8` } });
    const { fetch } = await open();
    const request = new Request('http://localhost/graphql', { method: 'POST', headers: { accept } });
    return fetch(request, { ...context, requestNotes, params: asked });
  };
}
