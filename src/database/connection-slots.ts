/** Null for a read; for a write, the workspace on whose behalf it is. */
type Writer = string | null;

/** A queued request for a connection. */
type Waiter = { writer: Writer; enter(leave: () => void): void };
/** A position in the queue; `leave` gives it up. */
type QueueEntry = { entered: Promise<() => void>; leave(): void };

/** The connections that a writer holds, by when it took each (oldest first), and when it last gave one back. */
type Held = { since: Set<{ at: number }>; releasedAt: number };

/** A transaction that takes longer may be waiting for a lock. */
const promptMs = 50;

/**
 * Schedules the pool's connections. Some are reserved for reads, so that locked rows never block readers. A writer may
 * hold fewer than the connections left for writing: of 6, the first gets 3, a second 2, a third the last. A writer that
 * writes alone and gives its connections back promptly may hold all but one. Queues take turns.
 */
export class ConnectionSlots {
  readonly #max: number;
  readonly #maxWriting: number;
  readonly #now: () => number;
  #used = 0;
  #writing = 0;
  readonly #held = new Map<string, Held>();
  readonly #queues = new Map<string, Set<Waiter>>();

  /** `max` connections, of which `reading` are reserved for reads; `now` is a clock in milliseconds. */
  constructor({ max, reading, now = () => performance.now() }: { max: number; reading: number; now?: () => number }) {
    this.#max = max;
    this.#now = now;
    this.#maxWriting = max - reading;
  }

  /** Takes a connection if one is free and returns its release function; otherwise null. */
  tryAcquire(writer: Writer): (() => void) | null {
    return this.#isFree(writer) ? this.#hold(writer) : null;
  }

  /** Waits in the queue `name`; the queues take turns. */
  wait(name: string, writer: Writer): QueueEntry {
    const { promise, resolve } = Promise.withResolvers<() => void>();
    const waiter: Waiter = { writer, enter: resolve };
    const queue = this.#queues.get(name) ?? new Set();
    this.#queues.set(name, queue.add(waiter));
    const leave = () => {
      if (!queue.delete(waiter)) return void promise.then((release) => release());
      if (queue.size === 0) this.#queues.delete(name);
    };
    return { entered: promise, leave };
  }

  /** The number of waiters. */
  get waiting(): number {
    return [...this.#queues.values()].reduce((sum, { size }) => sum + size, 0);
  }

  #isFree(writer: Writer): boolean {
    if (this.#used >= this.#max) return false;
    if (writer === null) return true;
    const held = this.#held.get(writer);
    const count = held?.since.size ?? 0;
    if (count < this.#maxWriting - this.#writing) return true;
    return held !== undefined && count === this.#writing && count < this.#maxWriting - 1 && this.#isPrompt(held);
  }

  #isPrompt({ since, releasedAt }: Held): boolean {
    const [oldest] = since;
    const from = this.#now() - promptMs;
    return releasedAt > from && (!oldest || oldest.at > from);
  }

  #hold(writer: Writer): () => void {
    this.#used++;
    const giveUp = writer === null ? null : this.#holdForWriting(writer);
    return () => {
      this.#used--;
      giveUp?.();
      this.#admit();
    };
  }

  #holdForWriting(writer: string): () => void {
    const held = this.#held.get(writer) ?? { since: new Set(), releasedAt: Number.NEGATIVE_INFINITY };
    const hold = { at: this.#now() };
    this.#held.set(writer, held);
    this.#writing++;
    held.since.add(hold);
    return () => {
      this.#writing--;
      held.since.delete(hold);
      held.releasedAt = this.#now();
      if (held.since.size === 0) this.#held.delete(writer);
    };
  }

  #admit(): void {
    for (const [name, queue] of this.#queues) {
      const [first] = queue;
      if (!first || !this.#isFree(first.writer)) continue;
      // Round robin: the rest of this queue moves behind the others.
      this.#queues.delete(name);
      queue.delete(first);
      if (queue.size > 0) this.#queues.set(name, queue);
      first.enter(this.#hold(first.writer));
      if (this.#used >= this.#max) return;
    }
  }
}
