import type { Services } from '../context.ts';
import { reconcileDirectory } from '../database/directory.ts';
import { databaseError, databaseFailureCause, failureKind } from '../database/errors.ts';
import { type FolderSize, sizeOf } from '../database/pglite/folder-size.ts';
import { checkpoint, vacuumChanged } from '../database/upkeep/maintenance.ts';
import { analyzeChanged } from '../database/upkeep/statistics.ts';
import { moveAttachments, sweepFiles } from '../domain/attachments/file-sweep.ts';
import { clearAuditEntries } from '../domain/audit/entries.ts';
import { cleanIndexLater, indexLater } from '../domain/conversations/indexing.ts';
import { resolveInactive } from '../domain/conversations/outcomes.ts';
import { applyRetention } from '../domain/conversations/retention.ts';
import { resumeErasures } from '../domain/erasure/job.ts';
import { resumeEvaluations } from '../domain/evaluations/run.ts';
import { resumeCompaction } from '../domain/knowledge/compaction.ts';
import { resumeEmbedding } from '../domain/knowledge/embedding.ts';
import { resumeIngestion } from '../domain/knowledge/ingestion.ts';
import { startRefreshes } from '../domain/knowledge/source-refresh.ts';
import { clearTurns, endOrphanedTurns, expireLeases } from '../domain/turns/sweep.ts';
import { clearEvents } from '../domain/webhooks/retention.ts';
import { clearWidgetLimits } from '../domain/widget/limits.ts';

/** `signal` is aborted when the process ends: a long task then begins nothing more. */
type Task = (services: Services, signal: AbortSignal) => Promise<unknown>;
/** Periodic tasks of each process, run one after the other: once at the start, then at each interval. */
type Schedule = { everyMs: number; tasks: Record<string, Task> };

/** All periodic tasks; docs/operations-monitoring.md has the same table. */
export const schedules = {
  /** By themselves, so that no other task delays them: a process that is not seen for 30 seconds counts as dead. */
  presence: {
    everyMs: 5_000,
    tasks: { 'make the process known in the database': ({ presence }) => presence.renew() },
  },
  turns: {
    everyMs: 5_000,
    tasks: { 'end turns of processes that died': endOrphanedTurns },
  },
  /** Only for the embedded database: a PostgreSQL server does this by itself. */
  database: {
    everyMs: 30_000,
    tasks: { 'analyze, vacuum and checkpoint the embedded database': maintainDatabase },
  },
  /** Pending messages are rows of their own table, which a search reads too. */
  messages: {
    everyMs: 5_000,
    tasks: { 'index messages for search': indexLater },
  },
  /** Cleans up after crashed processes, and expires what is kept for a limited time. */
  jobs: {
    everyMs: 300_000,
    tasks: {
      'refresh sources that are due': startRefreshes,
      'resume the ingestion of sources': resumeIngestion,
      'resume the embedding of passages': resumeEmbedding,
      'resume evaluations of agents': resumeEvaluations,
      'resume erasures of people': resumeErasures,
      'resolve silent conversations': resolveInactive,
      'remove ended turns, streams and idempotency keys': clearTurns,
      'remove events and their deliveries after 30 days': clearEvents,
      'remove conversations, traces and attachments that are no longer kept': applyRetention,
      'remove entries of the audit log after 400 days': clearAuditEntries,
      'move attachments into the storage': moveAttachments,
      'delete files that nothing refers to': sweepFiles,
      'remove expired windows of limits and budgets': clearWidgetLimits,
      'reindex passages and merge postings': resumeCompaction,
      'remove deleted messages from the search index': cleanIndexLater,
    },
  },
  /** Needed only for what older gateways have written, and for rows that are gone. */
  directory: {
    everyMs: 86_400_000,
    tasks: { 'revise the directory of secrets and members': reconcileDirectory },
  },
} as const satisfies Record<string, Schedule>;

/** Needs the graph, which no other task does; by itself, since it may ask for much. */
export const alertSchedule = (checkAlerts: (signal: AbortSignal) => Promise<void>) =>
  ({
    everyMs: 60_000,
    tasks: { 'check the alerts of boards': (_services, signal) => checkAlerts(signal) },
  }) satisfies Schedule;

/**
 * Expires the leases of the previous process's turns, where the database belongs to one process only. Call it before
 * the first turn.
 */
export const expireOrphanedTurns = (services: Services): Promise<void> => expireLeases(services);

/** Runs the tasks of a round now and at each interval until `close`. A task that fails is logged and stops no other. */
export function startSchedule(services: Services, { everyMs, tasks }: Schedule): ReturnType<typeof every> {
  const work = async (signal: AbortSignal): Promise<void> => {
    for (const [task, run] of Object.entries(tasks)) {
      await run(services, signal).catch((error: unknown) =>
        services.log.error({ cause: causeOf(task, error), err: error, task }, 'A task has failed'),
      );
    }
  };
  return every(everyMs, work);
}

/** All tasks fail for the same cause while the database is away. */
const causeOf = (task: string, error: unknown): string =>
  databaseError(error)?.code === 'unavailable'
    ? `tasks: ${databaseFailureCause(error)}`
    : `task ${task}: ${failureKind(error)}`;

/**
 * Runs `work`, which must not throw, now and then every `ms` milliseconds without overlap, until `close`: that aborts
 * the signal, and waits for what has begun.
 */
function every(
  ms: number,
  work: (signal: AbortSignal) => Promise<void>,
): { first: Promise<void>; close(): Promise<void> } {
  const closing = new AbortController();
  const { signal } = closing;
  const first = work(signal);
  let working = first;
  const interval = setInterval(() => {
    working = working.then(() => (signal.aborted ? undefined : work(signal)));
  }, ms).unref();
  return {
    /** Resolves once `work` has run for the first time. */
    first,
    close() {
      closing.abort();
      clearInterval(interval);
      return working;
    },
  };
}

/** With less free disk space than this, in bytes, PostgreSQL may soon fail to write its log and stop. */
const minFreeBytes = 500 * 2 ** 20;

/** The databases whose size has been logged. */
const warned = new WeakSet<object>();

const megabytes = (bytes: number) => Math.ceil(bytes / 2 ** 20);

/**
 * Runs the maintenance that a PostgreSQL server does by itself. Logs the folder's size at first and after each
 * checkpoint, and how long each step blocked the database.
 */
async function maintainDatabase({ pool, log, config }: Pick<Services, 'pool' | 'log' | 'config'>): Promise<void> {
  const logSize = ({ total, log: ofLog, free }: FolderSize) => {
    const sizes = { folder: config.dataDir, mb: megabytes(total), logMb: megabytes(ofLog), freeMb: megabytes(free) };
    if (free < minFreeBytes)
      log.warn(sizes, 'The disk of the embedded database is nearly full: free some space, or writes are refused');
    else log.info(sizes, 'The size of the embedded database');
  };
  const tables = await analyzeChanged(pool);
  if (tables.length > 0) log.debug({ tables }, 'Tables that changed were analyzed');
  for (const { what, ms } of await vacuumChanged(pool)) log.debug({ what, ms }, 'Upkeep of the embedded database');
  const done = await checkpoint(pool);
  if (done) log.debug(done, 'Upkeep of the embedded database');
  if (done || !warned.has(pool)) logSize(await sizeOf(config.dataDir));
  warned.add(pool);
}
