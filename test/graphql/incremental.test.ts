import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listen } from '../../src/http/server.ts';
import { statementsOf } from '../support/database/database.ts';
import { borrowDatabase } from '../support/database/shared-database.ts';
import { type Gateway, openGateway } from '../support/gateway/app.ts';
import { withStoppedClock } from '../support/gateway/stopped-clock.ts';
import { merged, type Part, readParts } from '../support/graphql/parts.ts';
import { makeWorld, type World } from '../support/world/world.ts';

let gateway: Gateway;
let world: World;
/** Runs before the database counts leads; tests can replace it. */
let beforeCount: () => Promise<void>;
let counted: string[];

beforeAll(async () => {
  const handle = await borrowDatabase();
  const client = handle.client.$extends({
    query: {
      lead: {
        async count({ args, query }) {
          counted.push('leads');
          await beforeCount();
          return query(args);
        },
      },
      base: {
        count({ args, query }) {
          counted.push('bases');
          return query(args);
        },
      },
    },
  });
  gateway = await openGateway({}, { database: client as never }, handle);
  world = await makeWorld(gateway);
});
afterAll(() => gateway.close());
beforeEach(() => {
  beforeCount = async () => undefined;
  counted = [];
});

async function ask(accept: string | undefined, query: string, variables: object = {}): Promise<Response> {
  return gateway.app.request('/graphql', {
    method: 'POST',
    headers: {
      ...(accept && { accept }),
      'content-type': 'application/json',
      authorization: `Bearer ${await gateway.bearer(world.owner)}`,
    },
    body: JSON.stringify({ query, variables }),
  });
}

async function partsOf(accept: string, query: string, variables?: object): Promise<Part[]> {
  const parts: Part[] = [];
  for await (const part of readParts(await ask(accept, query, variables))) parts.push(part);
  return parts;
}

const later = `query ($later: Boolean! = true) {
  leads(first: 1) { ... @defer(if: $later, label: "count") { totalCount countUpTo { count } } nodes { name } }
  agents { nodes @stream(initialCount: 1) { id ... @defer { name conversations { totalCount nodes { title } } } } }
  conversations { nodes { id ...Whole @defer } }
}
fragment Whole on Conversation { export messages { nodes { content } } }`;
const atOnce = later.replaceAll(/@(defer|stream)(\([^)]*\))?/g, '').replace('($later: Boolean! = true)', '');
const accepts = [
  'multipart/mixed',
  'multipart/mixed;deferSpec=20220824,application/graphql-response+json,application/json;q=0.9',
  'multipart/mixed;incrementalSpec=v0.2,application/graphql-response+json,application/json;q=0.9',
  'application/graphql-response+json, application/json, multipart/mixed',
  'text/event-stream',
  'text/event-stream; incrementalSpec=v0.2',
];

describe('@defer and @stream', () => {
  test.each(accepts)('give in parts what a whole answer holds, with Accept: %s', async (accept) => {
    const parts = await partsOf(accept, later);
    expect(parts.map(({ hasNext }) => hasNext)).toEqual(parts.map((_, at) => at < parts.length - 1));
    expect(parts[0]?.data).toEqual({
      leads: { nodes: [{ name: expect.any(String) }] },
      agents: { nodes: [{ id: expect.any(String) }] },
      conversations: { nodes: [{ id: expect.any(String) }, { id: expect.any(String) }] },
    });
    const whole = (await (await ask(undefined, atOnce)).json()) as { data: object };
    expect(merged(parts)).toEqual({ data: whole.data, errors: [] });
  });

  test('say what is to come by the draft of today only to callers that ask for it', async () => {
    const [older] = await partsOf('multipart/mixed', later);
    const [today] = await partsOf('multipart/mixed;incrementalSpec=v0.2', later);
    expect(Object.keys(older ?? {}).sort()).toEqual(['data', 'hasNext']);
    expect(today?.pending?.[0]).toEqual({ id: '0', path: ['leads'], label: 'count' });
  });

  test('give what is there while the slow part is still being made', async () => {
    const held = Promise.withResolvers<void>();
    beforeCount = () => held.promise;
    const parts = readParts(await ask('multipart/mixed', '{ leads { ... @defer { totalCount } nodes { name } } }'));
    const first = (await parts.next()).value as Part;
    expect(first).toMatchObject({ data: { leads: { nodes: [{}, {}] } }, hasNext: true });
    held.resolve();
    const second = (await parts.next()).value as Part;
    expect(second).toMatchObject({ incremental: [{ data: { totalCount: 2 }, path: ['leads'] }], hasNext: false });
  });

  test('begin nothing more for a caller that has left', async () => {
    const query = '{ ... @defer { leads { totalCount } ... @defer { bases { totalCount } } } }';
    await partsOf('multipart/mixed', query);
    expect(counted).toEqual(['leads', 'bases']);
    const held = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    beforeCount = () => {
      reached.resolve();
      return held.promise;
    };
    const parts = readParts(await ask('multipart/mixed', query));
    await parts.next();
    await reached.promise;
    await parts.return();
    held.resolve();
    await partsOf('multipart/mixed', '{ leads { ... @defer { totalCount } } }');
    expect(counted).toEqual(['leads', 'bases', 'leads', 'leads']);
  });

  test('need one statement for what is deferred in every row', async () => {
    const query = '{ agents { nodes { id ... @defer { name conversations { totalCount nodes { title } } } } } }';
    const { statements } = await withStoppedClock(async () => {
      await partsOf('multipart/mixed', query);
      return statementsOf(() => partsOf('multipart/mixed', query));
    });
    expect(statements.filter((statement) => !/^(BEGIN|COMMIT|SET)\b/.test(statement))).toHaveLength(2);
  });

  test('over a port come as they are made', async () => {
    const held = Promise.withResolvers<void>();
    beforeCount = () => held.promise;
    const server = await listen(gateway.app.fetch as never, { host: '127.0.0.1', port: 0 });
    try {
      const response = await fetch(`${server.url}/graphql`, {
        method: 'POST',
        headers: {
          accept: 'multipart/mixed',
          'content-type': 'application/json',
          authorization: `Bearer ${await gateway.bearer(world.owner)}`,
        },
        body: JSON.stringify({ query: '{ leads { nodes { id } ... @defer { totalCount } } }' }),
      });
      expect(response.headers.get('x-accel-buffering')).toBe('no');
      const parts = readParts(response);
      expect(await parts.next()).toMatchObject({ value: { hasNext: true } });
      held.resolve();
      expect(await parts.next()).toMatchObject({ value: { incremental: [{ data: { totalCount: 2 } }] } });
      expect(await parts.next()).toEqual({ done: true, value: undefined });
    } finally {
      await server.close(100);
    }
  });
});

describe('without Accept of parts', () => {
  test.each([undefined, '*/*', 'application/json', 'application/graphql-response+json'])(
    '%s gets one body, the one of the same operation without them',
    async (accept) => {
      const response = await ask(accept, later);
      expect(response.headers.get('x-parley-compiled')).toBeNull();
      expect(await response.json()).toEqual(await (await ask(accept, atOnce)).json());
    },
  );

  test('what is not to come later comes at once', async () => {
    const response = await ask(
      'multipart/mixed, application/json',
      '{ leads { ... @defer(if: false) { totalCount } } }',
    );
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await response.json()).toEqual({ data: { leads: { totalCount: 2 } } });
  });
});

describe.each(['multipart/mixed', 'multipart/mixed;incrementalSpec=v0.2'])('a failure, with Accept: %s,', (accept) => {
  test('of a part is told with it, with its code and place, and leaves the others', async () => {
    const query = `{ agents(first: 1) { nodes { id ... @defer { conversations(first: 500) { nodes { id } } } } }
      leads { ... @defer { totalCount } } }`;
    const { data, errors } = merged(await partsOf(accept, query));
    expect(data).toMatchObject({ leads: { totalCount: 2 } });
    expect(errors).toMatchObject([
      {
        message: 'first: must be between 0 and 100, got 500.',
        path: ['agents', 'nodes', 0, 'conversations'],
        extensions: { code: 'invalid_request' },
      },
    ]);
  });

  test('that nobody foresaw shows nothing of itself', async () => {
    beforeCount = async () => {
      throw new Error('relation "secret" is at 10.0.0.7');
    };
    const parts = await partsOf(accept, '{ leads { nodes { id } ... @defer { totalCount } } }');
    expect(JSON.stringify(parts)).not.toContain('secret');
    expect(merged(parts).errors).toMatchObject([{ extensions: { code: 'internal_error' } }]);
  });

  test('of limits is told at first, whatever is deferred', async () => {
    const inner = Array.from({ length: 1_000 }, (_, at) => `f${at}: id`).join(' ');
    const parts = await partsOf(accept, `{ agents(first: 100) { nodes { id ... @defer { ${inner} } } } }`);
    expect(parts).toMatchObject([{ errors: [{ message: expect.stringMatching(/^The operation is too large/) }] }]);
  });

  test.each([
    ['a list is streamed only', '{ agent(id: "x") @stream { id } }', /non-list/],
    [
      'a mutation is not deferred',
      'mutation { ... @defer { deleteLead(input: { id: "x" }) { lead { id } } } }',
      /root/,
    ],
    [
      'labels are unique',
      '{ ... @defer(label: "a") { a: __typename } ... @defer(label: "a") { b: __typename } }',
      /uniq/,
    ],
    [
      'a subscription does not',
      'subscription { streamMessage(input: { agentId: "x" }) { id turn { ... @defer { messages { id } } } } }',
      /subscription/i,
    ],
  ])('%s', async (_, query, message) => {
    expect(await partsOf(accept, query)).toMatchObject([
      { errors: [{ message: expect.stringMatching(message), extensions: { code: 'invalid_request' } }] },
    ]);
  });
});
