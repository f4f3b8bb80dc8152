import {
  AggregatorRegistry,
  Counter,
  Gauge,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import { metricsAt } from './metrics.ts';

type Metrics = MetricObjectWithValues<MetricValue<string>>[];
type Worker = {
  isReady: boolean;
  channel: { request<T>(name: string, body?: unknown, timeoutMs?: number): Promise<T> };
};
type Workers = { members: Worker[]; ready: Worker[]; restarts: number };
type Started = {
  channel: { handle(name: string, handler: (body: never) => unknown): void };
  exited: Promise<unknown>;
};

/** How long a worker may take to report its metrics, in milliseconds: Prometheus gives up after ten seconds. */
const reportMs = 3_000;

/**
 * Serves the metrics of all workers as one: values are added, except where a metric says otherwise. Counters go on
 * where a worker that has ended left them, since Prometheus takes a sum that falls for a reset of all. Throws
 * `ConfigError` if the address cannot be bound.
 */
export async function startServiceMetrics(address: { host: string; port: number }, workers: Workers) {
  const own = ownMetrics(workers);
  /** The latest report of each worker, by its channel. */
  const latest = new Map<object, Metrics>();
  /** What workers that have ended had counted. */
  let ended: Promise<Metrics> = Promise.resolve([]);

  const report = async ({ channel }: Worker): Promise<void> => {
    const metrics = await channel.request<Metrics>('metrics', null, reportMs).catch(() => null);
    if (metrics && latest.has(channel)) latest.set(channel, metrics);
  };
  const read = async (): Promise<Registry> => {
    await Promise.all(workers.members.filter(({ isReady }) => isReady).map(report));
    // At one moment: a worker that ends meanwhile would count in both or in neither.
    const [running, before] = [[...latest.values()], ended];
    return aggregate([await own.getMetricsAsJSON(), ...running, await before]);
  };
  const keepCounts = async (channel: object, exited: Promise<unknown>): Promise<void> => {
    await exited;
    const last = (latest.get(channel) ?? []).filter(isCounted);
    latest.delete(channel);
    // One after the other: several may end at once.
    ended = ended.then((before) => aggregate([before, last]).getMetricsAsJSON());
  };
  const server = await metricsAt(address, async () => (await read()).metrics(), own.contentType);
  return {
    ...server,
    /** Counts what a worker reports until it ends. */
    watch({ channel, exited }: Started): void {
      latest.set(channel, []);
      channel.handle('last metrics', (metrics: Metrics) => {
        // It may arrive after the end of its worker, which then counts as it was last read.
        if (latest.has(channel)) latest.set(channel, metrics);
      });
      void keepCounts(channel, exited);
    },
  };
}

/** The declared type of the parameter is that of something else. */
const aggregate = (reports: Metrics[]): Registry => AggregatorRegistry.aggregate(reports as object[]);

const isCounted = ({ type }: { type: unknown }): boolean => type === 'counter' || type === 'histogram';

function ownMetrics(workers: Workers): Registry {
  const registry = new Registry();
  const ready = new Gauge({
    name: 'parley_workers',
    help: 'Worker processes that accept requests.',
    registers: [],
    collect() {
      this.set(workers.ready.length);
    },
  });
  const restarts = new Counter({
    name: 'parley_worker_restarts_total',
    help: 'Worker processes that were started again because they had ended unexpectedly.',
    registers: [],
    collect() {
      this.reset();
      this.inc(workers.restarts);
    },
  });
  registry.registerMetric(ready);
  registry.registerMetric(restarts);
  return registry;
}
