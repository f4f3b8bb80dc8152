import { availableParallelism } from 'node:os';
import { type ChildDeath, type ChildLimits, ReaderChild } from './child.ts';
import { ExtractFailure } from './extract-failure.ts';
import { brokenOff, faultOf, tooLarge, tooSlow } from './failures.ts';
import { FairQueue, type Waiting } from './fair-queue.ts';
import type { ReplyMessage } from './protocol.ts';
import type { OnProgress, Task } from './task.ts';

export type RunnerLimits = ChildLimits & {
  /** How many read at once, those aside not counted. */
  size: number;
  /** What one task may compute. One that computes less, on a busy machine or while it waits, has three times as long. */
  timeoutMs: number;
  /** After this long a task makes room where another workspace waits: it goes on aside, when nothing else computes. */
  sliceMs: number;
  /** How many may go on aside. */
  aside: number;
  /** After this long without work a child ends, and gives its memory back; at once when it holds more than `keepMb`. */
  idleMs: number;
  keepMb: number;
};
export type TaskOptions = {
  /** Whose bytes they are. */
  workspaceId: string;
  /** Somebody waits for the answer. */
  isUrgent?: boolean | undefined;
  /** Less time than usual. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: OnProgress | undefined;
};
export type RunTask = <Asked extends object, Answer>(
  task: Task<Asked, Answer>,
  asked: Asked,
  options: TaskOptions,
) => Promise<Answer>;

type Job = Waiting & {
  id: number;
  task: Task;
  asked: { bytes?: Uint8Array };
  timeoutMs: number;
  onProgress: OnProgress | undefined;
  /** Ends the task, once: what is said later counts no more. */
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
};
type Run = { job: Job; child: ReaderChild; since: number; cpuBefore: number | null; rssMb: number; isAside: boolean };
type Idle = { child: ReaderChild; timer: NodeJS.Timeout };

const size = Math.max(1, availableParallelism() - 1);
const usual: RunnerLimits = {
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
 * Reads somebody else's bytes in child processes, so that a hostile file stops nothing but itself: a task that takes too
 * long or too much memory is ended with its child, and rejects with `ExtractFailure`. Workspaces are served in turn, and
 * a child reads for one of them alone. Bytes are moved out: who asks has them no more.
 */
export function createTaskRunner(limits: Partial<RunnerLimits> = {}): RunTask {
  const { size, sliceMs, aside, idleMs, keepMb, ...rest } = { ...usual, ...limits };
  const { timeoutMs: usualMs, ...ofChild } = rest;
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

  /** Starts what may start: one a workspace while others wait; whoever has one aside waits for it, unless it is urgent. */
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
    watching ??= running.size ? setInterval(() => running.forEach((run) => void look(run)), watchMs) : undefined;
    if (running.size) return;
    clearInterval(watching);
    watching = undefined;
  };

  const start = (job: Job): void => {
    const child = childFor(job.workspaceId);
    const run: Run = { job, child, since: performance.now(), cpuBefore: null, rssMb: 0, isAside: false };
    running.add(run);
    const { bytes, ...input } = job.asked;
    const message = {
      id: job.id,
      module: job.task.module,
      name: job.task.name,
      input,
      byteLength: bytes?.byteLength ?? null,
    };
    child.ask(message, bytes ?? null, {
      onReply: (reply) => hear(run, reply),
      onDeath: (death) => stop(run, failureOf(death)),
    });
  };

  /** The idle one of the workspace, or a new one, for which another one makes room. */
  const childFor = (workspaceId: string): ReaderChild => {
    const at = idle.findIndex(({ child }) => child.workspaceId === workspaceId && child.isAlive);
    const [kept] = at >= 0 ? idle.splice(at, 1) : [];
    clearTimeout(kept?.timer);
    if (kept) return kept.child;
    if (running.size + idle.length >= size) idle.shift()?.child.end();
    return new ReaderChild(workspaceId, ofChild);
  };

  const hear = (run: Run, reply: ReplyMessage): void => {
    const { job } = run;
    if (reply.id !== job.id || !running.has(run)) return;
    if ('progress' in reply) return job.onProgress?.(reply.progress.done, reply.progress.total);
    release(run, 'fault' in reply);
    if ('result' in reply) job.resolve(reply.result);
    else job.reject('failure' in reply ? new ExtractFailure(reply.failure) : faultOf(reply.fault));
  };

  /** Ends a run; its child is kept for the next task of the workspace where it is as good as a new one. */
  const release = (run: Run, isSpoiled: boolean): void => {
    const { child, isAside, rssMb } = run;
    running.delete(run);
    if (isSpoiled || isAside || rssMb > keepMb || !idleMs) child.end();
    else {
      child.rest();
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

  /** Ends a run that takes too much, and has one that takes long make room. */
  const look = async (run: Run): Promise<void> => {
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

  return (task, asked, { workspaceId, isUrgent = false, timeoutMs = usualMs, signal, onProgress }) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const abort = (): void => {
        if (!queue.remove(job)) for (const run of running) if (run.job === job) stop(run, signal?.reason);
        job.reject(signal?.reason);
      };
      const over = () => signal?.removeEventListener('abort', abort);
      const job: Job = {
        id: ++number,
        workspaceId,
        isUrgent,
        task,
        asked: asked as { bytes?: Uint8Array },
        timeoutMs,
        onProgress,
        resolve: (result) => {
          over();
          resolve(result as never);
        },
        reject: (error) => {
          over();
          reject(error as Error);
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      queue.add(job);
      fill();
    });
}

/** What reads for this process, shared by all. */
export const runTask: RunTask = createTaskRunner();

const failureOf = ({ cause, detail }: ChildDeath): Error => {
  if (cause === 'memory') return tooLarge();
  return cause === 'crash'
    ? brokenOff(detail)
    : new Error(`A process that reads sources could not be started: ${detail}`);
};
