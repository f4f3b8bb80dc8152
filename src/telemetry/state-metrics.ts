import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { Gauge, type Registry } from 'prom-client';
import type { Services } from '../context.ts';
import type { DatabaseHandle } from '../database/client.ts';
import { inBackground } from '../database/deadline.ts';
import { serverWaits } from '../database/serving/waits.ts';

/** What is read of the process whenever its metrics are asked for. */
export type Observed = {
  services: Pick<Services, 'load' | 'nodes' | 'queue' | 'turns' | 'config'>;
  handle: DatabaseHandle;
  /** How many clients are connected, and how many of them read a stream. */
  connections: { count: number; streams: number };
  /** The sizes of caches in bytes, by name. */
  caches: () => Record<string, number>;
};

/** How long a measurement that reads the database or the disk is kept, in milliseconds. */
const cacheMs = 10_000;

/** Registers the metrics that are read when they are asked for. */
export function readState(registry: Registry, { services, handle, connections, caches }: Observed): void {
  const { config, load, nodes, queue, turns } = services;
  const gauge = (name: string, help: string, read: () => number | Promise<number>, aggregator?: 'max') =>
    registry.registerMetric(
      new Gauge({
        name,
        help,
        registers: [],
        ...(aggregator && { aggregator }),
        async collect() {
          this.set(await read());
        },
      }),
    );

  gauge('parley_requests_in_flight', 'Requests whose response has not begun.', () => load.requests);
  gauge('parley_load_ratio', 'Load relative to the bounds at which requests are refused.', () => load.pressure, 'max');
  gauge('parley_unread_bytes', 'Bytes of responses that clients have not read yet.', () => load.unreadBytes);
  gauge('parley_connections', 'Open connections of clients.', () => connections.count);
  gauge('parley_streams', 'Event streams that are open.', () => connections.streams);
  gauge('parley_turns_running', 'Turns that this process runs.', () => turns.running);
  gauge('parley_database_waiting', 'Callers that wait for a database connection.', () => handle.pool.waiting);
  labelled(registry, {
    name: 'parley_database_connections',
    help: 'Database connections, by state.',
    label: 'state',
    read: async () => ({ idle: handle.pool.idleCount, used: handle.pool.totalCount - handle.pool.idleCount }),
  });
  if (handle.pool.isDistributed) {
    labelled(registry, {
      name: 'parley_database_node_up',
      help: 'Whether the coordinator can connect to a node of the cluster: 1 or 0.',
      label: 'node',
      read: () => nodes.read(),
      aggregator: 'max',
    });
  }
  const { standby } = handle;
  if (standby) {
    labelled(registry, {
      name: 'parley_standby_age_seconds',
      help: 'How far behind the primary the standby is; no value while that is unknown.',
      label: 'host',
      read: async () => (standby.ageMs === null ? {} : { [standby.host]: standby.ageMs / 1_000 }),
      aggregator: 'max',
    });
    labelled(registry, {
      name: 'parley_standby_connections',
      help: 'Connections to the standby, by state.',
      label: 'state',
      read: async () => standby.connections,
    });
  }
  labelled(registry, {
    name: 'parley_cache_bytes',
    help: 'Estimated sizes of caches in bytes.',
    label: 'cache',
    read: async () => caches(),
  });

  const depths = remembered(() => inBackground(() => queue.depths()));
  for (const state of ['waiting', 'running'] as const) {
    labelled(registry, {
      name: `parley_jobs_${state}`,
      help: `Background jobs of all replicas that are ${state}.`,
      label: 'name',
      read: async () => Object.fromEntries((await depths()).map((depth) => [depth.name, depth[state]])),
      aggregator: 'max',
    });
  }
  labelled(registry, {
    name: 'parley_jobs_oldest_seconds',
    help: 'Age of the oldest unfinished job.',
    label: 'name',
    read: async () => Object.fromEntries((await depths()).map(({ name, oldestSeconds }) => [name, oldestSeconds])),
    aggregator: 'max',
  });

  if (handle.kind === 'postgres') {
    labelled(registry, {
      name: 'parley_database_oldest_wait_seconds',
      help: 'Age of the oldest statement of all replicas that waits for a lock, or for a synchronous standby.',
      label: 'event',
      read: remembered(() => inBackground(() => serverWaits(handle))),
      aggregator: 'max',
    });
  }
  if (handle.kind === 'embedded') {
    gauge(
      'parley_data_folder_bytes',
      'Size of DATA_DIR in bytes.',
      remembered(() => folderSize(config.dataDir)),
    );
  }
}

type Labelled = {
  name: string;
  help: string;
  label: string;
  read: () => Promise<Record<string, number>>;
  aggregator?: 'max';
};

/**
 * A gauge with a value for each name. Names that are gone are dropped; what cannot be read leaves no value. Values of
 * several workers are added, unless `aggregator` says that all of them read the same one.
 */
function labelled(registry: Registry, { name, help, label, read, aggregator }: Labelled): void {
  registry.registerMetric(
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [],
      ...(aggregator && { aggregator }),
      async collect() {
        this.reset();
        const values = await read().catch(() => ({}));
        for (const [key, value] of Object.entries(values)) this.set({ [label]: key }, value);
      },
    }),
  );
}

/** Runs `read` at most once per `cacheMs`, however often it is called. A failure is not kept. */
function remembered<T>(read: () => Promise<T>): () => Promise<T> {
  let last: { value: Promise<T>; at: number } | null = null;
  return () => {
    if (last && performance.now() - last.at < cacheMs) return last.value;
    const value = read();
    last = { value, at: performance.now() };
    value.catch(() => {
      last = null;
    });
    return value;
  };
}

/** The size of a folder's files in bytes. Files that disappear meanwhile count as nothing. */
async function folderSize(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const info = await stat(path.join(entry.parentPath, entry.name)).catch(() => null);
    bytes += info?.size ?? 0;
  }
  return bytes;
}
