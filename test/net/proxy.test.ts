import type { lookup as systemLookup } from 'node:dns';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { inSpan } from '../../src/core/tracing.ts';
import { createGuardedFetch } from '../../src/net/guarded-fetch.ts';
import { useProxy } from '../../src/net/proxy.ts';
import { startTracing } from '../../src/telemetry/traces.ts';
import { openGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace } from '../support/gateway/factories.ts';
import { create, html, read } from '../support/knowledge/knowledge.ts';
import { startOpenAiServer } from '../support/model/openai-server.ts';
import { startForwardProxy } from '../support/net/forward-proxy.ts';
import { describeApi } from '../support/plugins/api-description.ts';
import { startCollector } from '../support/telemetry/otlp-collector.ts';

let target: Server;
let port: number;
let leadsTo: number;
let proxy: Awaited<ReturnType<typeof startForwardProxy>>;
beforeAll(async () => {
  target = createServer((request, response) => void response.end(`${request.method} ${request.headers.host}`));
  await new Promise<void>((ready) => target.listen(0, '127.0.0.1', ready));
  port = (target.address() as AddressInfo).port;
  proxy = await startForwardProxy(() => leadsTo);
});
beforeEach(() => {
  leadsTo = port;
  proxy.asked.length = 0;
  proxy.credentials.length = 0;
});
afterAll(async () => {
  target.closeAllConnections();
  target.close();
  await proxy.close();
});

const settings = (none = '') => {
  const address = `http://user:secret@127.0.0.1:${proxy.port}`;
  const { proxy: read } = readConfig({ HTTP_PROXY: address, HTTPS_PROXY: address, NO_PROXY: none });
  if (!read) throw new Error('No proxy was read.');
  return read;
};
/** Names below `public.example` are public, below `private.example` private, and no other is known here. */
const lookup = ((name: string, _: object, callback: (...given: unknown[]) => void) => {
  if (name.endsWith('public.example')) return callback(null, [{ address: '93.184.216.34', family: 4 }]);
  if (name.endsWith('private.example')) return callback(null, [{ address: '10.1.2.3', family: 4 }]);
  return callback(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }));
}) as unknown as typeof systemLookup;
const guarded = (none = '', allowHosts: string[] = []) =>
  createGuardedFetch({ allowHosts, proxy: settings(none), lookup });

describe('what users name is fetched through the proxy', () => {
  test('with its credentials, whether or not the name is known here', async () => {
    for (const host of ['www.public.example', 'only-the-proxy.example']) {
      const { bytes } = await guarded()(`http://${host}/page`);
      expect(Buffer.from(bytes).toString()).toMatch(/^GET /);
    }
    expect(proxy.asked.map((line) => line.replace(/^\w+ /, '').replace(/:80$/, ''))).toEqual([
      'www.public.example',
      'only-the-proxy.example',
    ]);
    expect(new Set(proxy.credentials)).toEqual(new Set([`Basic ${Buffer.from('user:secret').toString('base64')}`]));
  });

  test('by a tunnel for https', async () => {
    // The target speaks no TLS: what counts is what the proxy was asked for.
    await expect(guarded()('https://www.public.example/page')).rejects.toThrow();
    expect(proxy.asked).toEqual(['CONNECT www.public.example:443']);
  });

  test.each([
    'http://127.0.0.1/',
    'http://10.0.0.1/',
    'https://169.254.169.254/latest/meta-data',
    'http://[::1]/',
    'http://2130706433/',
    'http://db.private.example/',
    'https://db.private.example:5432/',
  ])('but %s is refused before the proxy is asked', async (url) => {
    await expect(guarded()(url)).rejects.toThrow('The address is private');
    expect(proxy.asked).toEqual([]);
  });

  test('nor does a redirect lead to a private address', async () => {
    const moved = createServer((_, response) => void response.writeHead(302, { location: 'http://10.0.0.1/' }).end());
    await new Promise<void>((ready) => moved.listen(0, '127.0.0.1', ready));
    leadsTo = (moved.address() as AddressInfo).port;
    await expect(guarded()('http://www.public.example/')).rejects.toThrow('The address is private');
    moved.closeAllConnections();
    moved.close();
    expect(proxy.asked).toHaveLength(1);
  });

  test('and hosts of NO_PROXY are reached directly, with their addresses checked', async () => {
    const allowed = `127.0.0.1:${port}`;
    const { bytes } = await guarded('127.0.0.1', [allowed])(`http://${allowed}/`);
    expect(Buffer.from(bytes).toString()).toBe(`GET ${allowed}`);
    await expect(guarded('.private.example')('http://db.private.example/')).rejects.toThrow('The address is private');
    expect(proxy.asked).toEqual([]);
  });
});

test('a gateway reaches the pages, plugins and webhooks of its users through the proxy', async () => {
  const visits: string[] = [];
  const outside = createServer((request, response) => {
    visits.push(`${request.method} ${request.url}`);
    const isPage = request.url === '/page';
    response.setHeader('content-type', isPage ? 'text/html' : 'application/json');
    response.end(isPage ? html('Open from nine.') : JSON.stringify(describeApi('https://api.public.example')));
  });
  await new Promise<void>((ready) => outside.listen(0, '127.0.0.1', ready));
  leadsTo = (outside.address() as AddressInfo).port;
  const address = `http://127.0.0.1:${proxy.port}`;
  const gateway = await openGateway({ HTTP_PROXY: address, FETCH_ALLOW_HOSTS: 'outside.example' });
  onTestFinished(async () => {
    await gateway.close();
    outside.closeAllConnections();
    outside.close();
  });
  const { owner, editor, app } = await makeWorkspace(gateway);
  await gateway.work();
  const at = (path: string) => `http://outside.example${path}`;
  const sources = [{ type: 'page', file: { url: at('/page') } }];
  const { createBase } = await gateway.data(editor, create, { input: { description: 'Shop', sources } });
  const importing = 'mutation ($url: String!) { importPlugin(input: { url: $url }) { plugin { id } } }';
  await gateway.data(editor, importing, { url: at('/openapi.json') });
  const hooking = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }';
  await gateway.data(owner, hooking, { input: { url: at('/hook'), events: ['lead_created'] } });
  await gateway.data(app, 'mutation { createLead(input: { name: "Ana" }) { lead { id } } }');
  await expect.poll(() => visits, { timeout: 30_000 }).toContain('POST /hook');
  await gateway.services.queue.idle();
  expect((await gateway.data(editor, read, { id: createBase.base.id })).base.status).toBe('succeeded');
  expect(visits).toEqual(expect.arrayContaining(['GET /page', 'GET /openapi.json']));
  expect(proxy.asked).toHaveLength(visits.length);
});

test('models are called through the proxy, but for hosts of NO_PROXY', async () => {
  const model = await startOpenAiServer('sk-test');
  leadsTo = Number(new URL(model.baseUrl).port);
  const env = { MODEL_BASE_URL: 'http://models.example/v1', MODEL_NAME: 'm', MODEL_API_KEY: 'sk-test' };
  const gateway = await openGateway(env);
  const home = await makeWorkspace(gateway);
  const { id } = await makeAgent(gateway, home.editor);
  const ask = () => gateway.rest(home.app, 'POST', `/api/${id}`, { message: { content: 'Hi' } });
  const restore = useProxy(settings());
  model.next({ content: 'By the proxy.' });
  const answer = await ask();
  restore();
  const direct = useProxy(settings('models.example'));
  const refused = await ask();
  direct();
  await gateway.close();
  await model.close();
  expect(answer).toMatchObject({ status: 200, body: { messages: [{ content: 'By the proxy.' }] } });
  expect(proxy.asked).toEqual([expect.stringContaining('models.example')]);
  expect(refused.status).toBe(502);
});

describe('traces are sent through the proxy', () => {
  const trace = async (endpoint: string, isSent: () => boolean) => {
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT = endpoint;
    const { tracing } = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_BSP_SCHEDULE_DELAY: '1' });
    // The proxy of this test forwards in this process, which must not lead to itself.
    const restore = useProxy(settings('127.0.0.1'));
    const end = startTracing(tracing ?? expect.unreachable(), pino({ level: 'silent' }));
    delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
    await inSpan(
      () => ({ name: 'a span' }),
      async () => {},
    );
    await vi.waitFor(() => expect(isSent()).toBe(true), { timeout: 20_000 });
    await end();
    restore();
  };

  test('but for hosts of NO_PROXY', async () => {
    const collector = await startCollector();
    onTestFinished(() => collector.close());
    leadsTo = Number(new URL(collector.url).port);
    await trace('http://collector.example:4318', () => collector.spans.length === 1);
    expect(proxy.asked).toEqual(['POST collector.example:4318']);
    expect(proxy.credentials).toEqual([`Basic ${Buffer.from('user:secret').toString('base64')}`]);
    await trace(collector.url, () => collector.spans.length === 2);
    expect(proxy.asked).toHaveLength(1);
  });

  test('by a tunnel for https', async () => {
    // The target speaks no TLS, as above.
    await trace('https://collector.example:4318', () => proxy.asked.length > 0);
    expect(proxy.asked[0]).toBe('CONNECT collector.example:4318');
  });
});

test('the address of a proxy is checked, and not repeated', () => {
  expect(() => readConfig({ HTTPS_PROXY: 'proxy:3128 hunter2' })).toThrow(
    /^HTTPS_PROXY: must be an address such as \S+$/,
  );
  expect(readConfig({}).proxy).toBe(null);
  expect(readConfig({ http_proxy: 'http://a', HTTP_PROXY: 'http://b' }).proxy).toEqual({
    http: 'http://a',
    https: 'http://a',
    none: '',
  });
});
