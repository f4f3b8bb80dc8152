import type pg from 'pg';

/** A connection to send one statement on. */
export type Lease = {
  client: pg.ClientBase;
  /**
   * To be called once the statement has completed; returns how many milliseconds the database worked on it. `broken`
   * closes the connection instead of reusing it.
   */
  release(broken?: boolean): number;
};

type Line = {
  client: pg.Client;
  /** Statements in flight. */
  load: number;
  /** When the database started on the oldest of them, by `performance.now()`. */
  since: number;
  /** Whether its statements are buffered until the end of this turn of the event loop. */
  gathers: boolean;
  /** Called when the last of them has completed. */
  onIdle: () => void;
};

export type PipelineOptions = {
  /** Creates a connection in node-postgres's pipeline mode, not yet open. */
  create: () => pg.Client;
  /** The maximum number of connections. */
  max: number;
  /** The maximum number of statements in flight on one connection: those behind a slow one wait for it. */
  depth?: number;
  /** A connection that has worked on one statement for longer than this gets no further ones, in milliseconds. */
  patienceMs?: number;
};

/** Pause after a connection could not be opened, in milliseconds. */
const pauseMs = 1_000;

/**
 * A few connections that each carry several statements at once, sent without waiting for earlier results. Each
 * statement is its own transaction, so a failure affects no other. Connections are opened on demand, and replaced when
 * lost.
 */
export class Pipeline {
  readonly #options: Required<PipelineOptions>;
  readonly #lines: Line[] = [];
  #opening = false;
  #triedAt = Number.NEGATIVE_INFINITY;
  #ending = false;

  constructor(options: PipelineOptions) {
    this.#options = { depth: 16, patienceMs: 50, ...options };
  }

  /** Returns the least busy connection, or null if all are busy enough: the caller then uses the pool. */
  take(): Lease | null {
    const now = performance.now();
    const line = this.#leastBusy(now);
    if (!line || line.load > 0) this.#openOneMore(now);
    if (!line || this.#ending) return null;
    if (line.load === 0) line.since = now;
    line.load += 1;
    this.#gather(line);
    return { client: line.client, release: () => release(line) };
  }

  /** Closes the connections, each once its statements in flight have completed. */
  async end(): Promise<void> {
    this.#ending = true;
    await Promise.all(this.#lines.map(endWhenIdle));
  }

  /** Buffers what is sent until the event loop has read all requests that have arrived, to save system calls. */
  #gather(line: Line): void {
    if (line.gathers) return;
    line.gathers = true;
    const { stream } = line.client.connection;
    stream.cork();
    setImmediate(() => {
      line.gathers = false;
      stream.uncork();
    });
  }

  #leastBusy(now: number): Line | null {
    const { depth, patienceMs } = this.#options;
    let least: Line | null = null;
    for (const line of this.#lines) {
      const isStuck = line.load > 0 && now - line.since > patienceMs;
      if (!isStuck && line.load < (least?.load ?? depth)) least = line;
    }
    return least;
  }

  #openOneMore(now: number): void {
    if (this.#opening || this.#ending || this.#lines.length >= this.#options.max || now - this.#triedAt < pauseMs)
      return;
    this.#opening = true;
    const client = this.#options.create();
    const line: Line = { client, load: 0, since: now, gathers: false, onIdle: () => {} };
    // Statements in flight fail by themselves; without a listener Node would exit.
    client.on('error', () => this.#drop(line));
    client.on('end', () => this.#drop(line));
    client
      .connect()
      .then(() => (this.#ending ? client.end() : void this.#lines.push(line)))
      .catch(() => {
        this.#triedAt = performance.now();
      })
      .finally(() => {
        this.#opening = false;
      });
  }

  #drop(line: Line): void {
    const index = this.#lines.indexOf(line);
    if (index >= 0) this.#lines.splice(index, 1);
  }
}

/** Results arrive in the order of the statements: when one completes, the database starts on the next. */
function release(line: Line): number {
  const now = performance.now();
  const took = now - line.since;
  line.since = now;
  line.load -= 1;
  if (line.load === 0) line.onIdle();
  return took;
}

async function endWhenIdle(line: Line): Promise<void> {
  if (line.load > 0) await new Promise<void>((resolve) => (line.onIdle = resolve));
  await line.client.end();
}
