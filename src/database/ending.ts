import { type Transaction, transact } from './client.ts';
import { inTransaction, type Stores } from './within.ts';

export type Work<T> = (tx: Transaction) => Promise<T>;

/**
 * The last transaction of an operation with an idempotency key: it stores the operation's own writes and its response
 * together. Either the operation or its caller begins it.
 */
export class Ending {
  readonly #store = Promise.withResolvers<Work<void>>();
  #over: Promise<void> | null = null;

  constructor() {
    this.#store.promise.catch(() => {});
  }

  /** Begins the transaction with `work` and resolves with its result, while the transaction stays open. */
  begin<T>(context: Stores, work: Work<T>): Promise<T> {
    const worked = Promise.withResolvers<T>();
    this.#over = transact(
      context.database,
      async (tx) => {
        const result = await work(tx);
        Object.assign(context, inTransaction(context, tx));
        worked.resolve(result);
        const store = await this.#store.promise;
        await store(tx);
      },
      { savepoints: true, once: true },
    );
    this.#over.catch(worked.reject);
    return worked.promise;
  }

  /** Runs `store` and commits; in a new transaction if none was begun. Rejects if nothing was stored. */
  async end(context: Stores, store: Work<void>): Promise<void> {
    if (!this.#over) return transact(context.database, store);
    this.#store.resolve(store);
    await this.#over;
  }

  /** Rolls the transaction back. */
  async abandon(reason: unknown): Promise<void> {
    this.#store.reject(reason);
    await this.#over?.catch(() => {});
  }
}
