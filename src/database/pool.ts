import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import type { Prisma } from './generated/prisma/client.ts';

/** A transaction that is running, and whether a part of it has failed and so the whole must be rolled back. */
export type Scope = { tx: Prisma.TransactionClient; open: boolean; failure: { error: unknown } | null };

type Done = (error: Error | undefined, client: pg.PoolClient | undefined, release: (release?: unknown) => void) => void;

/** A mistake in the code, never in the request: a query inside `transact` went past its transaction. */
export class OutsideTransactionError extends Error {
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

  override connect(): Promise<pg.PoolClient>;
  override connect(done: Done): void;
  override connect(done?: Done): Promise<pg.PoolClient> | void {
    if (this.scope.getStore()?.open) {
      if (!done) return Promise.reject(new OutsideTransactionError());
      return done(new OutsideTransactionError(), undefined, () => {});
    }
    return done ? super.connect(done) : super.connect();
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
