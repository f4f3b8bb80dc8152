import { availableParallelism } from 'node:os';
import { bundled } from './bundled.ts';
import { type ChildExit, type ChildLimits, ReaderChild } from './child.ts';
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
  /** After this long, a task yields its slot if another workspace is waiting: it continues on idle CPU only. */
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
type RunTask = <Input extends object, Answer>(
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
  const runner = new TaskRunner({ ...defaultLimits, ...limits });
  return (task, input, options) => runner.run(task, input, options);
}

class TaskRunner {
  readonly #limits: RunnerLimits;
  readonly #queue = new FairQueue<Job>();
  readonly #running = new Set<Run>();
  readonly #idle: Idle[] = [];
  #lastId = 0;
  #watching: NodeJS.Timeout | undefined;

  constructor(limits: RunnerLimits) {
    this.#limits = limits;
  }

  run<Input extends object, Answer>(
    task: Task<Input, Answer>,
    input: Input,
    { workspaceId, isUrgent = false, timeoutMs = this.#limits.timeoutMs, signal, onProgress }: TaskOptions,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const abort = () => this.#abort(job, signal?.reason);
      const removeListener = () => signal?.removeEventListener('abort', abort);
      const job: Job = {
        id: ++this.#lastId,
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
      this.#queue.add(job);
      this.#fill();
    });
  }

  #abort(job: Job, reason: unknown): void {
    if (!this.#queue.remove(job)) for (const run of this.#running) if (run.job === job) this.#stop(run, reason);
    job.reject(reason);
  }

  #runs(isAside: boolean, workspaceId?: string): Run[] {
    return [...this.#running].filter(
      (run) => run.isAside === isAside && (workspaceId ?? run.job.workspaceId) === run.job.workspaceId,
    );
  }

  #isServed({ workspaceId }: Job): boolean {
    return [...this.#running].some(({ job }) => job.workspaceId === workspaceId);
  }

  /**
   * Starts what may run: one task per workspace while others wait. A workspace with a task aside waits for it, unless
   * the next is urgent.
   */
  #fill(): void {
    while (this.#runs(false).length < this.#limits.size) {
      const job = this.#queue.find(
        (first) => !this.#isServed(first),
        (first) => first.isUrgent || !this.#runs(true, first.workspaceId).length,
      );
      if (!job) break;
      this.#queue.take(job);
      this.#start(job);
    }
    this.#watch();
  }

  /** Checks the usage of runs regularly, while there are any. */
  #watch(): void {
    if (this.#running.size > 0) {
      this.#watching ??= setInterval(() => this.#running.forEach((run) => void this.#checkUsage(run)), watchMs);
    } else {
      clearInterval(this.#watching);
      this.#watching = undefined;
    }
  }

  #start(job: Job): void {
    const child = this.#childFor(job.workspaceId);
    const run: Run = { job, child, since: performance.now(), cpuBefore: null, rssMb: 0, isAside: false };
    this.#running.add(run);
    const { bytes, ...input } = job.input;
    const message = {
      id: job.id,
      module: bundled(new URL(job.task.module)).href,
      name: job.task.name,
      input,
      byteLength: bytes?.byteLength ?? null,
    };
    child.run(message, bytes ?? null, {
      onReply: (reply) => this.#handleReply(run, reply),
      onDeath: (death) => this.#stop(run, failureOf(death)),
    });
  }

  /** The workspace's idle child, or a new one, which may replace another workspace's idle child. */
  #childFor(workspaceId: string): ReaderChild {
    const at = this.#idle.findIndex(({ child }) => child.workspaceId === workspaceId && child.isAlive);
    const [kept] = at >= 0 ? this.#idle.splice(at, 1) : [];
    clearTimeout(kept?.timer);
    if (kept) return kept.child;
    if (this.#running.size + this.#idle.length >= this.#limits.size) this.#idle.shift()?.child.end();
    return new ReaderChild(workspaceId, this.#limits);
  }

  #handleReply(run: Run, reply: ReplyMessage): void {
    const { job } = run;
    if (reply.id !== job.id || !this.#running.has(run)) return;
    if ('progress' in reply) return job.onProgress?.(reply.progress.done, reply.progress.total);
    this.#release(run, 'fault' in reply);
    if ('result' in reply) job.resolve(reply.result);
    else job.reject('failure' in reply ? new ExtractFailure(reply.failure) : faultOf(reply.fault));
  }

  /** Ends a run. Its child is kept for the workspace's next task, unless it is spoiled, slowed down or large. */
  #release(run: Run, isSpoiled: boolean): void {
    const { child, isAside, rssMb } = run;
    const { keepMb, idleMs } = this.#limits;
    this.#running.delete(run);
    if (isSpoiled || isAside || rssMb > keepMb || !idleMs) child.end();
    else this.#keep(child);
    this.#fill();
  }

  #keep(child: ReaderChild): void {
    child.release();
    const timer = setTimeout(() => {
      this.#idle.splice(
        this.#idle.findIndex((other) => other.child === child),
        1,
      );
      child.end();
    }, this.#limits.idleMs).unref();
    this.#idle.push({ child, timer });
  }

  #stop(run: Run, error: unknown): void {
    if (!this.#running.has(run)) return;
    this.#release(run, true);
    run.job.reject(error);
  }

  /** Stops a run that exceeds its limits, and sets aside one that takes long while others wait. */
  async #checkUsage(run: Run): Promise<void> {
    const usage = await run.child.usage();
    if (!this.#running.has(run)) return;
    const elapsed = performance.now() - run.since;
    const { timeoutMs } = run.job;
    if (usage) {
      run.rssMb = usage.rssMb;
      run.cpuBefore ??= usage.cpuMs;
      if (usage.rssMb > this.#limits.memoryMb) return this.#stop(run, tooLarge());
      if (usage.cpuMs - run.cpuBefore > timeoutMs) return this.#stop(run, tooSlow());
    }
    if (elapsed > timeoutMs * (usage ? 3 : 1)) return this.#stop(run, tooSlow());
    if (elapsed >= this.#limits.sliceMs) this.#setAside(run);
  }

  /** Frees the slot of a run that another workspace, or an urgent task of its own, waits for. */
  #setAside(run: Run): void {
    if (run.isAside || this.#runs(true).length >= this.#limits.aside) return;
    const other = this.#queue.find((first) =>
      first.workspaceId === run.job.workspaceId ? first.isUrgent && !run.job.isUrgent : !this.#isServed(first),
    );
    if (!other) return;
    run.isAside = true;
    run.child.yieldToOthers();
    this.#fill();
  }
}

/** The task runner that this process shares. */
export const runTask: RunTask = createTaskRunner();

const failureOf = ({ cause, detail }: ChildExit): Error => {
  if (cause === 'memory') return tooLarge();
  return cause === 'crash'
    ? crashed(detail)
    : new Error(`A process that reads sources could not be started: ${detail}`);
};
