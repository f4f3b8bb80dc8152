import { syncContent, syncContentLater } from '../../core/sync-file.ts';

export type WalSyncOptions = {
  /** How long a write may wait for the disk, in milliseconds; 0: its answer waits for the disk. */
  withinMs: number;
  /** The disk failed: what was acknowledged may be lost, and a second try would succeed without having written it. */
  onFailure: (error: unknown) => void;
};

/**
 * Has PostgreSQL's write-ahead log written to disk. PostgreSQL asks for it at each commit; what may wait is done together
 * with what comes after it, beside other work.
 */
export class WalSync {
  readonly #options: WalSyncOptions;
  /** Segments to sync, each with the number of the last demand. */
  readonly #due = new Map<string, number>();
  #demands = 0;
  #isPlanned = false;

  constructor(options: WalSyncOptions) {
    this.#options = options;
  }

  /** Whether something of the log may not be on disk yet. */
  get isDue(): boolean {
    return this.#due.size > 0;
  }

  /** PostgreSQL wants a segment on disk. */
  demand(segment: string): void {
    this.#due.set(segment, ++this.#demands);
    if (this.#options.withinMs === 0) return this.flush();
    if (!this.#isPlanned) this.#plan();
  }

  /** Has what is due written to disk, and waits for it: what follows may rely on the log. */
  flush(): void {
    try {
      for (const segment of this.#due.keys()) {
        syncContent(segment);
        this.#due.delete(segment);
      }
    } catch (error) {
      this.#options.onFailure(error);
      throw error;
    }
  }

  /** Nobody relies on the log any more. */
  giveUp(): void {
    this.#due.clear();
  }

  #plan(): void {
    this.#isPlanned = true;
    setTimeout(() => {
      this.#flushLater()
        .catch(this.#options.onFailure)
        .finally(() => {
          this.#isPlanned = false;
          if (this.isDue) this.#plan();
        });
    }, this.#options.withinMs).unref();
  }

  async #flushLater(): Promise<void> {
    for (const [segment, demand] of Array.from(this.#due)) {
      try {
        await syncContentLater(segment);
      } catch (error) {
        // Meanwhile synced by `flush`, and then removed by PostgreSQL.
        if (this.#due.has(segment)) throw error;
      }
      if (this.#due.get(segment) === demand) this.#due.delete(segment);
    }
  }
}
