import type { PgBoss } from 'pg-boss';
import type { Logger } from 'pino';
import { telemetry } from '../core/telemetry.ts';
import { inSpan, withoutSpan } from '../core/tracing.ts';
import { failureKind } from '../database/errors.ts';
import { type Handlers, type JobData, type JobName, jobKinds, jobNames } from './kinds.ts';

export type Workers = {
  /** Makes an idle worker poll for a job of this kind now. */
  wake(name: JobName): void;
  /** Resolves once no worker has a job and none will take one. */
  stop(): Promise<void>;
};

type WorkerGroup = { ids: string[]; busy: Set<string> };

/** pg-boss's own polling interval per worker, as a fallback. */
const bossPollSeconds = 60;

/**
 * Starts workers for every kind of job. One idle worker per kind polls every `pollIntervalMs`, whatever their number;
 * one that finds a job wakes another, and one that finishes a job polls again at once.
 */
export async function startWorkers(
  boss: PgBoss,
  handlers: Handlers,
  { log, pollIntervalMs }: { log: Logger; pollIntervalMs: number },
): Promise<Workers> {
  const groups = new Map<JobName, WorkerGroup>();
  const wake = (name: JobName): void => {
    const group = groups.get(name);
    const free = group?.ids.find((id) => !group.busy.has(id));
    if (free) boss.notifyWorker(free);
  };
  for (const name of jobNames) {
    const group: WorkerGroup = { ids: [], busy: new Set() };
    groups.set(name, group);
    for (let count = jobKinds[name].concurrency; count > 0; count--) {
      group.ids.push(
        await startWorker(boss, name, { handle: handlers[name], group, log, wakeAnother: () => wake(name) }),
      );
    }
  }
  const timer = setInterval(() => jobNames.forEach(wake), pollIntervalMs).unref();
  return {
    wake,
    async stop() {
      clearInterval(timer);
      await Promise.all(jobNames.map((name) => boss.offWork(name, { wait: true })));
    },
  };
}

type Worker<Name extends JobName> = {
  handle: Handlers[Name];
  group: WorkerGroup;
  log: Logger;
  wakeAnother: () => void;
};

async function startWorker<Name extends JobName>(
  boss: PgBoss,
  name: Name,
  { handle, group, log, wakeAnother }: Worker<Name>,
): Promise<string> {
  const { busy } = group;
  const groupConcurrency = jobKinds[name].perWorkspace;
  const options = { pollingIntervalSeconds: bossPollSeconds, ...(groupConcurrency && { groupConcurrency }) };
  const id: string = await boss.work<JobData[Name]>(name, options, async ([job]) => {
    if (!job) return;
    busy.add(id);
    wakeAnother();
    const started = performance.now();
    let outcome: 'completed' | 'failed' = 'failed';
    try {
      const { traceparent, ...data } = job.data as JobData[Name] & { traceparent?: string };
      await withoutSpan(() =>
        inSpan(
          () => describeJob(name, data.workspaceId, traceparent),
          () => handle(data as unknown as JobData[Name], job.signal),
        ),
      );
      outcome = 'completed';
    } catch (error) {
      const { workspaceId } = job.data;
      // A job that is aborted goes on in another process, or is out of time.
      if (!job.signal.aborted)
        log.error({ cause: `job ${name}: ${failureKind(error)}`, err: error, workspaceId }, 'A job failed');
      throw error;
    } finally {
      telemetry.job.publish(() => ({ name, outcome, seconds: (performance.now() - started) / 1_000 }));
      busy.delete(id);
      boss.notifyWorker(id);
    }
  });
  return id;
}

/** The span of a job begins a trace, linked to the one that queued it: a job may run much later, and again. */
const describeJob = (name: JobName, workspaceId: string, traceparent: string | undefined) => ({
  name: `process ${name}`,
  kind: 'consumer' as const,
  link: traceparent ?? null,
  attributes: {
    'messaging.system': 'pg-boss',
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.destination.name': name,
    'parley.workspace.id': workspaceId,
  },
});
