/** The clock of all deadlines, times in milliseconds. Tests put one of their own in its place. */
export const clock = {
  now: (): number => performance.now(),
  /** Calls `act` once after `ms`. Returns the function that prevents it. */
  after(ms: number, act: () => void): () => void {
    const timer = setTimeout(act, ms).unref();
    return () => clearTimeout(timer);
  },
};

/** Somebody outside took too long. */
export class DeadlinePassed extends Error {
  override name = 'DeadlinePassed';

  constructor(ms: number) {
    super(`no answer within ${Math.round(ms) / 1_000} seconds`);
  }
}

/**
 * How long somebody outside may be waited for. Its timer holds it: signals of `AbortSignal.timeout` are collected, and
 * then never abort, where only `AbortSignal.any` or `new Request` knows them. `stop` aborts `signal` too. Call `end`.
 */
export class Deadline {
  hasPassed = false;
  readonly #controller = new AbortController();
  readonly #waiting = new Set<(reason: DeadlinePassed) => void>();
  readonly #stop: AbortSignal | undefined;
  #cancel = () => {};

  constructor(ms: number, stop?: AbortSignal) {
    this.#stop = stop;
    if (stop?.aborted) this.#stopped();
    else stop?.addEventListener('abort', this.#stopped);
    this.restart(ms);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Moves it to `ms` from now; one that has passed stays so. */
  restart(ms: number): void {
    this.#cancel();
    if (ms > 0) this.#cancel = clock.after(ms, () => this.#pass(ms));
    else this.#pass(ms);
  }

  /** Settles as `work` does, but rejects with `DeadlinePassed` at the deadline, whatever `work` makes of the signal. */
  wait<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.hasPassed) reject(this.signal.reason as Error);
      else this.#waiting.add(reject);
      work.then(resolve, reject).finally(() => this.#waiting.delete(reject));
    });
  }

  end(): void {
    this.#cancel();
    this.#stop?.removeEventListener('abort', this.#stopped);
  }

  readonly #stopped = () => this.#controller.abort(this.#stop?.reason);

  #pass(ms: number): void {
    const reason = new DeadlinePassed(ms);
    this.hasPassed = true;
    // First, so that what was rejected no longer holds a connection.
    this.#controller.abort(reason);
    for (const reject of this.#waiting) reject(reason);
  }
}

/**
 * Settles as `work` does, but rejects with `DeadlinePassed` after `ms` milliseconds. The signal for `work` aborts then,
 * and when `stop` does.
 */
export async function withTimeout<T>(
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
  stop?: AbortSignal,
): Promise<T> {
  const deadline = new Deadline(ms, stop);
  try {
    return await deadline.wait(work(deadline.signal));
  } finally {
    deadline.end();
  }
}

/**
 * The body of a response, which fails with `DeadlinePassed` if its sender pauses for `idleMs` milliseconds, or has been
 * waited for for `totalMs` in all. Only the time that a reader waits counts.
 */
export function withBodyTimeouts(
  body: ReadableStream<Uint8Array>,
  { idleMs, totalMs }: { idleMs: number; totalMs: number },
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let left = totalMs;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const began = clock.now();
        try {
          const { done, value } = await withTimeout(Math.min(idleMs, left), () => reader.read());
          left -= clock.now() - began;
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          // Closes the connection.
          reader.cancel(error).catch(() => {});
          throw error;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
