import type { Viewer } from '../../../src/core/viewer.ts';
import type { Gateway, GraphQLAnswer } from './app.ts';

/** Subscriptions that never end by themselves. */
const endless = /\bnewMessages\b/;

/** Runs any operation over HTTP as a viewer. Of a stream it returns the first event, and reads to the end. */
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
      authorization: `Bearer ${await gateway.bearer(viewer)}`,
    },
    body: JSON.stringify({ query, variables }),
  });
  let text = '';
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString();
    const [, first] = /^event: next\ndata: (.*)\n\n/m.exec(text) ?? [];
    // Leaving the loop closes the stream.
    if (first && endless.test(query)) return JSON.parse(first) as GraphQLAnswer;
  }
  // A stream without events.
  if (/^event: complete/m.test(text) && !/^event: next/m.test(text)) return { data: null };
  return JSON.parse(/^event: next\ndata: (.*)$/m.exec(text)?.[1] ?? text) as GraphQLAnswer;
}
