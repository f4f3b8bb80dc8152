import { connect } from 'node:net';
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

test('a Host header is one, and valid, as on the main port', async () => {
  const { hostname, port } = new URL(service.url);
  const statusOf = async (head: string) => {
    const socket = connect(Number(port), hostname).end(`GET /metrics ${head}Connection: close\r\n\r\n`);
    return /^HTTP\/1\.1 (\d+)/.exec((await socket.setEncoding('utf8').toArray()).join(''))?.[1];
  };
  for (const head of ['HTTP/1.1\r\nHost: localhost\r\n', 'HTTP/1.1\r\nHost: [::1]:9464\r\n', 'HTTP/1.0\r\n'])
    expect(await statusOf(head)).toBe('200');
  for (const head of ['Host: a\r\nHost: b\r\n', 'Host: a b\r\n', 'Host: a/b\r\n', 'Host: \r\n', ''])
    expect(await statusOf(`HTTP/1.1\r\n${head}`)).toBe('400');
});
