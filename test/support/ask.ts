import type { Viewer } from '../../src/core/viewer.ts';
import type { Gateway, GraphQLAnswer } from './app.ts';

/** Subscriptions that end when nobody listens. */
const endless = /\bnewMessages\b/;

/** Runs any operation over HTTP as a viewer; of a stream, the answer is its first event, and all of it is read if it ends. */
export async function ask(
  gateway: Gateway,
  viewer: Viewer | string,
  query: string,
  variables: object,
): Promise<GraphQLAnswer> {
  if (!query.startsWith('subscription')) return gateway.graphql(viewer, query, variables);
  const response = await gateway.app.request('/graphql', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      authorization: `Bearer ${typeof viewer === 'string' ? viewer : await gateway.bearer(viewer)}`,
    },
    body: JSON.stringify({ query, variables }),
  });
  let text = '';
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString();
    const [, first] = /^event: next\ndata: (.*)\n\n/m.exec(text) ?? [];
    // Leaving the loop leaves the stream.
    if (first && endless.test(query)) return JSON.parse(first) as GraphQLAnswer;
  }
  // A stream that had nothing to say.
  if (/^event: complete/m.test(text) && !/^event: next/m.test(text)) return { data: null };
  return JSON.parse(/^event: next\ndata: (.*)$/m.exec(text)?.[1] ?? text) as GraphQLAnswer;
}
