import { availableParallelism } from 'node:os';
import { type ChildDeath, type ChildLimits, ReaderChild } from './child.ts';
import { ExtractFailure } from './extract-failure.ts';
import { crashed, faultOf, tooLarge, tooSlow } from './failures.ts';
import { FairQueue, type Waiting } from './fair-queue.ts';
import type { ReplyMessage } from './protocol.ts';
import type { OnProgress, Task } from './task.ts';

export type RunnerLimits = ChildLimits & {
  /** How many tasks run at once, not counting those set aside. */
  size: number;
  /** CPU time a task may use. In wall-clock time, on a busy machine or while it waits, it gets three times as long. */
  timeoutMs: number;
  /** After this long, a task yields its place if another workspace is waiting: it continues aside, on idle CPU only. */
  sliceMs: number;
  /** How many tasks may continue aside. */
  aside: number;
  /** An idle child is ended after this long, or at once if it holds more than `keepMb` of memory. */
  idleMs: number;
  keepMb: number;
};
export type TaskOptions = {
  /** The workspace that the bytes belong to. */
  workspaceId: string;
  /** A caller is waiting for the result. */
  isUrgent?: boolean | undefined;
  /** A shorter limit than usual. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: OnProgress | undefined;
};
export type RunTask = <Input extends object, Answer>(
  task: Task<Input, Answer>,
  input: Input,
  options: TaskOptions,
) => Promise<Answer>;

type Job = Waiting & {
  id: number;
  task: Task;
  input: { bytes?: Uint8Array };
  timeoutMs: number;
  onProgress: OnProgress | undefined;
  /** Settles the task; only the first call counts. */
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
};
type Run = { job: Job; child: ReaderChild; since: number; cpuBefore: number | null; rssMb: number; isAside: boolean };
type Idle = { child: ReaderChild; timer: NodeJS.Timeout };

const size = Math.max(1, availableParallelism() - 1);
const defaultLimits: RunnerLimits = {
  size,
  timeoutMs: 120_000,
  sliceMs: 2_000,
  aside: Math.max(2, size),
  heapMb: 256,
  memoryMb: 640,
  idleMs: 10_000,
  keepMb: 200,
  folders: [],
};
const watchMs = 100;

/**
 * Parses untrusted bytes in child processes, so that a hostile file harms nothing but itself: a task that takes too
 * much time or memory is killed along with its child, and rejects with `ExtractFailure`. Workspaces are served in turn,
 * and a child only ever works for one of them. `bytes` are moved: the caller's buffer is detached.
 */
export function createTaskRunner(limits: Partial<RunnerLimits> = {}): RunTask {
  const { size, sliceMs, aside, idleMs, keepMb, ...rest } = { ...defaultLimits, ...limits };
  const { timeoutMs: defaultTimeoutMs, ...ofChild } = rest;
  const queue = new FairQueue<Job>();
  const running = new Set<Run>();
  const idle: Idle[] = [];
  let number = 0;
  let watching: NodeJS.Timeout | undefined;

  const runs = (isAside: boolean, workspaceId?: string) =>
    [...running].filter(
      (run) => run.isAside === isAside && (workspaceId ?? run.job.workspaceId) === run.job.workspaceId,
    );
  const isServed = ({ workspaceId }: Job) => [...running].some(({ job }) => job.workspaceId === workspaceId);

  /**
   * Starts what may run: one task per workspace while others wait. A workspace with a task aside waits for it, unless
   * the next is urgent.
   */
  const fill = (): void => {
    while (runs(false).length < size) {
      const job = queue.find(
        (first) => !isServed(first),
        (first) => first.isUrgent || !runs(true, first.workspaceId).length,
      );
      if (!job) break;
      queue.take(job);
      start(job);
    }
    watching ??= running.size ? setInterval(() => running.forEach((run) => void checkUsage(run)), watchMs) : undefined;
    if (running.size) return;
    clearInterval(watching);
    watching = undefined;
  };

  const start = (job: Job): void => {
    const child = childFor(job.workspaceId);
    const run: Run = { job, child, since: performance.now(), cpuBefore: null, rssMb: 0, isAside: false };
    running.add(run);
    const { bytes, ...input } = job.input;
    const message = {
      id: job.id,
      module: job.task.module,
      name: job.task.name,
      input,
      byteLength: bytes?.byteLength ?? null,
    };
    child.run(message, bytes ?? null, {
      onReply: (reply) => handleReply(run, reply),
      onDeath: (death) => stop(run, failureOf(death)),
    });
  };

  /** The workspace's idle child, or a new one, which may replace another workspace's idle child. */
  const childFor = (workspaceId: string): ReaderChild => {
    const at = idle.findIndex(({ child }) => child.workspaceId === workspaceId && child.isAlive);
    const [kept] = at >= 0 ? idle.splice(at, 1) : [];
    clearTimeout(kept?.timer);
    if (kept) return kept.child;
    if (running.size + idle.length >= size) idle.shift()?.child.end();
    return new ReaderChild(workspaceId, ofChild);
  };

  const handleReply = (run: Run, reply: ReplyMessage): void => {
    const { job } = run;
    if (reply.id !== job.id || !running.has(run)) return;
    if ('progress' in reply) return job.onProgress?.(reply.progress.done, reply.progress.total);
    release(run, 'fault' in reply);
    if ('result' in reply) job.resolve(reply.result);
    else job.reject('failure' in reply ? new ExtractFailure(reply.failure) : faultOf(reply.fault));
  };

  /** Ends a run. Its child is kept for the workspace's next task, unless it is spoiled, slowed down or large. */
  const release = (run: Run, isSpoiled: boolean): void => {
    const { child, isAside, rssMb } = run;
    running.delete(run);
    if (isSpoiled || isAside || rssMb > keepMb || !idleMs) child.end();
    else {
      child.release();
      const timer = setTimeout(() => {
        idle.splice(
          idle.findIndex((other) => other.child === child),
          1,
        );
        child.end();
      }, idleMs).unref();
      idle.push({ child, timer });
    }
    fill();
  };

  const stop = (run: Run, error: unknown): void => {
    if (!running.has(run)) return;
    release(run, true);
    run.job.reject(error);
  };

  /** Stops a run that exceeds its limits, and sets aside one that takes long while others wait. */
  const checkUsage = async (run: Run): Promise<void> => {
    const usage = await run.child.usage();
    if (!running.has(run)) return;
    const elapsed = performance.now() - run.since;
    const { timeoutMs } = run.job;
    if (usage) {
      run.rssMb = usage.rssMb;
      run.cpuBefore ??= usage.cpuMs;
      if (usage.rssMb > ofChild.memoryMb) return stop(run, tooLarge());
      if (usage.cpuMs - run.cpuBefore > timeoutMs) return stop(run, tooSlow());
    }
    if (elapsed > timeoutMs * (usage ? 3 : 1)) return stop(run, tooSlow());
    if (elapsed < sliceMs || run.isAside || runs(true).length >= aside) return;
    const other = queue.find((first) =>
      first.workspaceId === run.job.workspaceId ? first.isUrgent && !run.job.isUrgent : !isServed(first),
    );
    if (!other) return;
    run.isAside = true;
    run.child.yieldToOthers();
    fill();
  };

  return (task, input, { workspaceId, isUrgent = false, timeoutMs = defaultTimeoutMs, signal, onProgress }) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const abort = (): void => {
        if (!queue.remove(job)) for (const run of running) if (run.job === job) stop(run, signal?.reason);
        job.reject(signal?.reason);
      };
      const removeListener = () => signal?.removeEventListener('abort', abort);
      const job: Job = {
        id: ++number,
        workspaceId,
        isUrgent,
        task,
        input: input as { bytes?: Uint8Array },
        timeoutMs,
        onProgress,
        resolve: (result) => {
          removeListener();
          resolve(result as never);
        },
        reject: (error) => {
          removeListener();
          reject(error as Error);
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      queue.add(job);
      fill();
    });
}

/** The task runner that this process shares. */
export const runTask: RunTask = createTaskRunner();

const failureOf = ({ cause, detail }: ChildDeath): Error => {
  if (cause === 'memory') return tooLarge();
  return cause === 'crash'
    ? crashed(detail)
    : new Error(`A process that reads sources could not be started: ${detail}`);
};
