/** Null for a read; for a write, the workspace on whose behalf it is. */
export type Writer = string | null;

/** A queued request for a connection. */
type Waiter = { writer: Writer; enter(leave: () => void): void };
/** A place in the queue; `leave` gives it up. */
export type QueueEntry = { entered: Promise<() => void>; leave(): void };

/**
 * Schedules the pool's connections. Some are reserved for reads, so that locked rows never block readers. A writer may
 * hold fewer than the connections left for writing: of 6, the first gets 3, a second 2, a third the last. Queues take
 * turns.
 */
export class Slots {
  readonly #max: number;
  readonly #maxWriting: number;
  #used = 0;
  #writing = 0;
  readonly #held = new Map<string, number>();
  readonly #lines = new Map<string, Set<Waiter>>();

  /** `max` connections, of which `reading` are reserved for reads. */
  constructor({ max, reading }: { max: number; reading: number }) {
    this.#max = max;
    this.#maxWriting = max - reading;
  }

  /** Takes a connection if one is free and returns its release function; otherwise null. */
  take(writer: Writer): (() => void) | null {
    return this.#isFree(writer) ? this.#hold(writer) : null;
  }

  /** Waits in the queue `name`; the queues take turns. */
  wait(name: string, writer: Writer): QueueEntry {
    const { promise, resolve } = Promise.withResolvers<() => void>();
    const waiter: Waiter = { writer, enter: resolve };
    const line = this.#lines.get(name) ?? new Set();
    this.#lines.set(name, line.add(waiter));
    const leave = () => {
      if (!line.delete(waiter)) return void promise.then((release) => release());
      if (line.size === 0) this.#lines.delete(name);
    };
    return { entered: promise, leave };
  }

  /** The number of waiters. */
  get waiting(): number {
    return [...this.#lines.values()].reduce((sum, { size }) => sum + size, 0);
  }

  #isFree(writer: Writer): boolean {
    if (this.#used >= this.#max) return false;
    return writer === null || (this.#held.get(writer) ?? 0) < this.#maxWriting - this.#writing;
  }

  #hold(writer: Writer): () => void {
    this.#count(writer, 1);
    return () => {
      this.#count(writer, -1);
      this.#admit();
    };
  }

  #count(writer: Writer, change: 1 | -1): void {
    this.#used += change;
    if (writer === null) return;
    this.#writing += change;
    const held = (this.#held.get(writer) ?? 0) + change;
    if (held > 0) this.#held.set(writer, held);
    else this.#held.delete(writer);
  }

  #admit(): void {
    for (const [name, line] of this.#lines) {
      const [first] = line;
      if (!first || !this.#isFree(first.writer)) continue;
      // Round robin: the rest of this queue moves behind the others.
      this.#lines.delete(name);
      line.delete(first);
      if (line.size > 0) this.#lines.set(name, line);
      first.enter(this.#hold(first.writer));
      if (this.#used >= this.#max) return;
    }
  }
}
