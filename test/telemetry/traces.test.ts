import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { App } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { isTracing } from '../../src/core/tracing.ts';
import { listen } from '../../src/http/server.ts';
import { startWebhooks } from '../../src/jobs/webhook-deliveries.ts';
import { startTracing } from '../../src/telemetry/traces.ts';
import { type Gateway, openGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { startOpenAiServer } from '../support/model/openai-server.ts';
import { useApiServer } from '../support/plugins/api-server.ts';
import { collectLog } from '../support/telemetry/log-lines.ts';
import { type CollectedSpan, childrenOf, named, outline, startCollector } from '../support/telemetry/otlp-collector.ts';

const key = 'sk-canary-key-0123456789';
const canary = 'Zanzibar pineapple 471108154711';
const api = useApiServer();
const { log, lines } = collectLog('info');
const callersTrace = '4bf92f3577b34da6a3ce929d0e0e4736';
const callersSpan = '00f067aa0ba902b7';
const traceparent = `00-${callersTrace}-${callersSpan}-01`;

let collector: Awaited<ReturnType<typeof startCollector>>;
let model: Awaited<ReturnType<typeof startOpenAiServer>>;
let gateway: Gateway;
let home: TestWorkspace;
let url: string;
let bearer: string;
let close: () => Promise<unknown>;
let endTraces = async () => {};

/** Opens a gateway that records traces, behind a real port. */
async function open(env: Record<string, string> = {}): Promise<void> {
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = collector.url;
  process.env.OTEL_RESOURCE_ATTRIBUTES = 'deployment.environment.name=test';
  const settings = readConfig({ ...env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }).tracing;
  endTraces = startTracing(settings ?? expect.unreachable(), log);
  const models = { MODEL_BASE_URL: model.baseUrl, MODEL_NAME: 'm', MODEL_API_KEY: key };
  gateway = await openGateway({ ...models, ...env }, { log });
  home = await makeWorkspace(gateway);
  bearer = await gateway.bearer(home.owner);
  const { fetch, pipeline } = gateway.app as unknown as App;
  const server = await listen(fetch, { host: '127.0.0.1', port: 0 }, { pipeline });
  url = server.url;
  close = async () => {
    await server.close(1_000);
    await gateway.close();
  };
}

/** Ends what `open` began, and returns the spans since, by trace. */
async function collected(): Promise<CollectedSpan[]> {
  await endTraces();
  return collector.spans.splice(0);
}

beforeAll(async () => {
  collector = await startCollector();
  model = await startOpenAiServer(key);
});
afterEach(async () => {
  await endTraces();
  endTraces = async () => {};
  // A test may have ended the database already.
  await close?.().catch(() => {});
});
afterAll(async () => {
  for (const name of Object.keys(process.env)) if (name.startsWith('OTEL_')) delete process.env[name];
  await Promise.all([collector.close(), model.close()]);
});

const send = async (path: string, body?: object, headers: object = {}) => {
  const response = await fetch(url + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
};
const twoAgents = { query: 'query Two { agents(first: 2) { nodes { id } } leads(first: 1) { nodes { id } } }' };

describe('a request', () => {
  test('that compiled queries answer has its operation and statement beneath it', async () => {
    await open();
    await send('/graphql', twoAgents);
    await send('/graphql', twoAgents, { traceparent, tracestate: 'vendor=secret' });
    const spans = (await collected()).filter(({ traceId }) => traceId === callersTrace);
    const [request] = named(spans, 'POST /graphql');
    expect(outline(spans, request)).toEqual([
      'POST /graphql',
      '  compiled query',
      expect.stringMatching(/^ {4}SELECT/),
    ]);
    expect(request).toMatchObject({
      parentId: callersSpan,
      kind: 'server',
      failed: false,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/graphql',
        'http.response.status_code': 200,
        'url.path': '/graphql',
        'parley.operation': 'Two',
        'parley.workspace.id': home.id,
        'parley.compiled': true,
        'parley.statements': 1,
      },
      resource: { 'service.name': 'parley', 'deployment.environment.name': 'test' },
    });
    expect(named(spans, /^SELECT/)[0]).toMatchObject({
      kind: 'client',
      attributes: { 'db.system.name': 'postgresql', 'db.operation.name': 'SELECT' },
    });
    const line = lines.findLast(({ path }) => path === '/graphql');
    expect(line?.traceId).toBe(callersTrace);
  });

  test('that resolvers answer has its root fields and their statements beneath it', async () => {
    await open({ COMPILED_QUERIES: 'off' });
    await send('/graphql', twoAgents, { traceparent });
    const spans = (await collected()).filter(({ traceId }) => traceId === callersTrace);
    const [request] = named(spans, 'POST /graphql');
    expect(request?.attributes).toMatchObject({ 'parley.compiled': false, 'parley.operation': 'Two' });
    const fields = named(childrenOf(spans, request), /^query /);
    expect(fields.map(({ name }) => name).toSorted()).toEqual(['query agents', 'query leads']);
    for (const field of fields) {
      expect(field).toMatchObject({ kind: 'internal', attributes: { 'graphql.operation.type': 'query' } });
      const table = field.name === 'query agents' ? 'Agent' : 'Lead';
      expect(outline(spans, field)).toContain(`  SELECT ${table}`);
    }
  });

  test.each(['on', 'off'])('of REST has the path of its operation (compiled: %s)', async (compiled) => {
    await open({ COMPILED_QUERIES: compiled });
    await send('/rest/agents?page=1&size=37', undefined, { traceparent });
    const spans = (await collected()).filter(({ traceId }) => traceId === callersTrace);
    expect(named(spans, 'GET /rest/agents')).toMatchObject([
      { kind: 'server', attributes: { 'http.route': '/rest/agents', 'url.path': '/rest/agents' } },
    ]);
    expect(named(spans, compiled === 'on' ? /^compiled query/ : /^query /)).not.toEqual([]);
    expect(JSON.stringify(spans)).not.toContain('size=37');
  });

  test('that fails says how, in itself and where', async () => {
    await open();
    const query = 'mutation { deleteAgent(input: { id: "agt_00000000000000000000000000" }) { agent { id } } }';
    await send('/graphql', { query }, { traceparent });
    const pool = gateway.services.pool;
    await pool.query('SELECT 1/0').catch(() => {});
    await pool.end();
    await send('/graphql', twoAgents);
    const spans = await collected();
    const first = spans.filter(({ traceId }) => traceId === callersTrace);
    expect(named(first, 'POST /graphql')[0]?.attributes['parley.error_codes']).toHaveLength(1);
    expect(named(first, /^mutation deleteAgent/)).toMatchObject([{ failed: true }]);
    const [, lost] = named(spans, 'POST /graphql');
    expect(lost).toMatchObject({ failed: true, attributes: { 'error.type': '503', 'http.response.status_code': 503 } });
  });
});

/** An agent with a plugin, and the plugin's id. */
async function agentWithPlugin() {
  const run = (document: string, input: object) => gateway.data(home.editor, document, { input });
  const importing = 'mutation($url: String!) { importPlugin(input: {url: $url}) { plugin { id } } }';
  const { importPlugin } = await gateway.data(home.editor, importing, { url: api.url('/openapi.json') });
  const pluginId: string = importPlugin.plugin.id;
  const updating = 'mutation($input: UpdatePluginInput!) { updatePlugin(input: $input) { plugin { id } } }';
  await run(updating, { id: pluginId, auth: { type: 'none' } });
  const creating = 'mutation($input: CreateAgentInput!) { createAgent(input: $input) { agent { id } } }';
  const agentId: string = (await run(creating, { name: 'Host', behaviorType: 'advanced' })).createAgent.agent.id;
  const attaching = 'mutation($input: AttachPluginInput!) { attachPlugin(input: $input) { agent { id } } }';
  await run(attaching, { agentId, pluginId });
  return { agentId, pluginId };
}

describe('a streamed turn', () => {
  test('has its model attempts, plugin calls and their requests beneath it, and no word of the conversation', async () => {
    await open();
    const { agentId, pluginId } = await agentWithPlugin();
    api.routes.set('GET /orders/A', () => ({ status: 500, body: canary }));
    const call = { id: 'c1', name: 'get_order', arguments: JSON.stringify({ id: 'A' }) };
    model.next({ status: 503, error: `${canary} ${key}` }, { calls: [call] }, { content: `I saw ${canary}.` });
    const body = { message: { content: canary }, stream: true };
    const answer = await send(`/api/${agentId}`, body, { traceparent, accept: 'text/event-stream' });
    expect(answer.text).toContain('pineapple');
    const spans = (await collected()).filter(({ traceId }) => traceId === callersTrace);
    const [turn] = named(spans, 'invoke_agent');
    expect(turn?.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.id': agentId,
      'parley.workspace.id': home.id,
    });
    const attempts = named(childrenOf(spans, turn), 'chat m');
    expect(attempts).toMatchObject([
      { kind: 'client', failed: true, attributes: { 'error.type': '503', 'gen_ai.request.model': 'm' } },
      { failed: false, attributes: { 'gen_ai.provider.name': 'openai' } },
      {
        failed: false,
        attributes: {
          'gen_ai.usage.input_tokens': expect.any(Number),
          'gen_ai.usage.output_tokens': expect.any(Number),
          'gen_ai.response.finish_reasons': ['stop'],
        },
      },
    ]);
    for (const attempt of attempts) {
      expect(childrenOf(spans, attempt)).toMatchObject([
        { name: 'POST', kind: 'client', attributes: { 'server.address': '127.0.0.1', 'url.scheme': 'http' } },
      ]);
    }
    const [tool] = named(childrenOf(spans, turn), 'execute_tool get_order');
    expect(tool).toMatchObject({
      failed: true,
      attributes: { 'gen_ai.tool.name': 'get_order', 'parley.plugin.id': pluginId, 'error.type': '500' },
    });
    const [sent] = childrenOf(spans, tool);
    expect(sent).toMatchObject({ name: 'GET', attributes: { 'http.response.status_code': 500 } });
    expect(api.seen.at(-1)?.headers).toMatchObject({ traceparent: `00-${callersTrace}-${sent?.spanId}-01` });
    // Every ancestor is there, up to the request.
    const ids = new Set(spans.map(({ spanId }) => spanId));
    expect(spans.filter(({ parentId }) => !ids.has(parentId)).map(({ kind }) => kind)).toEqual(['server']);
    const bytes = Buffer.concat(collector.bodies).toString('latin1');
    expect(bytes).toContain('invoke_agent');
    expect(bytes).not.toMatch(/zanzibar|pineapple|471108154711|canary/i);
    expect(bytes).not.toMatch(/eyJ[\w-]{20,}\./);
  });
});

describe('a job', () => {
  test('begins a trace of its own, linked to the request that queued it', async () => {
    await open();
    const query = 'mutation($input: CreateBaseInput!) { createBase(input: $input) { base { id } } }';
    const file = { data: { question: canary, answer: 'Always.' } };
    const input = { description: 'Facts', sources: [{ type: 'faq', file }] };
    const created = await send('/graphql', { query, variables: { input } }, { traceparent });
    expect(created.text).toContain('"id"');
    await gateway.work();
    await gateway.services.queue.idle();
    const spans = await collected();
    const [sent] = named(spans, 'send ingest');
    expect(sent).toMatchObject({ traceId: callersTrace, kind: 'producer' });
    const [job] = named(spans, 'process ingest');
    expect(job).toMatchObject({
      kind: 'consumer',
      parentId: '',
      failed: false,
      links: [{ traceId: callersTrace, spanId: sent?.spanId }],
      attributes: { 'messaging.destination.name': 'ingest', 'parley.workspace.id': home.id },
    });
    expect(job?.traceId).not.toBe(callersTrace);
    expect(named(childrenOf(spans, job), /^INSERT/).length).toBeGreaterThan(0);
  });
});

test.each(['on', 'off'])(
  'a delivery has a trace that its receiver learns, linked to its cause (compiled: %s)',
  async (compiled) => {
    await open({ COMPILED_QUERIES: compiled });
    const creating = 'mutation($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }';
    const url = api.url(`/hook-${compiled}`);
    const { createWebhook } = await gateway.data(home.owner, creating, { input: { url, events: ['lead_created'] } });
    await send('/graphql', { query: 'mutation { createLead(input: {name: "Ana"}) { lead { id } } }' }, { traceparent });
    // The request waits for the result of this delivery.
    const query = 'mutation($input: TestWebhookInput!) { testWebhook(input: $input) { delivery { status } } }';
    await send('/graphql', { query, variables: { input: { id: createWebhook.webhook.id } } }, { traceparent });
    const worker = startWebhooks(gateway.services, { pollIntervalMs: 60_000 });
    await worker.idle();
    await worker.close();
    const spans = await collected();
    const deliveries = named(spans, 'deliver webhook');
    expect(deliveries.map(({ attributes }) => attributes['parley.event'])).toEqual(['ping', 'lead_created']);
    const sent: string[] = [];
    for (const delivery of deliveries) {
      expect(delivery.links).toEqual([{ traceId: callersTrace, spanId: expect.any(String) }]);
      expect(spans.map(({ spanId }) => spanId)).toContain(delivery.links[0]?.spanId);
      expect([delivery.parentId, delivery.traceId === callersTrace]).toEqual(['', false]);
      const [request] = childrenOf(spans, delivery).filter(({ name }) => name === 'POST');
      sent.push(`00-${request?.traceId}-${request?.spanId}-01`);
    }
    const received = api.seen.filter((request) => url.endsWith(request.url));
    expect(received.map(({ headers }) => headers.traceparent)).toEqual(sent);
  },
);

test('without a collector, or when it is turned off, nothing is recorded and no header is sent', async () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
  expect(readConfig({}).tracing).toBeNull();
  expect(readConfig({ ...endpoint, OTEL_SDK_DISABLED: 'true' }).tracing).toBeNull();
  expect(readConfig({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }).tracing).toBeNull();
  expect(() => readConfig({ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toThrow(
    'OTEL_EXPORTER_OTLP_PROTOCOL: must be http/protobuf',
  );
  expect(isTracing()).toBe(false);
});

test('a sampler of none exports nothing', async () => {
  await open({ OTEL_TRACES_SAMPLER: 'always_off' });
  await send('/graphql', twoAgents, { traceparent });
  expect(await collected()).toEqual([]);
});
