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
import { alone } from './database/advisory.ts';
import { type DatabaseHandle, openDatabase } from './database/client.ts';
import { isReady, MigrationError, migrate } from './database/migrate.ts';
import { FolderInUseError, UnusableFolderError, UnwritableFolderError } from './database/pglite/folder-lock.ts';
import { makePrivateFolder, protectFolder } from './database/pglite/private-folder.ts';
import { DatabaseUnreachableError } from './database/postgres.ts';
import { Connections } from './http/connections.ts';
import { bufferedOutput, createLog } from './http/request-log.ts';
import { listen, requireFreeAddress } from './http/server.ts';
import { UnfinishedBodies } from './http/unfinished-bodies.ts';
import { expireOrphanedTurns, rounds, startRound } from './jobs/schedule.ts';
import { startJobs } from './jobs/start.ts';
import { indexWaitingPassages } from './search/segments.ts';
import { createServices } from './services.ts';

/** How long requests and jobs in flight may take after SIGTERM, in milliseconds. */
const GRACE_MS = 8_000;
/** How long background work waits when requests can come, in milliseconds. */
const LATER_MS = 100;
/** Turns go on without their callers. Those that fail for lack of time do so while there is time to tell. */
const TURN_GRACE_MS = 6_500;

/** Runs the gateway until `stop` ends it, and then the process. When it cannot start, says why and has the process fail. */
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

/** What is for the person who starts the gateway to put right. */
const isExpected = (error: unknown): error is Error =>
  [
    ConfigError,
    FolderInUseError,
    UnwritableFolderError,
    UnusableFolderError,
    DatabaseUnreachableError,
    MigrationError,
  ].some((kind) => error instanceof kind);

/** Answers what ends the gateway in order. `stop` ends a start between two of its steps. */
async function start(stop: AbortSignal): Promise<() => Promise<void>> {
  const config = readConfig(process.env);
  const log = createLog(config.logLevel, bufferedOutput());
  const progress = createProgress((line) => console.error(line));
  // What works on requests and jobs ends side by side, each within its grace; the database ends after all of it.
  const working: (() => Promise<unknown>)[] = [];
  let closeDatabase = async () => {};
  const close = async () => {
    await Promise.all(working.map((end) => end()));
    await closeDatabase();
  };
  try {
    for (const { given, meant } of misspelledNames(process.env, settingNames)) {
      log.warn({ given, meant }, `${given} is no setting of the gateway and was not read: was ${meant} meant?`);
    }
    await requireFreeAddress(config);
    for (const { kind, message } of protectFolder(config.dataDir)) {
      log.warn({ folder: config.dataDir, kind }, message);
    }
    const opening = openDatabase({ ...config, onStep: progress.step });
    // While the embedded database opens, what is to be served is loaded. Loading holds up the event loop, on a slow machine
    // for longer than a server has to answer a connection.
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
    // The demo workspace has jobs, so that the queue may be open long before anybody works on it.
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
 * Starts what works beside the requests, and loads what some of them will need, once the first that waited for this start
 * can have been answered. Answers what ends it.
 */
function startLater(services: Services, { kind }: DatabaseHandle): () => Promise<unknown> {
  let closers = [() => services.queue.close()];
  const timer = setTimeout(() => {
    const jobs = startJobs(services);
    const turns = startRound(services, rounds.turns);
    const upkeep = kind === 'embedded' ? startRound(services, rounds.database) : null;
    closers = [() => jobs.close(), () => turns.close(), async () => upkeep?.close()];
    // Who needs it in earnest is told of a failure.
    import('./graphql/endpoint.ts').catch(() => {});
  }, LATER_MS);
  return () => {
    clearTimeout(timer);
    return Promise.all(closers.map((close) => close()));
  };
}

/** Answers what ends it. */
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
  // On a server, `npm run token` asks the database itself.
  if (kind === 'postgres' && !demoSessions) return async () => {};
  try {
    makePrivateFolder(config.dataDir);
    const control = await openAdminSocket({ dataDir: config.dataDir, operations });
    return () => control.close();
  } catch (error) {
    if (kind === 'embedded') throw error;
    log.warn({ error }, 'npm run open cannot reach this gateway: DATA_DIR takes no socket');
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
  onStep('Making the demo workspace');
  const { seedDemo } = await import('../prisma/seed.ts');
  // Of replicas that start at once, one makes it. The embedded database has one connection, and is this process's alone.
  await (kind === 'embedded' ? seedDemo(services) : alone(pool, 'demo', () => seedDemo(services)));
}
