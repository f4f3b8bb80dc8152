import { type Client, type ClientOptions, createClient, NetworkError } from 'graphql-sse';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Listening, listen } from '../../src/http/server.ts';
import { say, useStreaming } from '../support/conversations/streaming.ts';

const { world, usage } = useStreaming();
let servers: { here: Listening; replica: Listening };
let authorization: string;
beforeAll(async () => {
  const open = (fetch: unknown) => listen(fetch as never, { host: '127.0.0.1', port: 0 });
  servers = { here: await open(world.gateway.app.fetch), replica: await open(world.replica.fetch) };
  authorization = `Bearer ${await world.gateway.bearer(world.home.app)}`;
});
afterAll(async () => {
  await servers.here.close(100);
  await servers.replica.close(100);
});

/** The protocol's client in distinct connections mode, as a page would create it. */
function connect(options: Partial<ClientOptions> = {}, server: keyof typeof servers = 'here'): Client {
  const url = `${servers[server].url}/graphql`;
  return createClient({ url, headers: { authorization }, retryAttempts: 0, ...options });
}

const query = `subscription ($input: SendMessageInput!, $after: ID) {
  streamMessage(input: $input, after: $after) { id part turn { conversation { id } messages { content } } }
}`;
const ask = (content: string, after?: string) => ({
  query,
  variables: { input: { agentId: world.agent.id, ...say(content) }, after },
});
type Told = { streamMessage: { id: string; part: { type: string; delta?: string }; turn: object | null } };
type Event = Told['streamMessage'];

const eventOf = ({ data, errors }: { data?: Told | null; errors?: unknown }): Event => {
  expect(errors).toBeUndefined();
  return (data as Told).streamMessage;
};

async function all<T>(results: AsyncIterable<T>): Promise<T[]> {
  const told: T[] = [];
  for await (const result of results) told.push(result);
  return told;
}

/** The first events, up to the first word. */
async function firstWord(results: AsyncIterableIterator<{ data?: Told | null }>): Promise<Event[]> {
  const seen: Event[] = [];
  while (seen.at(-1)?.part.type !== 'text-delta') seen.push(eventOf((await results.next()).value));
  return seen;
}

/** The error that the client throws. */
const refusalOf = (client: Client, request: { query: string; variables?: Record<string, unknown> }) =>
  all(client.iterate(request)).then(
    () => null,
    (error: NetworkError) => error,
  );

describe('GraphQL over server-sent events', () => {
  test('tells a turn while it is made, and completes', async () => {
    const results = connect().iterate<Told>(ask('Hello'));
    const call = await world.model.next();
    call.say('One');
    expect((await firstWord(results)).map(({ part }) => part.type)).toEqual([
      'start',
      'start-step',
      'text-start',
      'text-delta',
    ]);
    call.say(' two').end();
    const rest = (await all(results)).map(eventOf);
    expect(rest.map(({ part }) => part.type)).toEqual(['text-delta', 'text-end', 'finish', 'data-turn']);
    expect(rest.at(-1)?.turn).toMatchObject({ messages: [{ content: 'One two' }] });
  });

  test('answers queries and mutations, with one event each', async () => {
    expect(await all(connect().iterate({ query: '{ agents { totalCount } }' }))).toEqual([
      { data: { agents: { totalCount: 1 } } },
    ]);
    const mutation = 'mutation { updateAgent(input: { id: "agt_none", name: "x" }) { agent { id } } }';
    expect(await all(connect().iterate({ query: mutation }))).toMatchObject([
      { errors: [{ extensions: { code: 'not_found' } }] },
    ]);
  });

  test.each([
    ['a document that does not parse', 'subscription {', {}, 'invalid_request'],
    ['one that does not fit the graph', 'subscription { streamNothing { id } }', {}, 'invalid_request'],
    ['variables that do not fit', query, { input: { agentId: 1, message: {} } }, 'invalid_request'],
    ['an agent that is not there', query, { input: { agentId: 'agt_none', ...say('x') } }, 'not_found'],
  ])('tells of %s in an event, since a browser shows no other body', async (_, document, variables, code) => {
    const [first, ...rest] = await all(connect().iterate({ query: document, variables }));
    expect(first).toMatchObject({ errors: [{ extensions: { code } }] });
    expect(rest).toEqual([]);
  });

  test.each([
    ['no bearer', {}],
    ['a wrong bearer', { authorization: 'Bearer x' }],
  ])('refuses %s with 401, before any stream', async (_, headers) => {
    const error = await refusalOf(connect({ headers }), ask('x'));
    expect(error).toBeInstanceOf(NetworkError);
    expect(error?.response?.status).toBe(401);
  });

  test('tells of a failure after the reply began in its last event', async () => {
    const results = connect().iterate<Told>(ask('Break'));
    const call = await world.model.next();
    call.say('One');
    await firstWord(results);
    call.hangUp();
    const events = (await all(results)).map(eventOf);
    expect(events.at(-1)).toMatchObject({ part: { type: 'error', code: 'model_error' }, turn: null });
  });

  test('tells of a failure before the first word in one event, and nobody asks again', async () => {
    const turns = () => world.gateway.database.turn.count();
    const before = await turns();
    const asked = all(connect({ retryAttempts: 3, retry: async () => {} }).iterate(ask('Hello')));
    (await world.model.next()).fail(400);
    const results = await asked;
    expect(results.at(-1)).toMatchObject({
      errors: [{ path: ['streamMessage'], extensions: { code: 'model_error' } }],
    });
    expect(await turns()).toBe(before + 1);
  });

  test('shows that it lives as often as STREAM_PING_MS says', async () => {
    const response = await fetch(`${servers.here.url}/graphql`, {
      method: 'POST',
      headers: { accept: 'text/event-stream', 'content-type': 'application/json', authorization },
      body: JSON.stringify(ask('Slow')),
    });
    const call = await world.model.next();
    const decoder = new TextDecoder();
    let text = '';
    let told = false;
    for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(bytes, { stream: true });
      // Two pings may arrive in one chunk.
      if (text.split(': ping\n\n').length < 3 || told) continue;
      call.say('At last').end();
      told = true;
    }
    expect(
      text.split('\n\n').filter((block) => !/^(:.*|event: next\ndata: \{.*|event: complete\ndata:|)$/.test(block)),
    ).toEqual([]);
    expect(response.headers.get('x-accel-buffering')).toBe('no');
  });

  test('of who leaves stops nothing: another connection, on another replica, takes it up behind the last event', async () => {
    const before = await usage();
    const results = connect().iterate<Told>(ask('Drop'));
    const call = await world.model.next();
    call.say('One');
    const last = (await firstWord(results)).at(-1);
    await results.return?.();
    call.say(' two').end();
    const resumed = (await all(connect({}, 'replica').iterate<Told>(ask('Drop', last?.id)))).map(eventOf);
    expect(resumed.map(({ part }) => part.type)).toEqual(['text-delta', 'text-end', 'finish', 'data-turn']);
    expect(resumed.at(-1)?.turn).toMatchObject({ messages: [{ content: 'One two' }] });
    expect(await usage()).toBe(before + 1);
  });

  test('is refused over one connection for all, which the replicas could not share', async () => {
    const client = createClient({
      singleConnection: true,
      url: `${servers.here.url}/graphql`,
      headers: { authorization },
      retryAttempts: 0,
    });
    const error = await new Promise((resolve) =>
      client.subscribe(ask('x'), { next: resolve, complete: () => resolve(null), error: resolve }),
    );
    expect(error).toMatchObject({ response: { status: 405 } });
  });
});
