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

type PipelineConnection = {
  client: pg.Client;
  /** Statements in flight. */
  load: number;
  /** When the database started on the oldest of them, by `performance.now()`. */
  since: number;
  /** Whether its statements are buffered until the end of this turn of the event loop. */
  isCorked: boolean;
  /** Called when the last of them has completed. */
  onIdle: () => void;
};

type PipelineOptions = {
  /** Creates a connection in node-postgres's pipeline mode, not yet open. */
  create: () => pg.Client;
  /** The maximum number of connections. */
  max: number;
  /** The maximum number of statements in flight on one connection: those behind a slow one wait for it. */
  depth?: number;
  /** A connection that has worked on one statement for longer than this gets no further ones, in milliseconds. */
  stuckAfterMs?: number;
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
  readonly #connections: PipelineConnection[] = [];
  #opening = false;
  #triedAt = Number.NEGATIVE_INFINITY;
  #ending = false;

  constructor(options: PipelineOptions) {
    this.#options = { depth: 16, stuckAfterMs: 50, ...options };
  }

  /** Returns the least busy connection, or null if all are busy enough: the caller then uses the pool. */
  lease(): Lease | null {
    const now = performance.now();
    const connection = this.#leastBusy(now);
    if (!connection || connection.load > 0) this.#openOneMore(now);
    if (!connection || this.#ending) return null;
    if (connection.load === 0) connection.since = now;
    connection.load += 1;
    this.#gather(connection);
    return { client: connection.client, release: () => release(connection) };
  }

  /** Closes the connections, each once its statements in flight have completed. */
  async end(): Promise<void> {
    this.#ending = true;
    await Promise.all(this.#connections.map(endWhenIdle));
  }

  /** Buffers what is sent until the event loop has read all requests that have arrived, to save system calls. */
  #gather(connection: PipelineConnection): void {
    if (connection.isCorked) return;
    connection.isCorked = true;
    const { stream } = connection.client.connection;
    stream.cork();
    setImmediate(() => {
      connection.isCorked = false;
      stream.uncork();
    });
  }

  #leastBusy(now: number): PipelineConnection | null {
    const { depth, stuckAfterMs } = this.#options;
    let leastBusy: PipelineConnection | null = null;
    for (const connection of this.#connections) {
      const isStuck = connection.load > 0 && now - connection.since > stuckAfterMs;
      if (!isStuck && connection.load < (leastBusy?.load ?? depth)) leastBusy = connection;
    }
    return leastBusy;
  }

  #openOneMore(now: number): void {
    if (this.#opening || this.#ending || this.#connections.length >= this.#options.max || now - this.#triedAt < pauseMs)
      return;
    this.#opening = true;
    const client = this.#options.create();
    const connection: PipelineConnection = { client, load: 0, since: now, isCorked: false, onIdle: () => {} };
    // Statements in flight fail by themselves; without a listener Node would exit.
    client.on('error', () => this.#drop(connection));
    client.on('end', () => this.#drop(connection));
    client
      .connect()
      .then(() => (this.#ending ? client.end() : void this.#connections.push(connection)))
      .catch(() => {
        this.#triedAt = performance.now();
      })
      .finally(() => {
        this.#opening = false;
      });
  }

  #drop(connection: PipelineConnection): void {
    const index = this.#connections.indexOf(connection);
    if (index >= 0) this.#connections.splice(index, 1);
  }
}

/** Results arrive in the order of the statements: when one completes, the database starts on the next. */
function release(connection: PipelineConnection): number {
  const now = performance.now();
  const elapsedMs = now - connection.since;
  connection.since = now;
  connection.load -= 1;
  if (connection.load === 0) connection.onIdle();
  return elapsedMs;
}

async function endWhenIdle(connection: PipelineConnection): Promise<void> {
  if (connection.load > 0) await new Promise<void>((resolve) => (connection.onIdle = resolve));
  await connection.client.end();
}
