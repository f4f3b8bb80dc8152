import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { ConfigError } from '../config/config.ts';
import { hostFault, isRebound } from '../core/host-header.ts';
import { countEvents } from './event-metrics.ts';
import { type Observed, readState } from './state-metrics.ts';

type Address = { host: string; port: number };

/** How a worker answers requests of its primary. */
type Channel = { handle(name: string, handler: () => unknown): void; notify(name: string, body: unknown): void };

/**
 * Counts this worker's metrics, which its primary serves with those of the others. Returns the function that ends it,
 * with a last report.
 */
export function shareMetrics(channel: Channel, observed: Observed) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  readState(registry, observed);
  const stopCounting = countEvents(registry);
  const read = () => registry.getMetricsAsJSON();
  channel.handle('metrics', read);
  const close = async () => {
    stopCounting();
    channel.notify('last metrics', await read());
    registry.clear();
  };
  return { close };
}

/**
 * Serves the process's metrics in Prometheus's text format at /metrics, on an address of their own: whoever reaches it
 * needs no bearer. Returns its URL and the function that ends it. Throws `ConfigError` if the address cannot be bound.
 */
export async function startMetrics(address: Address, observed: Observed) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  readState(registry, observed);
  const stopCounting = countEvents(registry);
  try {
    const server = await metricsAt(address, () => registry.metrics(), registry.contentType);
    const close = async () => {
      stopCounting();
      registry.clear();
      await server.close();
    };
    return { url: server.url, close };
  } catch (error) {
    stopCounting();
    throw error;
  }
}

/** Serves what `read` returns at /metrics. Throws `ConfigError` if the address cannot be bound. */
export async function metricsAt(address: Address, read: () => Promise<string>, type: string) {
  try {
    return await serveText(address, '/metrics', async () => ({ type, text: await read() }));
  } catch (error) {
    throw new ConfigError(
      `METRICS_PORT: ${address.port} cannot be opened on ${address.host} (${(error as NodeJS.ErrnoException).code}); stop what listens there or set another METRICS_PORT`,
    );
  }
}

type Text = { type: string; text: string };

/**
 * Serves what `read` returns at one path, and 404 anywhere else; 403 for a page that was rebound to this machine.
 * Rejects if the address cannot be bound.
 */
async function serveText({ host, port }: { host: string; port: number }, path: string, read: () => Promise<Text>) {
  const plain = (status: number, text: string) => ({ status, type: 'text/plain; charset=utf-8', text });
  const answer = async (request: IncomingMessage) => {
    const { url = '', method } = request;
    const fault = hostFault(request);
    if (fault) return plain(400, `${fault}\n`);
    if (isRebound(request, host)) return plain(403, 'Name this machine as localhost or by an IP address.\n');
    if (url.split('?', 1)[0] !== path) return plain(404, `Metrics are at ${path}.\n`);
    if (method !== 'GET' && method !== 'HEAD') return plain(405, 'Only GET is allowed.\n');
    return read().then(
      (text) => ({ status: 200, ...text }),
      () => plain(500, 'The metrics could not be read.\n'),
    );
  };
  const server = createServer((request, response) => {
    void answer(request).then(({ status, type, text }) =>
      response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) }).end(text),
    );
  });
  server.listen(port, host);
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${name}:${bound}${path}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
