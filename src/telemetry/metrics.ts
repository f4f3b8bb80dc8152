import { collectDefaultMetrics, Registry } from 'prom-client';
import { ConfigError } from '../config/config.ts';
import { countEvents } from './event-metrics.ts';
import { serveText } from './serve-text.ts';
import { type Observed, readState } from './state-metrics.ts';

type Address = { host: string; port: number };

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
    const server = await serveText(address, '/metrics', async () => ({
      type: registry.contentType,
      text: await registry.metrics(),
    }));
    const close = async () => {
      stopCounting();
      registry.clear();
      await server.close();
    };
    return { url: server.url, close };
  } catch (error) {
    stopCounting();
    throw new ConfigError(
      `METRICS_PORT: ${address.port} cannot be bound on ${address.host} (${(error as NodeJS.ErrnoException).code})`,
    );
  }
}
