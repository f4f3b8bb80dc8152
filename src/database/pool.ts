import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import type { Prisma } from './generated/prisma/client.ts';
import type { Lease, Pipeline } from './pipeline.ts';

/** A transaction that is running, and whether a part of it has failed and so the whole must be rolled back. */
export type Scope = { tx: Prisma.TransactionClient; open: boolean; failure: { error: unknown } | null };

type Done = (error: Error | undefined, client: pg.PoolClient | undefined, release: (release?: unknown) => void) => void;

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

/** The pool of connections. It refuses a connection to code that already runs in a transaction of the same pool. */
export class Pool extends pg.Pool {
  readonly scope = new AsyncLocalStorage<Scope>();
  readonly #pipeline: Pipeline | null;

  /** `pipeline`: further connections, for statements that may share one; it ends with the pool. */
  constructor(config: pg.PoolConfig, pipeline: Pipeline | null = null) {
    super(config);
    this.#pipeline = pipeline;
    // What is under way on a lost connection fails by itself; without a listener Node would end the process.
    this.on('connect', (client) => client.on('error', () => {}));
  }

  /** A connection for one statement: one that others use at the same time when `shared`, and one has room. */
  async lease(shared: boolean): Promise<Lease> {
    const line = shared && !this.scope.getStore()?.open ? this.#pipeline?.take() : null;
    if (line) return line;
    const client = await this.connect();
    const since = performance.now();
    const release = () => {
      client.release();
      return performance.now() - since;
    };
    return { client, release };
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(done: Done): void;
  override connect(done?: Done): Promise<pg.PoolClient> | void {
    if (this.scope.getStore()?.open) {
      if (!done) return Promise.reject(new OutsideTransactionError());
      return done(new OutsideTransactionError(), undefined, () => {});
    }
    return done ? super.connect(done) : super.connect();
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

const patienceMs = 5_000;

/** Ends the pool when the queries under way are done, or after five seconds: leaving must not hang on one of them. */
export async function endPool(pool: pg.Pool): Promise<void> {
  const done = new AbortController();
  const patience = setTimeout(patienceMs, undefined, { signal: done.signal, ref: false }).catch(() => {});
  await Promise.race([pool.end(), patience]);
  done.abort();
}
