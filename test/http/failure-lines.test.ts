import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { limitCauses } from '../../src/http/log/request-log.ts';
import { startWebhooks } from '../../src/jobs/webhook-deliveries.ts';
import { testDatabase } from '../support/database/database.ts';
import { type Gateway, openGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { startOpenAiServer } from '../support/model/openai-server.ts';
import { useApiServer } from '../support/plugins/api-server.ts';
import { collectLog } from '../support/telemetry/log-lines.ts';

const key = 'sk-canary-key-0123456789';
const canary = 'Zanzibar pineapple 471108154711';
const api = useApiServer();
const { log, lines } = collectLog();
let model: Awaited<ReturnType<typeof startOpenAiServer>>;
let gateway: Gateway;
let home: TestWorkspace;
beforeAll(async () => {
  model = await startOpenAiServer(key);
  const env = { MODEL_BASE_URL: model.baseUrl, MODEL_NAME: 'm', MODEL_API_KEY: key };
  gateway = await openGateway(env, { log });
  home = await makeWorkspace(gateway);
});
let seen = 0;
beforeEach(() => {
  seen = lines.length;
});
afterAll(async () => {
  await gateway.close();
  await model.close();
});

/** The lines with this message that the current test has caused. */
const linesOf = (msg: string) => lines.slice(seen).filter((line) => line.msg === msg);
const make = async (name: string, input: object) => {
  const [, type = ''] = /^[a-z]+([A-Z]\w+)$/.exec(name) ?? [];
  const field = type.charAt(0).toLowerCase() + type.slice(1);
  const capitalized = name.charAt(0).toUpperCase() + name.slice(1);
  const document = `mutation($input: ${capitalized}Input!) { ${name}(input: $input) { ${field} { id } } }`;
  return (await gateway.data(home.owner, document, { input }))[name][field].id as string;
};
const ask = async (agentId: string) =>
  (await gateway.rest(home.app, 'POST', `/api/${agentId}`, { message: { content: canary } })).status;

test('lines of one cause are written once a second, and the next one counts those left out', () => {
  let now = 0;
  const written: Record<string, unknown>[] = [];
  const hooks = { logMethod: limitCauses(() => now) };
  const limited = pino({ hooks, base: null }, { write: (line: string) => void written.push(JSON.parse(line)) });
  for (let n = 0; n < 5; n++) limited.child({ n }).warn({ cause: 'model a: HTTP 500' }, 'failed');
  limited.warn({ cause: 'model b: HTTP 500' }, 'failed');
  limited.warn({ reason: 'no cause' }, 'failed');
  limited.warn({ reason: 'no cause' }, 'failed');
  limited.warn('failed');
  now = 999;
  limited.warn({ cause: 'model a: HTTP 500' }, 'failed');
  now = 1_000;
  limited.warn({ cause: 'model a: HTTP 500' }, 'failed');
  now = 2_000;
  limited.warn({ cause: 'model a: HTTP 500' }, 'failed');
  expect(written.map(({ cause, leftOut, msg }) => ({ cause, leftOut, msg }))).toEqual([
    { cause: 'model a: HTTP 500', msg: 'failed' },
    { cause: 'model b: HTTP 500', msg: 'failed' },
    { msg: 'failed' },
    { msg: 'failed' },
    { msg: 'failed' },
    { cause: 'model a: HTTP 500', leftOut: 5, msg: 'failed' },
    { cause: 'model a: HTTP 500', msg: 'failed' },
  ]);
});

test('a failure of the database, the network or the disk has a cause, also where the line names none', () => {
  const written: Record<string, unknown>[] = [];
  const hooks = { logMethod: limitCauses(() => 0) };
  const limited = pino({ hooks, base: null }, { write: (line: string) => void written.push(JSON.parse(line)) });
  const lost = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  for (const turnId of ['a', 'b']) limited.warn({ err: lost, turnId }, 'the lead of a turn could not be stored');
  limited.error({ err: lost }, 'the database failed');
  for (const message of ['a bug', 'another one']) limited.error({ err: new Error(message) }, 'unexpected failure');
  expect(written.map(({ cause, turnId, err }) => [cause, turnId, (err as Error).message])).toEqual([
    ['the lead of a turn could not be stored: ECONNREFUSED', 'a', 'connect ECONNREFUSED'],
    ['the database failed: ECONNREFUSED', undefined, 'connect ECONNREFUSED'],
    [undefined, undefined, 'a bug'],
    [undefined, undefined, 'another one'],
  ]);
});

test('why a model failed is logged', async () => {
  const agentId = await make('createAgent', { name: 'Host' });
  model.next({ status: 400, error: `No ${canary}, and ${key} is wrong` });
  expect(await ask(agentId)).toBe(502);
  expect(linesOf('a model failed')).toMatchObject([
    { level: 'warn', cause: 'model m: HTTP 400', model: 'm', reason: 'HTTP 400', status: 400 },
  ]);
});

test('why a plugin failed is logged, but not what it sent', async () => {
  const agentId = await make('createAgent', { name: 'Host', behaviorType: 'advanced' });
  const importing = 'mutation($url: String!) { importPlugin(input: {url: $url}) { plugin { id } } }';
  const { importPlugin } = await gateway.data(home.editor, importing, { url: api.url('/openapi.json') });
  const pluginId: string = importPlugin.plugin.id;
  await make('updatePlugin', { id: pluginId, auth: { type: 'none' } });
  const attaching = 'mutation($input: AttachPluginInput!) { attachPlugin(input: $input) { agent { id } } }';
  await gateway.data(home.editor, attaching, { input: { agentId, pluginId } });
  api.routes.set('GET /orders/A', () => ({ status: 500, body: canary }));
  api.routes.set('GET /orders/B', (_, response) => void response.destroy());
  for (const id of ['A', 'B']) {
    const call = { id: 'c1', name: 'get_order', arguments: JSON.stringify({ id }) };
    model.next({ calls: [call] }, { content: 'I do not know.' });
    expect(await ask(agentId)).toBe(200);
  }
  expect(linesOf('a plugin failed')).toMatchObject([
    { level: 'warn', cause: `plugin ${pluginId}: HTTP 500`, agentId, tool: 'get_order', status: 500 },
    { reason: expect.stringMatching(/^127\.0\.0\.1:\d+ could not be reached$/), status: null },
  ]);
});

test('why a webhook failed is logged, once for deliveries at the same time', async () => {
  const receiver = createServer((_, response) => void response.writeHead(500).end(canary));
  await new Promise<void>((ready) => receiver.listen(0, '127.0.0.1', ready));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/${canary.split(' ')[0]}`;
  const webhookId = await make('createWebhook', { url, events: ['lead_created'] });
  for (let n = 0; n < 8; n++) await make('createLead', { name: canary });
  const worker = startWebhooks(gateway.services, { pollIntervalMs: 60_000 });
  await worker.idle();
  await worker.close();
  receiver.close();
  const failed = linesOf('a webhook failed');
  expect(failed[0]).toMatchObject({ level: 'warn', webhookId, workspaceId: home.id, status: 500 });
  expect(failed[0]?.reason).toBe('The receiver responded with 500.');
  expect(failed.length).toBeLessThan(8);
});

test.each(['on', 'off'])('why the database failed is logged, with COMPILED_QUERIES=%s', async (COMPILED_QUERIES) => {
  const collected = collectLog();
  const database = await testDatabase();
  const lost = await openGateway({ COMPILED_QUERIES }, { log: collected.log }, database);
  const { app } = await makeWorkspace(lost);
  const query = '{ agents(first: 1) { nodes { id } } }';
  await lost.data(app, query);
  await lost.handle.pool.end();
  const { body } = await lost.rest(app, 'POST', '/graphql', { query }, { 'x-request-id': 'lost-1' });
  expect(body.errors?.[0]?.extensions.code).toBe('unavailable');
  expect(collected.lines.find(({ msg }) => msg === 'the database failed')).toMatchObject({
    level: 'error',
    requestId: 'lost-1',
    cause: expect.stringMatching(/^database /),
    err: { message: expect.any(String) },
  });
  await lost.close().catch(() => {});
});

test('the line of a request has its number of statements, by both ways of answering', async () => {
  for (const COMPILED_QUERIES of ['on', 'off']) {
    const collected = collectLog('info');
    const other = await openGateway({ COMPILED_QUERIES }, { log: collected.log }, await testDatabase());
    const { app } = await makeWorkspace(other);
    const query = 'query Two { agents(first: 1) { nodes { id } } leads(first: 1) { nodes { id } } }';
    await other.data(app, query);
    await other.data(app, query);
    await other.rest(app, 'GET', '/health');
    await other.rest(app, 'GET', '/nowhere');
    const counts = collected.lines.map(({ operation, path, statements }) => [operation ?? path, statements]);
    // The first request also looks up its bearer.
    expect(counts.slice(1)).toEqual([
      ['Two', COMPILED_QUERIES === 'on' ? 1 : 2],
      ['/nowhere', 0],
    ]);
    await other.close();
  }
});

test('no line has the text of a conversation, a key or the path of a webhook', () => {
  // The tests before this one have written these lines.
  expect(lines.length).toBeGreaterThan(10);
  expect(JSON.stringify(lines)).not.toMatch(/zanzibar|pineapple|471108154711|canary/i);
});
