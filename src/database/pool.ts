import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { ConnectionSlots } from './connection-slots.ts';
import { currentDeadline, currentWorkspace, DatabaseTimeoutError, type Deadline } from './deadline.ts';
import { retryDeadlocks } from './deadlock.ts';
import type { Prisma } from './generated/prisma/client.ts';
import type { Lease, Pipeline } from './pipeline.ts';
import { type AnyRow, mayWrite, Session, type SessionConfig, textOf } from './session.ts';

/** A running transaction. */
export type Scope = {
  tx: Prisma.TransactionClient;
  open: boolean;
  /** Whether a failed nested `transact` rolls back only itself; otherwise `failure` rolls back the whole. */
  savepoints: boolean;
  failure: { error: unknown } | null;
  /** Effects to run after the commit. */
  after: (() => unknown)[];
};

type Done = Parameters<pg.Pool['connect']>[0];

/** A bug, never the caller's fault: a query inside `transact` bypassed its transaction. */
class OutsideTransactionError extends Error {
  override name = 'OutsideTransactionError';

  constructor() {
    super(
      'A query inside transact() went through the outer database client. It would wait for a connection that its own ' +
        'transaction holds, and not see what the transaction wrote: use the `tx` that transact() passes.',
    );
  }
}

type PoolOptions = {
  config: pg.PoolConfig & SessionConfig & { max: number };
  /** How many connections are reserved for reads. */
  reading?: number;
  /** Additional connections for statements that may share one; closed with the pool. */
  pipeline?: Pipeline | null;
};

/** Whether a statement reads or writes, and whether it may share a connection. */
export type Use = 'read' | 'write' | 'shared read';

/** Decides where a read goes that may be stale. */
export type ReadRouter = { read<T>(work: (pool: Pool) => Promise<T>, primary: Pool): Promise<T> };

/** The connection pool. Code that runs inside a transaction of this pool gets no second connection from it. */
export class Pool extends pg.Pool {
  readonly scope = new AsyncLocalStorage<Scope>();
  /** Whether the server is the coordinator of a Citus cluster. */
  isDistributed = false;
  /** Null without a standby. */
  router: ReadRouter | null = null;
  readonly #pipeline: Pipeline | null;
  readonly #slots: ConnectionSlots;
  readonly #limitMs: number | null;
  readonly #servers: SessionConfig['servers'] | null;
  readonly #readers = new AsyncLocalStorage<Pool>();

  constructor({ config, reading = 0, pipeline = null }: PoolOptions) {
    super({ ...config, Client: Session });
    this.#pipeline = pipeline;
    this.#slots = new ConnectionSlots({ max: config.max, reading });
    this.#limitMs = config.statementLimitMs ?? null;
    this.#servers = config.servers ?? null;
    // Statements on a lost connection fail by themselves; without a listener Node would exit.
    this.on('connect', (client) => client.on('error', () => {}));
    this.on('error', () => {});
  }

  /** The URL of the server that new connections lead to, which a failover changes; null for the embedded database. */
  get url(): string | null {
    return this.#servers?.current ?? this.options.connectionString ?? null;
  }

  /** Leases a connection for one statement: a shared one if allowed and available, otherwise an exclusive one. */
  async lease(use: Use): Promise<Lease> {
    const lease = use === 'shared read' && !this.scope.getStore()?.open ? this.#pipeline?.lease() : null;
    if (lease) return lease;
    const client = await this.take(use === 'write');
    const since = performance.now();
    const release = (broken = false) => {
      client.release(broken);
      return performance.now() - since;
    };
    return { client, release };
  }

  /** Checks out a connection for exclusive use until `release`. Throws `DatabaseTimeoutError` and network errors. */
  async take(writes: boolean): Promise<pg.PoolClient> {
    this.#requireOutside();
    const workspace = currentWorkspace() ?? '';
    const releaseSlot = this.#slots.tryAcquire(writes ? workspace : null);
    const deadline = currentDeadline(this.#limitMs);
    return releaseSlot
      ? this.#open(deadline, releaseSlot)
      : this.#open(deadline, await this.#enter(deadline, workspace, writes));
  }

  #requireOutside(): void {
    if (this.scope.getStore()?.open) throw new OutsideTransactionError();
  }

  async #enter(deadline: Deadline | null, workspace: string, writes: boolean): Promise<() => void> {
    const entry = this.#slots.wait(`${writes ? 'write' : 'read'} ${workspace}`, writes ? workspace : null);
    return withDeadline(deadline, entry.entered, entry.leave);
  }

  async #open(deadline: Deadline | null, releaseSlot: () => void): Promise<pg.PoolClient> {
    // An idle connection is available at once, so no deadline is needed.
    const isIdle = this.idleCount > this.waitingCount;
    const opening = super.connect();
    // The caller has given up by the time the connection opens: return it to the pool.
    const discard = () =>
      void opening
        .then(
          (client) => client.release(),
          () => {},
        )
        .then(releaseSlot);
    try {
      return guardRelease(await (isIdle ? opening : withDeadline(deadline, opening, discard)), releaseSlot);
    } catch (error) {
      if (!(error instanceof DatabaseTimeoutError)) releaseSlot();
      throw error;
    }
  }

  /** Runs a read in this pool, or in that of a standby if its request accepts stale data. It may run in both. */
  read<T>(work: (pool: Pool) => Promise<T>): Promise<T> {
    return this.router && !this.scope.getStore()?.open ? this.router.read(work, this) : work(this);
  }

  /** Counts the transactions that `work` begins as reads; it may run again, as `read` does. */
  asReader<T>(work: () => Promise<T>): Promise<T> {
    return this.read((pool) => this.#readers.run(pool, work));
  }

  /** The number of callers waiting for a connection. */
  get waiting(): number {
    return this.#slots.waiting;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(done: Done): void;
  override connect(done?: Done): Promise<pg.PoolClient> | void {
    // A caller that checks out a connection, such as Prisma, begins a transaction, which counts as a write by default.
    const reader = this.#readers.getStore();
    const client = this.#takeFrom(reader ?? this, !reader);
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
  /** node-postgres's other signatures, except callbacks. */
  override query(...args: unknown[]): never;
  override query(...args: unknown[]): never {
    return retryDeadlocks(() => this.#query(args)) as never;
  }

  async #takeFrom(pool: Pool, writes: boolean): Promise<pg.PoolClient> {
    this.#requireOutside();
    return pool.take(writes);
  }

  #query(args: unknown[]): Promise<unknown> {
    return mayWrite(textOf(args[0])) ? this.#send(args, true) : this.read((pool) => pool.#send(args, false));
  }

  async #send(args: unknown[], writes: boolean): Promise<unknown> {
    const client = await this.take(writes);
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

/**
 * Gives a connection back only once its last statement has ended, and closes it instead if it is within a transaction
 * then, or broken.
 */
function guardRelease(client: pg.PoolClient, releaseSlot: () => void): pg.PoolClient {
  const release = client.release.bind(client);
  const giveBack = (fault?: Error | boolean) => {
    release(fault ?? (client.getTransactionStatus() === 'I' ? undefined : true));
    releaseSlot();
  };
  client.release = (fault) => {
    if (fault) giveBack(fault);
    else (client as unknown as Session).whenReady(giveBack);
  };
  return client;
}

/** Resolves with `promise`; if the deadline passes first, calls `onTimeout` and throws `DatabaseTimeoutError`. */
async function withDeadline<T>(deadline: Deadline | null, promise: Promise<T>, onTimeout: () => void): Promise<T> {
  if (!deadline) return promise;
  const { promise: end, reject } = Promise.withResolvers<never>();
  const waiting = {
    abort(error: Error) {
      onTimeout();
      reject(error);
    },
  };
  try {
    deadline.begin(waiting);
  } catch (error) {
    onTimeout();
    throw error;
  }
  try {
    return await Promise.race([promise, end]);
  } finally {
    deadline.end(waiting);
  }
}

const maxDrainMs = 5_000;

/**
 * Ends the pool once its running queries have completed, or after five seconds, so that a hanging query cannot block
 * the shutdown.
 */
export async function endPool(pool: pg.Pool): Promise<void> {
  const done = new AbortController();
  const timeout = setTimeout(maxDrainMs, undefined, { signal: done.signal, ref: false }).catch(() => {});
  await Promise.race([pool.end(), timeout]);
  done.abort();
}
