import { syncContent, syncContentLater } from '../../core/sync/sync-file.ts';

export type WalSyncOptions = {
  /** How long a sync may be deferred, in milliseconds; 0: a commit waits for it. */
  syncIntervalMs: number;
  /**
   * Called at the first sync that fails: acknowledged writes may be lost, and a retry would succeed without writing
   * them.
   */
  onFailure: (error: unknown) => void;
};

/**
 * Syncs PostgreSQL's write-ahead log. PostgreSQL requests it at each commit; deferred requests are combined and run in
 * the background.
 */
export class WalSync {
  readonly #options: WalSyncOptions;
  /** Segments to sync, each with the number of its latest request. */
  readonly #due = new Map<string, number>();
  #demands = 0;
  #isPlanned = false;
  #hasFailed = false;

  constructor(options: WalSyncOptions) {
    this.#options = options;
  }

  /** Whether part of the log may not be on disk yet. */
  get isDue(): boolean {
    return this.#due.size > 0;
  }

  /** PostgreSQL requests the sync of a segment. */
  requestSync(segment: string): void {
    this.#due.set(segment, ++this.#demands);
    if (this.#options.syncIntervalMs === 0) return this.flush();
    if (!this.#isPlanned) this.#plan();
  }

  /** Syncs what is due before returning, so that what follows may depend on the log. */
  flush(): void {
    try {
      for (const segment of this.#due.keys()) {
        syncContent(segment);
        this.#due.delete(segment);
      }
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  /** Drops what is due: nothing depends on the log any longer. */
  giveUp(): void {
    this.#due.clear();
  }

  #fail(error: unknown): void {
    this.giveUp();
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#options.onFailure(error);
  }

  #plan(): void {
    this.#isPlanned = true;
    setTimeout(() => {
      this.#flushLater()
        .catch((error) => this.#fail(error))
        .finally(() => {
          this.#isPlanned = false;
          if (this.isDue) this.#plan();
        });
    }, this.#options.syncIntervalMs).unref();
  }

  async #flushLater(): Promise<void> {
    for (const [segment, requestSync] of Array.from(this.#due)) {
      try {
        await syncContentLater(segment);
      } catch (error) {
        // Meanwhile `flush` has synced it, and PostgreSQL has removed the file.
        if (this.#due.has(segment)) throw error;
      }
      if (this.#due.get(segment) === requestSync) this.#due.delete(segment);
    }
  }
}
