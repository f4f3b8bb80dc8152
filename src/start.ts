import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { prepareDemo } from '../prisma/demo/prepare.ts';
import type { App } from './app.ts';
import { type AdminOperations, openAdminSocket } from './auth/admin/admin-socket.ts';
import { noDemoPages } from './auth/demo.ts';
import type { DemoSessions } from './auth/demo-sessions.ts';
import { openSecrets } from './auth/encryption/secrets.ts';
import { issueToken } from './auth/issue.ts';
import { setQuota } from './auth/quota.ts';
import { warnOfUnrestrictedApps } from './auth/unrestricted-apps.ts';
import { onlineCopyOperations } from './backup/online.ts';
import { announce } from './config/banner.ts';
import { type Config, readConfig } from './config/config.ts';
import { misspelledNames } from './config/misspelled-names.ts';
import { createProgress } from './config/progress.ts';
import { formerNames, settingNames } from './config/variables.ts';
import type { Services } from './context.ts';
import { forbidden } from './core/errors.ts';
import { type DatabaseHandle, openDatabase } from './database/client.ts';
import { requireUsable } from './database/copy/usable.ts';
import { migrate } from './database/migrate.ts';
import { makePrivateFolder, protectFolder } from './database/pglite/private-folder.ts';
import { databaseUnready } from './database/readiness.ts';
import { bodyAllowance, readingAllowance } from './http/allowances.ts';
import { Connections } from './http/connections.ts';
import { createLog, flushed, logOutput } from './http/log/request-log.ts';
import { stallLog } from './http/log/stall-log.ts';
import { listen, requireFreeAddress } from './http/server.ts';
import { UnfinishedBodies } from './http/unfinished-bodies.ts';
import { alertSchedule, expireOrphanedTurns, schedules, startSchedule } from './jobs/schedule.ts';
import { startJobs } from './jobs/start.ts';
import { useProxy } from './net/proxy.ts';
import { indexWaitingPassages } from './search/segments.ts';
import { createServices } from './services.ts';
import type { Observed } from './telemetry/state-metrics.ts';
import { connectedSessions } from './workers/demo-sessions.ts';
import { drainMsOf } from './workers/drain.ts';
import type { Primary } from './workers/worker.ts';

/** How long requests and jobs in flight may take after SIGTERM, in milliseconds. */
const GRACE_MS = 7_500;
/** The primary answers after it has sent the connections that it accepted. In milliseconds. */
const handOverMs = 500;
/** After SIGTERM, how long clients may use the connections they keep, and how long each of those may be idle. */
const lettingGo = { maxMs: 1_000, idleMs: 500 };
/** How long background work is deferred once the server accepts requests, in milliseconds. */
const LATER_MS = 100;
/**
 * Turns outlive their requests. The deadline is shorter than `GRACE_MS`, so that turns that miss it can still report
 * so.
 */
const TURN_GRACE_MS = 6_500;

type Started = {
  url: string;
  /** Resolves once the work in flight is done, for a worker that has been replaced: it gets no new connections. */
  drain: () => Promise<void>;
  /** Shuts the gateway down in order. */
  close: () => Promise<void>;
};

/** Starts serving. `stop` interrupts a start between two steps; `primary` is that of a worker. */
export async function start(stop: AbortSignal, primary: Primary | null): Promise<Started> {
  const config = readConfig(process.env);
  if (config.proxy) useProxy(config.proxy);
  const output = logOutput(config.workers);
  const log = createLog(config.logLevel, output, primary && { worker: primary.number });
  // What concerns all workers alike is reported by the first.
  const reports = (primary?.number ?? 1) === 1;
  const progress = createProgress(
    (text, details) => reports && log.info(details ?? {}, text),
    reports && process.stdout.isTTY ? process.stdout : null,
  );
  // Whatever serves requests and runs jobs shuts down concurrently, each within its own grace; the database closes
  // last.
  const working: (() => Promise<unknown>)[] = [];
  let endTraces = async () => {};
  let closeDatabase = async (): Promise<void> => {};
  const close = async () => {
    await Promise.all(working.map((end) => end()));
    await closeDatabase();
    await endTraces();
  };
  try {
    if (reports) warnOfSettings(config, log);
    if (!primary) await requireFreeAddress(config);
    if (config.tracing) {
      const { startTracing } = await import('./telemetry/traces.ts');
      endTraces = startTracing(config.tracing, log);
    }
    for (const { kind, message } of protectFolder(config.dataDir)) {
      log.warn({ folder: config.dataDir, kind }, message);
    }
    const standby = config.databaseReadUrl ? { url: config.databaseReadUrl, onChange: logStandby(log) } : null;
    const stalls = stallLog(log, output, progress);
    const template = config.demo ? 'demo' : 'empty';
    const opening = openDatabase({ ...config, template, standby, stalls, onStep: progress.step });
    // Load the application while the embedded database opens. Loading blocks the event loop, on a slow machine for
    // longer than a server has to complete a connection.
    const loading = config.databaseUrl ? null : import('./app.ts');
    const handle = await opening;
    closeDatabase = () => handle.close();
    const { createApp } = await (loading ?? import('./app.ts'));
    stop.throwIfAborted();
    await requireUsable(handle.pool);
    const applied = await migrate(handle, { onStep: progress.step });
    stop.throwIfAborted();
    const secrets = await openSecrets({ ...config, handle });
    const services = createServices({ config, handle, secrets, log, ...(primary && sharedBy(primary)) });
    // Seeding the demo workspace enqueues jobs, so the queue may be in use long before its workers start.
    let endLater: () => Promise<unknown> = () => services.queue.close();
    working.push(() => endLater());
    const endPresence = await bePresent(services);
    closeDatabase = async () => {
      await endPresence();
      await handle.close();
    };
    stop.throwIfAborted();
    await indexWaitingPassages(handle, progress.step);
    stop.throwIfAborted();
    if (reports) await warnOfUnrestrictedApps(services);
    await prepareDemo(services, handle, progress.step);
    if (handle.kind === 'embedded') await expireOrphanedTurns(services);
    stop.throwIfAborted();
    let closing = false;
    const app = createApp(services, async () =>
      closing ? 'It is shutting down.' : ((await databaseUnready(handle)) ?? services.queue.problem),
    );
    const allowance = readingAllowance(config);
    const bodies = new UnfinishedBodies({ addressOf: app.addressOf, allowance: bodyAllowance(config.workers) });
    const { load } = services;
    const handOver = primary && (() => primary.channel.request('handOver', null, handOverMs));
    const connections = new Connections({ allowance, log, handOver });
    const server = await listen(app.fetch, config, { pipeline: app.pipeline, bodies, connections, load, log });
    load.watch();
    working.push(() => server.close(GRACE_MS));
    working.push(() => services.turns.close(TURN_GRACE_MS));
    working.push(async () => services.sourceWatch.close());
    working.push(async () => services.messageWatch.close());
    working.push(await listenForOperator(services, handle, server.url, primary));
    working.push(await serveMetrics(services, { handle, connections, caches: app.cacheSizes }, primary));
    // SIGUSR2 restarts the workers; its default would end a process.
    process.on('SIGUSR2', () => primary ?? log.warn('SIGUSR2 restarts workers: it needs WORKERS to be more than 1'));
    progress.ready(applied.length);
    if (!primary) {
      const { demoSessions } = services;
      const makeAddress = demoSessions && (() => addressWithKey(demoSessions, server.url));
      await announce({ config, url: server.url, makeAddress, log });
    }
    endLater = startLater(services, handle, app);
    return {
      url: server.url,
      drain: async () => {
        const until = performance.now() + drainMsOf(config);
        await server.drain(drainMsOf(config));
        while (services.turns.running > 0 && performance.now() < until) await sleep(100);
      },
      close: async () => {
        closing = true;
        // A load balancer may be sending on connections that it keeps: they are closed with a response, or once unused.
        await server.drain(lettingGo.maxMs, lettingGo.idleMs);
        await close();
      },
    };
  } catch (error) {
    progress.done();
    await close();
    // So that why it failed is the last line.
    await flushed(output);
    throw error;
  }
}

function warnOfSettings(config: Config, log: Logger): void {
  for (const [former, present] of Object.entries(formerNames)) {
    if (process.env[former]) log.warn({ former, present }, `${former} is now called ${present}: rename it`);
  }
  for (const { misspelled, suggestion } of misspelledNames(process.env, settingNames)) {
    log.warn(
      { misspelled, suggestion },
      `${misspelled} is not a setting of the gateway and was ignored: did you mean ${suggestion}?`,
    );
  }
  if (config.explainSql) {
    log.warn('EXPLAIN_SQL is on: owners of all workspaces may see the SQL of operations. It is meant for development.');
  }
}

/**
 * Makes the process known in the database until the returned function is called. Throws `MigrationError` if its data is
 * being moved or restored meanwhile.
 */
async function bePresent(services: Services): Promise<() => Promise<void>> {
  const { pool, presence, log } = services;
  try {
    await presence.announce();
  } finally {
    // Whoever moves or restores either finds this process, or is found here; a move makes it wait, in vain.
    await requireUsable(pool);
  }
  const round = startSchedule(services, schedules.presence);
  return async () => {
    await round.close();
    await presence
      .withdraw()
      .catch((error: unknown) => log.warn({ err: error }, 'The process stays known in the database for 30 seconds'));
  };
}

/** Serves metrics if METRICS_PORT is set; the primary serves those of workers. Returns the function that ends it. */
async function serveMetrics(
  services: Services,
  others: Omit<Observed, 'services'>,
  primary: Primary | null,
): Promise<() => Promise<unknown>> {
  const { host, metricsPort: port } = services.config;
  if (port === null) return async () => {};
  const { startMetrics, shareMetrics } = await import('./telemetry/metrics.ts');
  const observed = { services, ...others };
  if (primary) return shareMetrics(primary.channel, observed).close;
  const { url, close } = await startMetrics({ host, port }, observed);
  services.log.info({ url }, 'serving metrics');
  return close;
}

/**
 * Starts the background work, and preloads code that some requests need, after a short delay in which the first waiting
 * requests can be served. Returns the function that stops it.
 */
function startLater(services: Services, { kind }: DatabaseHandle, app: App): () => Promise<unknown> {
  let closers = [() => services.queue.close()];
  const timer = setTimeout(() => {
    const jobs = startJobs(services);
    const turns = startSchedule(services, schedules.turns);
    const alerts = startSchedule(services, alertSchedule(app.checkAlerts));
    const upkeep = kind === 'embedded' ? startSchedule(services, schedules.database) : null;
    closers = [() => jobs.close(), () => turns.close(), () => alerts.close(), async () => upkeep?.close()];
    // A failed import is reported to the request that needs it.
    import('./graphql/endpoint.ts').catch(() => {});
  }, LATER_MS);
  return () => {
    clearTimeout(timer);
    return Promise.all(closers.map((close) => close()));
  };
}

const logStandby = (log: Logger) => (problem: string | null) =>
  problem === null
    ? log.info('reads that may be stale go to the standby')
    : log.warn({ problem }, 'reads that may be stale go to the primary');

/** What the workers of a gateway share through their primary. */
const sharedBy = ({ channel, peers }: Primary) => ({ peers, demoSessions: connectedSessions(channel) });

/** Returns the function that closes the admin socket. That of workers is their primary's, which passes requests on. */
async function listenForOperator(
  services: Services,
  { kind, pool }: DatabaseHandle,
  url: string,
  primary: Primary | null,
): Promise<() => Promise<void>> {
  const { config, demoSessions, log } = services;
  const operations: AdminOperations = {
    token: async (body) => ({ token: await issueToken(services, body) }),
    quota: async (body) => ({ max: await setQuota(services, body) }),
    open: async () => ({ address: await addressWithKey(requireDemo(demoSessions), url) }),
    ...(kind === 'embedded' && onlineCopyOperations(pool)),
  };
  if (primary) {
    for (const [name, operation] of Object.entries(operations)) primary.channel.handle(`admin.${name}`, operation);
    return async () => {};
  }
  // With a PostgreSQL server, `npm run token` connects to the database itself.
  if (kind === 'postgres' && !demoSessions) return async () => {};
  try {
    makePrivateFolder(config.dataDir);
    const control = await openAdminSocket({ dataDir: config.dataDir, operations });
    return () => control.close();
  } catch (error) {
    if (kind === 'embedded') throw error;
    log.warn({ error }, 'npm run open cannot reach this gateway: no socket can be created in DATA_DIR');
    return async () => {};
  }
}

const addressWithKey = async (sessions: DemoSessions, url: string) => `${url}/graphql#key=${await sessions.issueKey()}`;

function requireDemo(sessions: DemoSessions | null): DemoSessions {
  if (sessions) return sessions;
  throw forbidden(noDemoPages);
}
