import { Worker } from 'node:worker_threads';

const code = new URL('disk-watch.js', import.meta.url);

/**
 * Kills this process when the disk leaves one read, write or sync without an answer: its only thread that serves waits
 * for it, and so would all callers. Nothing of what is on the disk by then depends on how the process ends.
 */
export class DiskWatch {
  readonly #limitMs: number | null;
  /** How often something was asked of the disk, or answered: odd while it is to answer. */
  readonly #count = new Int32Array(new SharedArrayBuffer(4));
  #thread: Worker | null | undefined;

  /** `limitMs`: how long it may take; null: for ever. */
  constructor(limitMs: number | null) {
    this.#limitMs = limitMs;
  }

  /** Runs what waits for the disk. */
  run<T>(operation: () => T): T {
    if (this.#limitMs === null) return operation();
    if (this.#thread === undefined) this.#thread = this.#start();
    Atomics.add(this.#count, 0, 1);
    try {
      return operation();
    } finally {
      Atomics.add(this.#count, 0, 1);
    }
  }

  /** A part of what runs is done: the rest may take as long again. */
  moved(): void {
    Atomics.add(this.#count, 0, 2);
  }

  close(): void {
    void this.#thread?.terminate();
    this.#thread = null;
  }

  #start(): Worker | null {
    try {
      const thread = new Worker(code, { workerData: { count: this.#count, limitMs: this.#limitMs }, execArgv: [] });
      thread.unref();
      return thread.on('error', () => {});
    } catch {
      // Without threads to spare, nothing watches.
      return null;
    }
  }
}
