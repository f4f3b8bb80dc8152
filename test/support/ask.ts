import type { Viewer } from '../../src/context.ts';
import type { Gateway, GraphQLAnswer } from '../app.ts';

/** Runs any operation over HTTP as a viewer; of a stream, the answer is its first event, and all of it is read. */
export async function ask(gateway: Gateway, viewer: Viewer, query: string, variables: object): Promise<GraphQLAnswer> {
  if (!query.startsWith('subscription')) return gateway.graphql(viewer, query, variables);
  const response = await gateway.app.request('/graphql', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      authorization: `Bearer ${await gateway.bearer(viewer)}`,
    },
    body: JSON.stringify({ query, variables }),
  });
  const text = await response.text();
  return JSON.parse(/^event: next\ndata: (.*)$/m.exec(text)?.[1] ?? text) as GraphQLAnswer;
}
