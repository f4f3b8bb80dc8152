import type { Context, Services } from '../context.ts';
import type { Viewer } from '../core/viewer.ts';
import type { RequestNotes } from '../http/log/request-log.ts';
import type { Endpoint } from './endpoint.ts';
import { type Asked, withTrustedDocument } from './saved/trusted.ts';

/**
 * Runs a request of GraphQL for a viewer, and resolves with the response that POST /graphql would have. Throws a
 * `ParleyError` if the request is refused as a whole.
 */
export type Execute = (asked: Asked, viewer: Viewer, noted: RequestNotes) => Promise<Response>;

/** Answers by a compiled query; null if the resolvers have to. */
type Compiled = (request: Asked & { query: string }, context: Context, noted: RequestNotes) => Promise<string | null>;

const headers = { 'content-type': 'application/json', accept: 'application/graphql-response+json' };

/** Creates the access of other surfaces to whole responses of the graph: the same ways that POST /graphql has. */
export function createExecute(services: Services, open: () => Promise<Endpoint>, compiled: Compiled | null): Execute {
  return async (asked, viewer, noted) => {
    const context = { ...services, viewer };
    const trusted = await withTrustedDocument(asked, context);
    const body = trusted.query ? await compiled?.(trusted as Asked & { query: string }, context, noted) : null;
    if (body) return new Response(body, { headers: { 'content-type': `${headers.accept}; charset=utf-8` } });
    const { fetch } = await open();
    const request = new Request('http://localhost/graphql', { method: 'POST', headers, body: JSON.stringify(asked) });
    return fetch(request, { ...context, noted });
  };
}
