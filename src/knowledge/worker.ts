import { Worker } from 'node:worker_threads';
import { ExtractFailure } from './extract/failure.ts';
import type { OnProgress } from './extract/read.ts';
import type { Said } from './worker-main.ts';
import type { TaskName, Tasks } from './worker-task.ts';

export type WorkerLimits = {
  /** For one task, from when the thread begins with it. */
  timeoutMs: number;
  /** Of what is read and the reader together: on the heap, and beside it. */
  heapMb: number;
  outsideMb: number;
  /** After this long without work the thread ends, and gives its memory back. */
  idleMs: number;
  /** What the thread runs. */
  main: URL;
};
type Options = { signal?: AbortSignal | undefined; onProgress?: OnProgress | undefined };
export type RunTask = <Name extends TaskName>(
  name: Name,
  asked: Tasks[Name]['asks'],
  options?: Options,
) => Promise<Tasks[Name]['answers']>;

type Task = {
  id: number;
  name: TaskName;
  asked: unknown;
  onProgress: OnProgress | undefined;
  /** Ends the task, once: what is said later counts no more. */
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
};

const usual: WorkerLimits = {
  timeoutMs: 120_000,
  heapMb: 256,
  outsideMb: 256,
  idleMs: 10_000,
  main: new URL('./worker-main.ts', import.meta.url),
};
const watchMs = 200;
const tooSlow = () => new ExtractFailure('It takes too long to read: split it');
const tooLarge = () => new ExtractFailure('It takes too much memory to read: split it');

/**
 * Reads somebody else's bytes in a thread, one task after another, so that a hostile file stops nothing but itself: a
 * task that takes too long or too much memory is ended with its thread, and rejects with `ExtractFailure`. The thread is
 * made when needed. Bytes are moved into it: who asks has them no more.
 */
export function createTaskRunner(limits: Partial<WorkerLimits> = {}): RunTask {
  const { timeoutMs, heapMb, outsideMb, idleMs, main } = { ...usual, ...limits };
  const waiting: Task[] = [];
  let running: Task | null = null;
  let thread: Worker | null = null;
  let number = 0;
  let clocks: NodeJS.Timeout[] = [];

  /** Takes the next task, or lets the thread go when none comes for a while. */
  const next = (): void => {
    clocks.forEach(clearTimeout);
    running = waiting.shift() ?? null;
    if (!running) {
      thread?.unref();
      clocks = [setTimeout(endThread, idleMs).unref()];
      return;
    }
    thread ??= open();
    thread.ref();
    clocks = [setTimeout(() => stop(tooSlow()), timeoutMs), setInterval(() => void look(), watchMs)];
    const { id, name, asked } = running;
    thread.postMessage({ id, name, asked }, transferable(asked));
  };

  const endThread = (): void => {
    void thread?.terminate();
    thread = null;
  };

  /** Ends the running task with its thread. */
  const stop = (error: unknown): void => {
    const task = running;
    endThread();
    next();
    task?.reject(error);
  };

  // The limits of a thread do not count what stands beside its heap, such as unpacked bytes.
  const look = async (): Promise<void> => {
    const watched = thread;
    const { external_memory: outside } = (await watched?.getHeapStatistics().catch(() => null)) ?? {
      external_memory: 0,
    };
    if (outside > outsideMb * 1_000_000 && watched === thread && running) stop(tooLarge());
  };

  const open = (): Worker => {
    const worker = new Worker(main, {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 8 },
    });
    const stopIt = (error: unknown): void => {
      if (worker === thread) stop(error);
    };
    worker.on('message', (said: Said) => {
      const task = running;
      if (said.id !== task?.id) return;
      if ('progress' in said) return task.onProgress?.(said.progress.done, said.progress.total);
      next();
      if ('result' in said) task.resolve(said.result);
      else task.reject('failure' in said ? new ExtractFailure(said.failure) : faultOf(said.fault));
    });
    worker.on('error', (error: NodeJS.ErrnoException) =>
      stopIt(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooLarge() : error),
    );
    worker.on('exit', () => stopIt(new Error('The thread that reads sources ended')));
    return worker;
  };

  return (name, asked, { signal, onProgress } = {}) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const abort = (): void => {
        const at = waiting.indexOf(task);
        if (at >= 0) waiting.splice(at, 1);
        else if (running === task) stop(signal?.reason);
        task.reject(signal?.reason);
      };
      const over = () => signal?.removeEventListener('abort', abort);
      const task: Task = {
        id: ++number,
        name,
        asked,
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
      waiting.push(task);
      if (!running) next();
    });
}

/** The thread of this process, shared by all that is read. */
export const runTask: RunTask = createTaskRunner();

function faultOf({ message, stack }: { message: string; stack?: string | undefined }): Error {
  const error = new Error(message);
  if (stack) error.stack = stack;
  return error;
}

/** The buffers that a task holds alone; a small one of Node's is a part of a shared one, and is copied. */
function transferable(asked: unknown): ArrayBuffer[] {
  const { bytes } = asked as { bytes?: Uint8Array };
  const whole = bytes && bytes.byteLength === bytes.buffer.byteLength && bytes.byteLength > 0;
  return whole && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : [];
}
