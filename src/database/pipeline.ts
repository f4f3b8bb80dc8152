import type pg from 'pg';

/** A connection to send a statement on. */
export type Lease = {
  client: pg.ClientBase;
  /**
   * Called once the statement is answered; tells how long the database worked on it, in milliseconds. `broken`: nobody else
   * is given the connection.
   */
  release(broken?: boolean): number;
};

type Line = {
  client: pg.Client;
  /** Statements that are under way. */
  load: number;
  /** When the database began with the oldest of them, by `performance.now()`. */
  since: number;
  /** Whether its statements are held back until the end of this turn of the event loop. */
  gathers: boolean;
  /** Called when the last of them is answered. */
  onIdle: () => void;
};

export type PipelineOptions = {
  /** Makes a connection in node-postgres's pipeline mode, not yet open. */
  create: () => pg.Client;
  /** Connections at most. */
  max: number;
  /** Statements under way on one connection at most: those behind a slow one wait for it. */
  depth?: number;
  /** A connection that is busy with one statement for longer than this is given no other, in milliseconds. */
  patienceMs?: number;
};

/** How long no connection is tried after one could not be opened, in milliseconds. */
const pauseMs = 1_000;

/**
 * A few connections that carry several statements at once, sent without waiting for the answers of those before. Each
 * statement is its own transaction, so that one that fails fails alone. They are opened when they are needed, and one
 * that is lost is replaced.
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

  /** The connection with the least to do. Null when all have enough: the caller takes another way, or waits there. */
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

  /** Ends the connections, each when what is under way on it is answered. */
  async end(): Promise<void> {
    this.#ending = true;
    await Promise.all(this.#lines.map(endWhenIdle));
  }

  /** Holds back what is sent until the event loop has read all requests that are there: one system call for all of it. */
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
    // What was under way fails by itself; without a listener Node would end the process.
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

/** The answers come in the order of the statements: with one, the database begins with the next. */
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
