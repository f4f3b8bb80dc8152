import { availableParallelism } from 'node:os';
import { ExtractFailure } from '../knowledge/extract/failure.ts';
import type { OnProgress } from '../knowledge/extract/read.ts';
import { type ChildDeath, type ChildLimits, ReaderChild } from './child.ts';
import { brokenOff, faultOf, tooLarge, tooSlow } from './failures.ts';
import { FairQueue, type Waiting } from './fair-queue.ts';
import type { ReplyMessage } from './protocol.ts';
import type { TaskName, Tasks } from './tasks.ts';

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
export type RunTask = <Name extends TaskName>(
  name: Name,
  asked: Tasks[Name]['asks'],
  options: TaskOptions,
) => Promise<Tasks[Name]['answers']>;

type Task = Waiting & {
  id: number;
  name: TaskName;
  asked: { bytes?: Uint8Array };
  timeoutMs: number;
  onProgress: OnProgress | undefined;
  /** Ends the task, once: what is said later counts no more. */
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
};
type Run = { task: Task; child: ReaderChild; since: number; cpuBefore: number | null; rssMb: number; isAside: boolean };
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
  main: new URL('child-main.ts', import.meta.url),
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
  const queue = new FairQueue<Task>();
  const running = new Set<Run>();
  const idle: Idle[] = [];
  let number = 0;
  let watching: NodeJS.Timeout | undefined;

  const runs = (isAside: boolean, workspaceId?: string) =>
    [...running].filter(
      (run) => run.isAside === isAside && (workspaceId ?? run.task.workspaceId) === run.task.workspaceId,
    );
  const isServed = ({ workspaceId }: Task) => [...running].some(({ task }) => task.workspaceId === workspaceId);

  /** Starts what may start: one a workspace while others wait; whoever has one aside waits for it, unless it is urgent. */
  const fill = (): void => {
    while (runs(false).length < size) {
      const task = queue.find(
        (first) => !isServed(first),
        (first) => first.isUrgent || !runs(true, first.workspaceId).length,
      );
      if (!task) break;
      queue.take(task);
      start(task);
    }
    watching ??= running.size ? setInterval(() => running.forEach((run) => void look(run)), watchMs) : undefined;
    if (running.size) return;
    clearInterval(watching);
    watching = undefined;
  };

  const start = (task: Task): void => {
    const child = childFor(task.workspaceId);
    const run: Run = { task, child, since: performance.now(), cpuBefore: null, rssMb: 0, isAside: false };
    running.add(run);
    const { bytes, ...input } = task.asked;
    const message = { id: task.id, name: task.name, input, byteLength: bytes?.byteLength ?? null };
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
    const { task } = run;
    if (reply.id !== task.id || !running.has(run)) return;
    if ('progress' in reply) return task.onProgress?.(reply.progress.done, reply.progress.total);
    release(run, 'fault' in reply);
    if ('result' in reply) task.resolve(reply.result);
    else task.reject('failure' in reply ? new ExtractFailure(reply.failure) : faultOf(reply.fault));
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
    run.task.reject(error);
  };

  /** Ends a run that takes too much, and has one that takes long make room. */
  const look = async (run: Run): Promise<void> => {
    const usage = await run.child.usage();
    if (!running.has(run)) return;
    const elapsed = performance.now() - run.since;
    const { timeoutMs } = run.task;
    if (usage) {
      run.rssMb = usage.rssMb;
      run.cpuBefore ??= usage.cpuMs;
      if (usage.rssMb > ofChild.memoryMb) return stop(run, tooLarge());
      if (usage.cpuMs - run.cpuBefore > timeoutMs) return stop(run, tooSlow());
    }
    if (elapsed > timeoutMs * (usage ? 3 : 1)) return stop(run, tooSlow());
    if (elapsed < sliceMs || run.isAside || runs(true).length >= aside) return;
    const other = queue.find((first) =>
      first.workspaceId === run.task.workspaceId ? first.isUrgent && !run.task.isUrgent : !isServed(first),
    );
    if (!other) return;
    run.isAside = true;
    run.child.yieldToOthers();
    fill();
  };

  return (name, asked, { workspaceId, isUrgent = false, timeoutMs = usualMs, signal, onProgress }) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const abort = (): void => {
        if (!queue.remove(task)) for (const run of running) if (run.task === task) stop(run, signal?.reason);
        task.reject(signal?.reason);
      };
      const over = () => signal?.removeEventListener('abort', abort);
      const task: Task = {
        id: ++number,
        workspaceId,
        isUrgent,
        name,
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
      queue.add(task);
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
