/** Reports while the embedded database blocks this thread, and once when it no longer does. */
export type StallOptions = {
  /** How long it blocks before the first report, in milliseconds; the next ones follow at doubled times. */
  afterMs: number;
  report(stall: { seconds: number; doing: string; isOver: boolean }): void;
};

const types = { query: 0x51, parse: 0x50 };
const headerSize = 5;
const beginningSize = 200;

/** The words of a statement before its first value: a command, with the table it concerns. */
const command = /^\s*(\w+(?:\s+(?:"[\w ]+"|\w+)){0,2})/;

/**
 * Notices how long the database has been at one thing. No timer can: the database runs on this thread. But it reads and
 * writes files by functions of ours, which call `check`.
 */
export class StallMonitor {
  readonly #options: StallOptions | undefined;
  #doing: string | Uint8Array = '';
  #since = Number.POSITIVE_INFINITY;
  #nextMs = 0;

  constructor(options: StallOptions | undefined) {
    this.#options = options;
  }

  /** It begins with a step, or with messages in PostgreSQL's wire protocol. */
  begin(doing: string | Uint8Array): void {
    if (!this.#options) return;
    this.#doing = doing;
    this.#since = performance.now();
    this.#nextMs = this.#options.afterMs;
  }

  check(): void {
    const ms = performance.now() - this.#since;
    if (!this.#options || ms < this.#nextMs) return;
    this.#report(ms, false);
    this.#nextMs = 2 * ms;
  }

  /** A single sync of a busy disk may take long, and nothing is checked meanwhile: that is reported afterwards. */
  end(): void {
    const ms = performance.now() - this.#since;
    if (this.#options && ms >= this.#options.afterMs) this.#report(ms, true);
    this.#since = Number.POSITIVE_INFINITY;
    this.#nextMs = 0;
  }

  #report(ms: number, isOver: boolean): void {
    const doing = typeof this.#doing === 'string' ? this.#doing : (commandIn(this.#doing) ?? 'a prepared statement');
    this.#options?.report({ seconds: Math.round(ms / 100) / 10, doing, isOver });
  }
}

/** Returns the beginning of the statement in a message Query or Parse; messages of other types hold values. */
function commandIn(messages: Uint8Array): string | null {
  const start = Buffer.from(messages.subarray(0, beginningSize));
  const type = start[0];
  if (type !== types.query && type !== types.parse) return null;
  // The name of a prepared statement comes first.
  const at = type === types.parse ? start.indexOf(0, headerSize) + 1 : headerSize;
  return command.exec(start.toString('utf8', at))?.[1]?.replaceAll(/\s+/g, ' ') ?? null;
}
