import type { Services } from '../context.ts';
import type { Viewer } from '../core/viewer.ts';
import type { RequestNotes } from '../http/log/request-log.ts';
import type { Endpoint } from './endpoint.ts';
import type { AnswerCompiled } from './run.ts';
import type { OperationParams } from './saved/trusted.ts';

/** Runs a request of GraphQL for a viewer, and resolves with the response that POST /graphql would have. */
export type Execute = (asked: OperationParams, viewer: Viewer, requestNotes: RequestNotes) => Promise<Response>;

const accept = 'application/graphql-response+json';

/** Creates the access of other surfaces to whole responses of the graph: the same ways that POST /graphql has. */
export function createExecute(
  services: Services,
  open: () => Promise<Endpoint>,
  answerCompiled: AnswerCompiled,
): Execute {
  return async (asked, viewer, requestNotes) => {
    const context = { ...services, viewer };
    const answer = await answerCompiled(asked, { context, notes: requestNotes });
    if (answer) {
      const headers = { 'content-type': `${accept}; charset=utf-8`, ...answer.headers };
      return new Response(answer.body, { status: answer.status, headers });
    }
    const { fetch } = await open();
    const request = new Request('http://localhost/graphql', { method: 'POST', headers: { accept } });
    return fetch(request, { ...context, requestNotes, params: asked });
  };
}
