import { setTimeout as wait } from 'node:timers/promises';
import type { PgBoss } from 'pg-boss';
import type { Logger } from 'pino';
import { ParleyError } from '../core/errors.ts';
import { inChildSpan } from '../core/tracing.ts';
import { afterCommit, type DatabaseHandle, type Transaction, transact } from '../database/client.ts';
import { inBackground } from '../database/deadline.ts';
import type { Handlers, Job, JobName } from './kinds.ts';
import { openStore, type QueueDepth, QueueError, queueDepths, unfinishedJobs } from './store.ts';
import { startWorkers, type Workers } from './workers.ts';

/** Adds jobs to the running transaction. */
type Enqueue = (jobs: Job[]) => Promise<void>;

export type Queue = {
  /** Opens the job store, which all methods below do on demand. Call it before a transaction that may need it. */
  open(): Promise<unknown>;
  /** Why no jobs can run until the operator does something, in words that anybody may read; null if they can. */
  readonly problem: string | null;
  /** How many jobs wait and run, on all replicas. */
  depths(): Promise<QueueDepth[]>;
  /**
   * Runs `work` in one transaction, which commits or rolls back its writes and jobs together, and wakes the workers
   * after the commit. Inside, all queries must go through `tx`, as in `transact`.
   */
  transact<T>(work: (tx: Transaction, enqueue: Enqueue) => Promise<T>): Promise<T>;
  /** Starts the workers, and recovers the jobs of dead ones. */
  start(handlers: Handlers): Promise<void>;
  /** Resolves once no job is queued, running or waiting for a retry. For tests and seeds. */
  idle(): Promise<void>;
  /** Gives running jobs `graceMs` (default 3 s) to finish; the rest are left to the next worker, and lose nothing. */
  close(graceMs?: number): Promise<void>;
};

/** Polling interval, in milliseconds, for jobs of other gateways and for retries. */
const defaultPollIntervalMs = 2_000;

/** `schema`: where the queue has its tables. */
type Options = { handle: DatabaseHandle; schema?: string; log: Logger; pollIntervalMs?: number };

const problem = 'Background jobs cannot run: the log says why, and what the operator can do.';

/**
 * Creates the queue of background jobs (pg-boss) in the gateway's own database, which is not accessed before the first
 * use: `start`, or the first transaction.
 */
export function createQueue(options: Options): Queue {
  const { handle, schema = 'pgboss', log, pollIntervalMs = defaultPollIntervalMs } = options;
  let isRefused = false;
  let opening: Promise<PgBoss> | null = null;
  let workers: Workers | null = null;
  let closed = false;

  const openBoss = (): Promise<PgBoss> => {
    opening ??= inBackground(() => openStore(handle, schema, log)).then(
      (boss) => {
        isRefused = false;
        return boss;
      },
      (error: unknown) => {
        opening = null;
        isRefused = error instanceof QueueError;
        throw error;
      },
    );
    return opening;
  };

  /** Throws 503 `unavailable` while the queue is refused. */
  const open = () =>
    openBoss().catch((error: unknown) => {
      throw error instanceof QueueError ? new ParleyError('unavailable', problem, { cause: error }) : error;
    });

  return {
    open,

    get problem() {
      return isRefused ? problem : null;
    },

    depths: () => queueDepths(handle, schema),

    async transact(work) {
      const boss = await open();
      const names = new Set<JobName>();
      const result = await transact(handle.client, (tx) =>
        work(tx, async (jobs) => {
          for (const [name, group] of Map.groupBy(jobs, (job) => job.name)) {
            names.add(name);
            await insertJobs(boss, tx, name, group);
          }
        }),
      );
      await afterCommit(handle.client, () => names.forEach((name) => workers?.wake(name)));
      return result;
    },

    async start(handlers) {
      const boss = await openBoss();
      await releaseJobs(boss, handle, schema);
      if (closed) return;
      workers = await startWorkers(boss, handlers, { log, pollIntervalMs });
    },

    async idle() {
      if (!workers) throw new Error('No worker was started: the jobs would wait for ever.');
      for (;;) {
        const jobs = await unfinishedJobs(handle, schema);
        if (jobs.length === 0) return;
        const waiting = new Set(jobs.filter(({ running }) => !running).map(({ name }) => name));
        for (const name of waiting) workers?.wake(name);
        await wait(20);
      }
    },

    async close(graceMs = 3_000) {
      closed = true;
      const boss = await opening?.catch(() => null);
      await Promise.race([workers?.stop(), wait(graceMs, undefined, { ref: false })]);
      await boss?.stop({ graceful: false, close: false });
    },
  };
}

async function insertJobs(boss: PgBoss, tx: Transaction, name: JobName, jobs: Job[]): Promise<void> {
  const { fromPrisma } = await import('pg-boss');
  await inChildSpan(
    () => describeSend(name),
    async (span) => {
      const rows = jobs.map(({ key, data }) => ({
        singletonKey: key,
        group: { id: data.workspaceId },
        data: span ? { ...data, traceparent: span.traceparent } : data,
      }));
      await boss.insert(name, rows, { db: fromPrisma(tx) });
    },
  );
}

const describeSend = (name: JobName) => ({
  name: `send ${name}`,
  kind: 'producer' as const,
  attributes: {
    'messaging.system': 'pg-boss',
    'messaging.operation.name': 'send',
    'messaging.operation.type': 'send',
    'messaging.destination.name': name,
  },
});

/**
 * Returns the jobs of dead workers to the queue. The embedded database is used by this process only, so at the start
 * any running job belongs to a dead worker.
 */
async function releaseJobs(boss: PgBoss, handle: DatabaseHandle, schema: string): Promise<void> {
  if (handle.kind === 'postgres') return boss.supervise();
  const orphaned = (await unfinishedJobs(handle, schema)).filter(({ running }) => running);
  for (const { id, name } of orphaned) await boss.fail(name, id, { message: 'the process ended' });
}
