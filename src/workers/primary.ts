import cluster from 'node:cluster';
import { openAdminSocket } from '../auth/admin/admin-socket.ts';
import { hasDemoPages } from '../auth/demo.ts';
import { createDemoSessions, type DemoSession } from '../auth/demo-sessions.ts';
import { announce } from '../config/banner.ts';
import type { Config } from '../config/config.ts';
import { ParleyError } from '../core/errors.ts';
import { makePrivateFolder } from '../database/pglite/private-folder.ts';
import { createLog } from '../http/log/request-log.ts';
import { requireFreeAddress } from '../http/server.ts';
import { drainMsOf } from './drain.ts';
import type { Member } from './members.ts';
import { Supervisor } from './supervisor.ts';

/** How long a worker that does not respond delays a message to all, in milliseconds. */
const publishMs = 1_000;

/**
 * Runs the service in several worker processes behind one port, of which this one serves no request. `flags` are added
 * to Node's of each worker. Returns the function that ends it; `failed` resolves when no worker can be kept running.
 * Throws `ConfigError` and `WorkerEndedError`.
 */
export async function startWorkers(config: Config, { stop, flags }: { stop: AbortSignal; flags: string[] }) {
  const log = createLog(config.logLevel);
  await requireFreeAddress(config);
  cluster.setupPrimary({
    execArgv: [...process.execArgv, ...flags],
    // Unlike JSON, keeps NaN, which some metrics are.
    serialization: 'advanced',
  });
  const demoSessions = hasDemoPages(config) ? createDemoSessions() : null;
  const { promise: failed, resolve: fail } = Promise.withResolvers<void>();
  const onFailure = (error: Error): void => {
    log.fatal({ err: error }, 'the gateway ends: its workers cannot be kept running');
    process.exitCode = 1;
    fail();
  };

  const onStart = ({ channel, exited }: Member): void => {
    // Arrives at the worker behind the connections that were sent to it before.
    channel.handle('handOver', () => null);
    channel.handle('publish', (message: object) => publish(supervisor, channel, message));
    channel.handle('demo.issueKey', () => demoSessions?.issueKey());
    channel.handle('demo.exchange', (key: string) => demoSessions?.exchange(key) ?? null);
    channel.handle('demo.has', (session: DemoSession) => demoSessions?.has(session) ?? false);
    metrics?.watch({ channel, exited });
  };
  const supervisor = new Supervisor({
    count: config.workers,
    log,
    onStart,
    onFailure,
    drainMs: drainMsOf(config),
  });
  const metrics = config.metricsPort === null ? null : await serveMetrics(config, supervisor);
  const closers: (() => Promise<void>)[] = [async () => metrics?.close()];
  const close = async (): Promise<void> => {
    const code = await supervisor.stop();
    await Promise.all(closers.map((end) => end()));
    if (code !== 0) process.exitCode = code;
  };
  const onStop = () => void supervisor.stop();
  stop.addEventListener('abort', onStop);
  try {
    const url = await supervisor.start();
    stop.throwIfAborted();
    const addressOf = () => `${url}/graphql#key=${demoSessions?.issueKey()}`;
    if (demoSessions) closers.push(await openSocket(config, supervisor, addressOf));
    process.on('SIGUSR2', () => void supervisor.restart());
    await announce({ config, url, makeAddress: demoSessions && addressOf, log });
    return { close, failed };
  } catch (error) {
    await close();
    throw stop.aborted ? stop.reason : error;
  }
}

/** Passes a message on to the other workers, and waits until they have handled it. */
async function publish(supervisor: Supervisor, from: Member['channel'], message: object): Promise<void> {
  const others = supervisor.members.filter(({ channel, isReady }) => channel !== from && isReady);
  await Promise.allSettled(others.map(({ channel }) => channel.request('published', message, publishMs)));
}

/** The admin socket of the whole service: `open` concerns what the primary holds; any worker can do the rest. */
async function openSocket({ dataDir }: Config, supervisor: Supervisor, addressOf: () => string) {
  const pass = (name: string) => async (body: unknown) => {
    const [worker] = supervisor.ready;
    if (!worker) throw new ParleyError('unavailable', 'The gateway is restarting: try again in a few seconds.');
    return worker.channel.request<object>(`admin.${name}`, body);
  };
  makePrivateFolder(dataDir);
  const operations = { token: pass('token'), quota: pass('quota'), open: async () => ({ address: addressOf() }) };
  const socket = await openAdminSocket({ dataDir, operations });
  return () => socket.close();
}

async function serveMetrics(config: Config, supervisor: Supervisor) {
  const { startServiceMetrics } = await import('../telemetry/service-metrics.ts');
  return startServiceMetrics({ host: config.host, port: config.metricsPort ?? 0 }, supervisor);
}
