/** Who wants a connection: for reading (null), or for writing, on whose behalf. */
export type Writer = string | null;

/** In line for a connection. */
type Waiter = { writer: Writer; enter(leave: () => void): void };
/** A place in line; `leave` gives it up. */
export type QueueEntry = { entered: Promise<() => void>; leave(): void };

/**
 * Shares out connections. Some are never for writing, so that rows which are locked stop no reader. Whoever writes holds
 * less than what is left for writing: of 6, one alone gets 3, the next 2, another the last. Workspaces take turns.
 */
export class Slots {
  readonly #max: number;
  readonly #maxWriting: number;
  #used = 0;
  #writing = 0;
  readonly #held = new Map<string, number>();
  readonly #lines = new Map<string, Set<Waiter>>();

  /** `max` connections, of which `reading` are for reading alone. */
  constructor({ max, reading }: { max: number; reading: number }) {
    this.#max = max;
    this.#maxWriting = max - reading;
  }

  /** A connection to be had at once: answers how to give it back. Null: there is none, or others are before. */
  take(writer: Writer): (() => void) | null {
    return this.#isFree(writer) ? this.#hold(writer) : null;
  }

  /** Waits in the line `name`, whose turn comes among those of the other names. */
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

  /** How many wait. */
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
      // Those behind it are of the same name: it goes to the end of the names.
      this.#lines.delete(name);
      line.delete(first);
      if (line.size > 0) this.#lines.set(name, line);
      first.enter(this.#hold(first.writer));
      if (this.#used >= this.#max) return;
    }
  }
}
