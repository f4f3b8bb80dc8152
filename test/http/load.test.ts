import { request as ask } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { schema } from '../../schema/index.ts';
import { createApp } from '../../src/app.ts';
import { Load } from '../../src/core/load.ts';
import { type Listening, listen } from '../../src/http/server.ts';
import { routes } from '../../src/rest/routes.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
let authorization: string;
let agentId: string;
beforeAll(async () => {
  const home = await makeWorkspace(gateway);
  authorization = `Bearer ${await gateway.bearer(home.owner)}`;
  agentId = (await makeAgent(gateway, home.owner)).id;
});

const bound = 1_000;
/** Two seconds with this much event loop delay, in milliseconds. */
const late = (load: Load, ms: number) => [ms, ms].forEach((delay) => load.measure(delay));

describe.each([
  ['compiled queries', true],
  ['the resolvers', false],
])('under load, before %s,', (_, compiled) => {
  let load: Load;
  let server: Listening;
  beforeEach(async () => {
    await server?.close(0);
    load = new Load({ requests: 5, delayMs: bound });
    const services = { ...gateway.services, load, config: { ...gateway.services.config, compiledQueries: compiled } };
    const app = createApp(services, async () => null);
    server = await listen(
      app.fetch,
      { host: '127.0.0.1', port: 0 },
      { pipeline: app.pipeline, load, log: services.log },
    );
  });
  afterAll(() => server.close(0));

  const send = async (method: string, path: string, body?: unknown, headers: object = {}) => {
    const json = body === undefined ? {} : { 'content-type': 'application/json', body: JSON.stringify(body) };
    const response = await fetch(server.url + path, {
      method,
      headers: { authorization, 'content-type': 'application/json', ...headers },
      ...('body' in json && { body: json.body }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text && JSON.parse(text) };
  };
  const graphql = (query: string, variables: object = {}) => send('POST', '/graphql', { query, variables });
  const expectRefused = (answer: Awaited<ReturnType<typeof send>>, isGraphQL: boolean, retryAfter: string) => {
    const message = `The gateway is overloaded: nothing was done. Try again in ${retryAfter} s.`;
    const code = 'unavailable';
    expect(answer).toMatchObject({
      status: 503,
      body: isGraphQL ? { errors: [{ message, extensions: { code } }] } : { message, code },
    });
    expect(answer.headers.get('retry-after')).toBe(retryAfter);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('x-request-id')).toMatch(/^[\w-]+$/);
  };

  /** Each mutation and subscription, without its variables, so that it does nothing. */
  const roots = [schema.getMutationType(), schema.getSubscriptionType()].flatMap((type) =>
    Object.values(type?.getFields() ?? {}).map(({ name, args, extensions, type: answered }) => {
      const kind = type === schema.getMutationType() ? 'mutation' : 'subscription';
      const declared = args.map((arg) => `$${arg.name}: ${String(arg.type)}`).join(', ');
      const passed = args.map((arg) => `${arg.name}: $${arg.name}`).join(', ');
      const selected = 'getFields' in answered || String(answered).match(/^[A-Z]/) ? ' { __typename }' : '';
      return {
        name,
        expensive: extensions.parleyExpensive === true,
        query: `${kind} (${declared}) { ${name}(${passed})${selected} }`,
      };
    }),
  );
  const small = '{ agents(first: 20) { nodes { id name status } } }';
  const large = '{ conversations(first: 100) { nodes { messages(first: 100) { nodes { id content role } } } } }';
  const path = (route: (typeof routes)[number]) => route.path.replaceAll(/\{\w+\}/g, 'x');

  test('what keeps a model, another server or the reader of sources busy is refused first', async () => {
    late(load, bound);
    expect(roots.filter(({ expensive }) => expensive).map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'sendMessage',
        'streamMessage',
        'generateCopy',
        'importPlugin',
        'addSource',
        'createBase',
      ]),
    );
    for (const { name, expensive, query } of roots) {
      const answer = await graphql(query);
      if (expensive) expectRefused(answer, true, '5');
      else expect([name, answer.status, answer.body.errors[0].extensions.code]).not.toContain('unavailable');
    }
    expectRefused(await graphql(large), true, '5');
    expectRefused(await graphql('{ conversations { nodes { export } } }'), true, '5');
    expectRefused(await graphql(`${small} #${'x'.repeat(110_000)}`), true, '5');
    for (const route of routes) {
      const answer = await send(route.method.toUpperCase(), path(route), route.body && {});
      const isExpensive =
        route.method !== 'get' && /^\/(api\/|rest\/bases)/.test(route.path) && route.method !== 'delete';
      if (isExpensive) expectRefused(answer, false, '5');
      else expect([route.path, answer.status]).not.toContain(503);
    }
    expectRefused(await send('POST', '/widget/messages', {}), false, '5');
    expectRefused(await send('POST', '/rest/leads', { name: 'x'.repeat(110_000) }), false, '5');
    expect(await graphql(small)).toMatchObject({ status: 200, body: { data: {} } });
  });

  test('then what writes, then what reads, and the probes never', async () => {
    late(load, bound * 1.5);
    expectRefused(await send('POST', '/rest/leads', { name: 'Ana' }), false, '2');
    expectRefused(await graphql('mutation { createLead(input: { name: "Ana" }) { lead { id } } }'), true, '2');
    expect((await send('GET', '/rest/agents')).status).toBe(200);
    expect((await graphql(small)).status).toBe(200);
    late(load, bound * 2);
    expectRefused(await send('GET', '/rest/agents'), false, '1');
    expectRefused(await graphql(small), true, '1');
    expectRefused(await send('GET', '/unknown'), false, '1');
    late(load, bound * 1_000);
    for (const probe of ['/health', '/ready', '/.well-known/jwks.json']) {
      expect([probe, (await send('GET', probe)).status]).toEqual([probe, 200]);
    }
  });

  test('nothing was done for what is refused, and the same is done when the load is gone', async () => {
    const before = await gateway.database.lead.count();
    const query = 'mutation ($name: String!) { createLead(input: { name: $name }) { lead { name } } }';
    late(load, bound * 1.5);
    expect((await graphql(query, { name: 'Ana' })).status).toBe(503);
    expect((await send('POST', '/rest/leads', { name: 'Eva' })).status).toBe(503);
    expect(await gateway.database.lead.count()).toBe(before);
    load.measure(0);
    expect((await graphql(query, { name: 'Ana' })).body).toEqual({ data: { createLead: { lead: { name: 'Ana' } } } });
    expect((await send('POST', '/rest/leads', { name: 'Eva' })).status).toBe(200);
    expect(await gateway.database.lead.count()).toBe(before + 2);
  });

  test('a single pause of the event loop refuses nothing', async () => {
    for (const delay of [0, 30_000, 0, 30_000, 0]) {
      load.measure(delay);
      expect(load.isCalm).toBe(true);
    }
    expect((await send('POST', `/api/${agentId}`, {})).status).toBe(400);
  });

  test('a refusal reaches who sends all of a large body before looking for it, and the connection serves on', async () => {
    late(load, bound);
    const answer = await send('POST', '/rest/bases', { description: 'x'.repeat(8_000_000) });
    expectRefused(answer, false, '5');
    expect((await send('GET', '/rest/agents')).status).toBe(200);
  });
});

describe('requests in flight', () => {
  const held: (() => void)[] = [];
  const waiting = () => new Promise<void>((resolve) => void held.push(resolve));
  const release = () => held.splice(0).forEach((resolve) => resolve());
  let load: Load;
  let server: Listening;
  beforeEach(async () => {
    release();
    await server?.close(0);
    load = new Load({ requests: 4, delayMs: bound });
    const answer = async (request: Request): Promise<Response> => {
      const body = new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode('begun')) });
      if (request.url.endsWith('/stream'))
        return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
      await waiting();
      return new Response('done');
    };
    server = await listen(answer, { host: '127.0.0.1', port: 0 }, { load });
  });
  afterAll(() => server.close(0));
  const turn = () => fetch(`${server.url}/api/x`, { method: 'POST' });
  const read = () => fetch(`${server.url}/rest/agents`);

  test('past the bound, what is expensive is refused at once, and what has begun is answered', async () => {
    const first = Array.from({ length: 4 }, turn);
    await expect.poll(() => load.requests).toBe(4);
    expect((await turn()).status).toBe(503);
    const reads = Array.from({ length: 4 }, read);
    await expect.poll(() => load.requests).toBe(8);
    expect((await read()).status).toBe(503);
    expect((await turn()).headers.get('retry-after')).toBe('5');
    release();
    expect((await Promise.all([...first, ...reads])).map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(load.requests).toBe(0);
    const next = turn();
    await expect.poll(() => load.requests).toBe(1);
    release();
    expect((await next).status).toBe(200);
  });

  test('a stream counts until it begins, and who leaves counts until its work is done', async () => {
    const streams = await Promise.all(Array.from({ length: 6 }, () => fetch(`${server.url}/stream`)));
    expect(load.requests).toBe(0);
    await Promise.all(streams.map(async ({ body }) => body?.cancel()));
    const leaver = ask(`${server.url}/api/x`, { method: 'POST' }).end();
    leaver.on('error', () => {});
    await expect.poll(() => load.requests).toBe(1);
    leaver.destroy();
    await expect.poll(() => leaver.closed).toBe(true);
    expect(load.requests).toBe(1);
    release();
    await expect.poll(() => load.requests).toBe(0);
  });
});

test('answers that nobody reads are a load too', () => {
  const load = new Load({ requests: 10, delayMs: bound });
  load.unreadBytes = 199_999_999;
  expect(load.refusal('expensive')).toBeNull();
  load.unreadBytes = 200_000_000;
  expect(load.refusal('expensive')).toMatchObject({ code: 'unavailable', status: 503 });
  expect(load.refusal('ordinary')).toBeNull();
});

test('the event loop is measured: one that is kept busy is late, one that is free is not', async () => {
  const load = new Load({ requests: 10, delayMs: bound });
  const stop = load.watch();
  let busy = true;
  const work = () => {
    const end = performance.now() + 300;
    while (performance.now() < end);
    if (busy) setImmediate(work);
  };
  work();
  await expect.poll(() => load.delayMs).toBeGreaterThan(100);
  busy = false;
  await expect.poll(() => load.isCalm).toBe(true);
  stop();
});
