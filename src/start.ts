import { once } from 'node:events';
import { type AdminOperations, openAdminSocket } from './auth/admin-socket.ts';
import { noDemoPages } from './auth/demo.ts';
import type { DemoSessions } from './auth/demo-sessions.ts';
import { issueToken } from './auth/issue.ts';
import { setQuota } from './auth/quota.ts';
import { openSecrets } from './auth/secrets.ts';
import { warnOfUnrestrictedApps } from './auth/unrestricted-apps.ts';
import { announce } from './config/banner.ts';
import { ConfigError, readConfig, settingNames } from './config/config.ts';
import { misspelledNames } from './config/misspelled-names.ts';
import { createProgress } from './config/progress.ts';
import type { Services } from './context.ts';
import { forbidden } from './core/errors.ts';
import { withAdvisoryLock } from './database/advisory.ts';
import { type DatabaseHandle, openDatabase } from './database/client.ts';
import { isReady, MigrationError, migrate } from './database/migrate.ts';
import { FolderInUseError, UnusableFolderError, UnwritableFolderError } from './database/pglite/folder-lock.ts';
import { makePrivateFolder, protectFolder } from './database/pglite/private-folder.ts';
import { DatabaseUnreachableError } from './database/postgres.ts';
import { Connections } from './http/connections.ts';
import { bufferedOutput, createLog } from './http/request-log.ts';
import { listen, requireFreeAddress } from './http/server.ts';
import { UnfinishedBodies } from './http/unfinished-bodies.ts';
import { expireOrphanedTurns, schedules, startSchedule } from './jobs/schedule.ts';
import { startJobs } from './jobs/start.ts';
import { indexWaitingPassages } from './search/segments.ts';
import { createServices } from './services.ts';

/** How long requests and jobs in flight may take after SIGTERM, in milliseconds. */
const GRACE_MS = 8_000;
/** How long background work is deferred once the server accepts requests, in milliseconds. */
const LATER_MS = 100;
/**
 * Turns outlive their requests. The deadline is shorter than `GRACE_MS`, so that turns that miss it can still report
 * so.
 */
const TURN_GRACE_MS = 6_500;

/** Runs the gateway until `stop` aborts, then exits. If it cannot start, prints why and sets a failing exit code. */
export async function run(stop: AbortSignal): Promise<void> {
  try {
    const close = await start(stop);
    if (!stop.aborted) await once(stop, 'abort');
    await close();
    process.exit(0);
  } catch (error) {
    if (stop.aborted && error === stop.reason) process.exit(0);
    console.error(isExpected(error) ? `Parley cannot start.\n${error.message}` : error);
    if (stop.aborted) process.exit(1);
    process.exitCode = 1;
  }
}

/** Errors that the operator can fix: printed without a stack. */
const isExpected = (error: unknown): error is Error =>
  [
    ConfigError,
    FolderInUseError,
    UnwritableFolderError,
    UnusableFolderError,
    DatabaseUnreachableError,
    MigrationError,
  ].some((kind) => error instanceof kind);

/** Returns the function that shuts the gateway down in order. `stop` interrupts a start between two steps. */
async function start(stop: AbortSignal): Promise<() => Promise<void>> {
  const config = readConfig(process.env);
  const log = createLog(config.logLevel, bufferedOutput());
  const progress = createProgress((line) => console.error(line));
  // Whatever serves requests and runs jobs shuts down concurrently, each within its own grace; the database closes
  // last.
  const working: (() => Promise<unknown>)[] = [];
  let closeDatabase = async () => {};
  const close = async () => {
    await Promise.all(working.map((end) => end()));
    await closeDatabase();
  };
  try {
    for (const { misspelled, suggestion } of misspelledNames(process.env, settingNames)) {
      log.warn(
        { misspelled, suggestion },
        `${misspelled} is not a setting of the gateway and was ignored: did you mean ${suggestion}?`,
      );
    }
    await requireFreeAddress(config);
    for (const { kind, message } of protectFolder(config.dataDir)) {
      log.warn({ folder: config.dataDir, kind }, message);
    }
    const opening = openDatabase({ ...config, onStep: progress.step });
    // Load the application while the embedded database opens. Loading blocks the event loop, on a slow machine for
    // longer than a server has to complete a connection.
    const loading = config.databaseUrl ? null : import('./app.ts');
    const handle = await opening;
    closeDatabase = () => handle.close();
    const { createApp } = await (loading ?? import('./app.ts'));
    stop.throwIfAborted();
    await migrate(handle, { onStep: progress.step });
    stop.throwIfAborted();
    await indexWaitingPassages(handle, progress.step);
    stop.throwIfAborted();
    const secrets = await openSecrets({ ...config, handle });
    const services = createServices({ config, handle, secrets, log });
    // Seeding the demo workspace enqueues jobs, so the queue may be in use long before its workers start.
    let endLater: () => Promise<unknown> = () => services.queue.close();
    working.push(() => endLater());
    await warnOfUnrestrictedApps(services);
    if (config.demo) await makeDemo(services, handle, progress.step);
    if (handle.kind === 'embedded') await expireOrphanedTurns(services);
    stop.throwIfAborted();
    let closing = false;
    const app = createApp(services, async () => !closing && isReady(handle));
    const bodies = new UnfinishedBodies({ addressOf: app.addressOf });
    const { load } = services;
    const connections = new Connections({ allowance: { idleMs: config.unreadTimeoutMs }, log });
    const server = await listen(app.fetch, config, { fastPath: app.fastPath, bodies, connections, load, log });
    load.watch();
    working.push(() => server.close(GRACE_MS));
    working.push(() => services.turns.close(TURN_GRACE_MS));
    working.push(async () => services.sourceWatch.close());
    working.push(async () => services.messageWatch.close());
    working.push(await listenForOperator(services, handle, server.url));
    if (config.metricsPort !== null) {
      const { startMetrics } = await import('./telemetry/metrics.ts');
      const caches = app.cacheSizes;
      const metrics = await startMetrics(
        { host: config.host, port: config.metricsPort },
        { services, handle, connections, caches },
      );
      working.push(metrics.close);
      log.info({ url: metrics.url }, 'serving metrics');
    }
    progress.done();
    announce(config, server.url, services.demoSessions && addressWithKey(services.demoSessions, server.url));
    endLater = startLater(services, handle);
    return async () => {
      closing = true;
      await close();
    };
  } catch (error) {
    progress.done();
    await close();
    throw error;
  }
}

/**
 * Starts the background work, and preloads code that some requests need, after a short delay in which the first waiting
 * requests can be served. Returns the function that stops it.
 */
function startLater(services: Services, { kind }: DatabaseHandle): () => Promise<unknown> {
  let closers = [() => services.queue.close()];
  const timer = setTimeout(() => {
    const jobs = startJobs(services);
    const turns = startSchedule(services, schedules.turns);
    const upkeep = kind === 'embedded' ? startSchedule(services, schedules.database) : null;
    closers = [() => jobs.close(), () => turns.close(), async () => upkeep?.close()];
    // A failed import is reported to the request that needs it.
    import('./graphql/endpoint.ts').catch(() => {});
  }, LATER_MS);
  return () => {
    clearTimeout(timer);
    return Promise.all(closers.map((close) => close()));
  };
}

/** Returns the function that closes the admin socket. */
async function listenForOperator(
  services: Services,
  { kind }: DatabaseHandle,
  url: string,
): Promise<() => Promise<void>> {
  const { config, demoSessions, log } = services;
  const operations: AdminOperations = {
    token: async (body) => ({ token: await issueToken(services, body) }),
    quota: async (body) => ({ max: await setQuota(services, body) }),
    open: async () => ({ address: addressWithKey(requireDemo(demoSessions), url) }),
  };
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

const addressWithKey = (sessions: DemoSessions, url: string) => `${url}/graphql#key=${sessions.issueKey()}`;

function requireDemo(sessions: DemoSessions | null): DemoSessions {
  if (sessions) return sessions;
  throw forbidden(noDemoPages);
}

async function makeDemo(
  services: Services,
  { kind, pool }: DatabaseHandle,
  onStep: (text: string) => void,
): Promise<void> {
  onStep('Creating the demo workspace');
  const { seedDemo } = await import('../prisma/seed.ts');
  // Of replicas that start at once, one seeds it. The embedded database has a single connection, owned by this process.
  await (kind === 'embedded' ? seedDemo(services) : withAdvisoryLock(pool, 'demo', () => seedDemo(services)));
}
