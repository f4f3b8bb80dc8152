/** The gateways' origins, the bearer to use, and the agent to ask. */
export type Target = { origins: string[]; bearer: string; agentId: string };
/** When the first words arrived, by `performance.now`, and how many chunks there were. */
export type StreamTiming = { first: number; pieces: number };
/** One way for a caller to read the reply to a question. */
export type Transport = (target: Target, question: string) => Promise<StreamTiming>;

export const transports: Record<string, Transport> = {
  'REST, server-sent events': async (target, question) => readStream(await ask(target, question), deltaOfRest),

  'GraphQL, subscription': async ({ origins: [origin], bearer, agentId }, question) => {
    const query = 'subscription ($input: SendMessageInput!) { streamMessage(input: $input) { id part } }';
    const variables = { input: { agentId, message: { content: question } } };
    const response = await post(`${origin}/graphql`, bearer, { query, variables });
    return readStream(response, ({ data }) => data?.streamMessage.part.delta);
  },

  'REST, taken up on another replica': async (target, question) => {
    const response = await ask(target, question);
    let last = '';
    // Leaving the loop closes the stream, before the model has written a word.
    for await (const { id } of eventsOf(response)) {
      last = id;
      break;
    }
    const [, other = ''] = target.origins;
    return readStream(await ask({ ...target, origins: [other] }, question, { 'last-event-id': last }), deltaOfRest);
  },
};

const deltaOfRest = ({ delta }: Json) => delta;

const ask = ({ origins: [origin], bearer, agentId }: Target, content: string, headers: Record<string, string> = {}) =>
  post(`${origin}/api/${agentId}`, bearer, { message: { content } }, headers);

async function post(url: string, bearer: string, body: object, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${bearer}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${(await response.text()).slice(0, 300)}`);
  return response;
}

/** An event of REST, or of a subscription. */
type StreamPart = { type?: string; delta?: string };
type Json = StreamPart & { data?: { streamMessage: { part: StreamPart } }; errors?: unknown };

/** Reads a stream to its end. `deltaOf` returns the words in an event. */
async function readStream(response: Response, deltaOf: (data: Json) => string | undefined): Promise<StreamTiming> {
  let first = Number.NaN;
  let pieces = 0;
  for await (const { data } of eventsOf(response)) {
    if (data.type === 'error' || data.errors) throw new Error(JSON.stringify(data));
    if (deltaOf(data) === undefined) continue;
    if (pieces === 0) first = performance.now();
    pieces += 1;
  }
  if (pieces === 0) throw new Error('A stream brought no words.');
  return { first, pieces };
}

async function* eventsOf(response: Response): AsyncGenerator<{ id: string; data: Json }> {
  let text = '';
  for await (const chunk of (response.body as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(
    new TextDecoderStream(),
  )) {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = /^data: (\{.*)$/m.exec(block)?.[1];
      if (data) yield { id: /^id: (.*)$/m.exec(block)?.[1] ?? '', data: JSON.parse(data) };
    }
  }
}
