import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { currentDeadline, currentWorkspace, DatabaseTimeoutError, type Deadline } from './deadline.ts';
import { retryDeadlocks } from './deadlock.ts';
import type { Prisma } from './generated/prisma/client.ts';
import type { Lease, Pipeline } from './pipeline.ts';
import { type AnyRow, mayWrite, Session, type SessionConfig, textOf } from './session.ts';
import { Slots } from './slots.ts';

/** A transaction that is running. */
export type Scope = {
  tx: Prisma.TransactionClient;
  open: boolean;
  /** A part of it that has failed undoes itself; else the whole is rolled back for `failure`. */
  savepoints: boolean;
  failure: { error: unknown } | null;
  /** What is to be done once it is committed. */
  after: (() => unknown)[];
};

type Done = Parameters<pg.Pool['connect']>[0];

/** A mistake in the code, never in the request: a query inside `transact` went past its transaction. */
class OutsideTransactionError extends Error {
  override name = 'OutsideTransactionError';

  constructor() {
    super(
      'A query inside transact() went through the outer database client. It would wait for a connection that its own ' +
        'transaction holds, and not see what the transaction wrote: use the `tx` that transact() passes.',
    );
  }
}

export type PoolOptions = {
  config: pg.PoolConfig & SessionConfig & { max: number };
  /** Connections that no write may take. */
  reading?: number;
  /** Further connections, for statements that may share one; it ends with the pool. */
  pipeline?: Pipeline | null;
};

/** What a statement is sent for, and whether it may share a connection. */
export type Use = 'read' | 'write' | 'shared read';

/** The pool of connections. It refuses a connection to code that already runs in a transaction of the same pool. */
export class Pool extends pg.Pool {
  readonly scope = new AsyncLocalStorage<Scope>();
  readonly #pipeline: Pipeline | null;
  readonly #slots: Slots;
  readonly #limitMs: number | null;
  readonly #readers = new AsyncLocalStorage<true>();

  constructor({ config, reading = 0, pipeline = null }: PoolOptions) {
    super({ ...config, Client: Session });
    this.#pipeline = pipeline;
    this.#slots = new Slots({ max: config.max, reading });
    this.#limitMs = config.statementLimitMs ?? null;
    // What is under way on a lost connection fails by itself; without a listener Node would end the process.
    this.on('connect', (client) => client.on('error', () => {}));
    this.on('error', () => {});
  }

  /** A connection for one statement: one that others use at the same time where it may be shared, and one has room. */
  async lease(use: Use): Promise<Lease> {
    const line = use === 'shared read' && !this.scope.getStore()?.open ? this.#pipeline?.take() : null;
    if (line) return line;
    const client = await this.take(use === 'write');
    const since = performance.now();
    const release = (broken = false) => {
      client.release(broken);
      return performance.now() - since;
    };
    return { client, release };
  }

  /** A connection of one's own, until `release`. Throws `DatabaseTimeoutError`, and what the network says. */
  async take(writes: boolean): Promise<pg.PoolClient> {
    if (this.scope.getStore()?.open) throw new OutsideTransactionError();
    const workspace = currentWorkspace() ?? '';
    const leave = this.#slots.take(writes ? workspace : null);
    const deadline = currentDeadline(this.#limitMs);
    return leave ? this.#open(deadline, leave) : this.#open(deadline, await this.#enter(deadline, workspace, writes));
  }

  async #enter(deadline: Deadline | null, workspace: string, writes: boolean): Promise<() => void> {
    const place = this.#slots.wait(`${writes ? 'write' : 'read'} ${workspace}`, writes ? workspace : null);
    return within(deadline, place.entered, place.leave);
  }

  async #open(deadline: Deadline | null, leave: () => void): Promise<pg.PoolClient> {
    // One that is idle comes at once: nothing is to be waited for.
    const isIdle = this.idleCount > this.waitingCount;
    const opening = super.connect();
    // Nobody waits for it any more when it comes.
    const discard = () =>
      void opening
        .then(
          (client) => client.release(),
          () => {},
        )
        .then(leave);
    try {
      return handOut(await (isIdle ? opening : within(deadline, opening, discard)), leave);
    } catch (error) {
      if (!(error instanceof DatabaseTimeoutError)) leave();
      throw error;
    }
  }

  /** Has the transactions that `work` begins be counted as reading. */
  asReader<T>(work: () => T): T {
    return this.#readers.run(true, work);
  }

  /** How many wait for a connection. */
  get waiting(): number {
    return this.#slots.waiting;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(done: Done): void;
  override connect(done?: Done): Promise<pg.PoolClient> | void {
    // Whoever asks for a connection itself begins a transaction.
    const client = this.take(!this.#readers.getStore());
    if (!done) return client;
    client.then(
      (client) => done(undefined, client, (fault) => client.release(fault as Error | undefined)),
      (error: Error) => done(error, undefined, () => {}),
    );
  }

  override query<Row extends pg.QueryResultRow = AnyRow>(
    statement: string | pg.QueryConfig,
    values?: unknown[],
  ): Promise<pg.QueryResult<Row>>;
  /** The other forms of node-postgres, but for callbacks. */
  override query(...args: unknown[]): never;
  override query(...args: unknown[]): never {
    return retryDeadlocks(() => this.#query(args)) as never;
  }

  async #query(args: unknown[]): Promise<unknown> {
    const client = await this.take(mayWrite(textOf(args[0])));
    try {
      return await (client.query as (...args: unknown[]) => Promise<unknown>)(...args);
    } finally {
      client.release();
    }
  }

  override end(): Promise<void>;
  override end(done: () => void): void;
  override end(done?: () => void): Promise<void> | void {
    const ended = this.#endAll();
    return done ? void ended.then(done) : ended;
  }

  async #endAll(): Promise<void> {
    await Promise.all([super.end(), this.#pipeline?.end()]);
  }
}

/** A connection that is released in the midst of a transaction, or broken, is not given to anybody else. */
function handOut(client: pg.PoolClient, leave: () => void): pg.PoolClient {
  const release = client.release.bind(client);
  client.release = (fault) => {
    release(fault ?? (client.getTransactionStatus() === 'I' ? undefined : true));
    leave();
  };
  return client;
}

/** What comes of `promise`; when the time is over first, calls `giveUp` and throws `DatabaseTimeoutError`. */
async function within<T>(deadline: Deadline | null, promise: Promise<T>, giveUp: () => void): Promise<T> {
  if (!deadline) return promise;
  const { promise: end, reject } = Promise.withResolvers<never>();
  const waiting = {
    giveUp(error: Error) {
      giveUp();
      reject(error);
    },
  };
  try {
    deadline.begin(waiting);
  } catch (error) {
    giveUp();
    throw error;
  }
  try {
    return await Promise.race([promise, end]);
  } finally {
    deadline.end(waiting);
  }
}

const patienceMs = 5_000;

/** Ends the pool when the queries under way are done, or after five seconds: leaving must not hang on one of them. */
export async function endPool(pool: pg.Pool): Promise<void> {
  const done = new AbortController();
  const patience = setTimeout(patienceMs, undefined, { signal: done.signal, ref: false }).catch(() => {});
  await Promise.race([pool.end(), patience]);
  done.abort();
}
