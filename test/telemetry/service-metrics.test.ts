import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { Counter, Registry } from 'prom-client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startServiceMetrics } from '../../src/telemetry/service-metrics.ts';

type Handler = (body: unknown) => unknown;
type Report = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

let service: Awaited<ReturnType<typeof startServiceMetrics>>;
beforeEach(async () => {
  service = await startServiceMetrics({ host: '127.0.0.1', port: 0 }, { members: [], ready: [], restarts: 0 });
});
afterEach(() => service.close());

/** A worker that has counted to ten, reports that with `report`, and has ended with `end`. */
async function watchWorker() {
  const handlers = new Map<string, Handler>();
  const { promise: exited, resolve: end } = Promise.withResolvers<void>();
  const registry = new Registry();
  new Counter({ name: 'counted_total', help: 'Counted.', registers: [registry] }).inc(10);
  const metrics: Report = await registry.getMetricsAsJSON();
  const channel = { handle: (name: string, handler: Handler) => void handlers.set(name, handler) };
  service.watch({ channel: channel as Parameters<typeof service.watch>[0]['channel'], exited });
  return { report: () => handlers.get('last metrics')?.(metrics), end };
}
const counted = async () => Number(/^counted_total (\d+)$/m.exec(await (await fetch(service.url)).text())?.[1]);

test('the counts of workers that end at the same moment are all kept', async () => {
  const workers = await Promise.all([watchWorker(), watchWorker(), watchWorker()]);
  for (const { report } of workers) report();
  expect(await counted()).toBe(30);
  for (const { end } of workers) end();
  expect(await counted()).toBe(30);
  expect(await counted()).toBe(30);
});

test('a last report that arrives after the end of its worker is not counted again', async () => {
  const { report, end } = await watchWorker();
  report();
  end();
  expect(await counted()).toBe(10);
  report();
  expect(await counted()).toBe(10);
});

/** The status of a request to an address of the metrics, whose head goes on with `head`. */
async function statusOf(head: string, { hostname, port } = new URL(service.url)): Promise<string | undefined> {
  const socket = connect(Number(port), hostname).end(`GET /metrics ${head}Connection: close\r\n\r\n`);
  return /^HTTP\/1\.1 (\d+)/.exec((await socket.setEncoding('utf8').toArray()).join(''))?.[1];
}

test('a Host header is one, and valid, as on the main port', async () => {
  for (const head of ['HTTP/1.1\r\nHost: localhost\r\n', 'HTTP/1.1\r\nHost: [::1]:9464\r\n', 'HTTP/1.0\r\n'])
    expect(await statusOf(head)).toBe('200');
  for (const head of ['Host: a\r\nHost: b\r\n', 'Host: a b\r\n', 'Host: a/b\r\n', 'Host: \r\n', ''])
    expect(await statusOf(`HTTP/1.1\r\n${head}`)).toBe('400');
});

const own = ['localhost', 'LOCALHOST:9464', '127.0.0.1:9464', '[::1]', '10.1.2.3'];
const strange = ['evil.example', 'evil.example:9464', 'localhost.evil.example', '127.0.0.1.evil.example', 'parley'];

test('a page whose name was pointed to this machine reads no metrics (DNS rebinding)', async () => {
  for (const host of own) expect(await statusOf(`HTTP/1.1\r\nHost: ${host}\r\n`)).toBe('200');
  for (const host of strange) expect(await statusOf(`HTTP/1.1\r\nHost: ${host}\r\n`)).toBe('403');
});

test('a port for a network has names there, but not on the machine itself, except for the one in HOST', async () => {
  const open = await startServiceMetrics({ host: '0.0.0.0', port: 0 }, { members: [], ready: [], restarts: 0 });
  const named = await startServiceMetrics({ host: 'localhost', port: 0 }, { members: [], ready: [], restarts: 0 });
  try {
    const { port } = new URL(open.url);
    const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    const outside = addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
    for (const host of strange) {
      const head = `HTTP/1.1\r\nHost: ${host}\r\n`;
      expect(await statusOf(head, new URL(`http://127.0.0.1:${port}`))).toBe('403');
      if (outside) expect(await statusOf(head, new URL(`http://${outside}:${port}`))).toBe('200');
    }
    expect(await statusOf('HTTP/1.1\r\nHost: localhost\r\n', new URL(named.url))).toBe('200');
  } finally {
    await Promise.all([open.close(), named.close()]);
  }
});
