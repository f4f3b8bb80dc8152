import { collectDefaultMetrics, Registry } from 'prom-client';
import { ConfigError } from '../config/config.ts';
import { countEvents } from './event-metrics.ts';
import { serveText } from './serve-text.ts';
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
