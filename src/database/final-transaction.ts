import { type Transaction, transact } from './client.ts';
import { type DatabaseServices, inTransaction } from './in-transaction.ts';

type Work<T> = (tx: Transaction) => Promise<T>;

/**
 * The last transaction of an operation with an idempotency key: it stores the operation's own writes and its response
 * together. Either the operation or its caller begins it.
 */
export class FinalTransaction {
  readonly #store = Promise.withResolvers<Work<void>>();
  #begun: DatabaseServices | null = null;
  #over: Promise<void> | null = null;

  constructor() {
    this.#store.promise.catch(() => {});
  }

  /** Returns services whose queries run in the transaction from when it has begun. Copies of them do not follow it. */
  follow<Services extends DatabaseServices>(services: Services): Services {
    const stores = () => this.#begun ?? services;
    return Object.defineProperties(
      { ...services },
      {
        database: { get: () => stores().database, enumerable: true },
        pool: { get: () => stores().pool, enumerable: true },
        leaseTime: { get: () => stores().leaseTime, enumerable: true },
      },
    );
  }

  /** Begins the transaction with `work` and resolves with its result, while the transaction stays open. */
  begin<T>(services: DatabaseServices, work: Work<T>): Promise<T> {
    const worked = Promise.withResolvers<T>();
    this.#over = transact(
      services.database,
      async (tx) => {
        const result = await work(tx);
        this.#begun = inTransaction(services, tx);
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
  async end(services: DatabaseServices, store: Work<void>): Promise<void> {
    if (!this.#over) return transact(services.database, store);
    this.#store.resolve(store);
    await this.#over;
  }

  /** Rolls the transaction back. */
  async abandon(reason: unknown): Promise<void> {
    this.#store.reject(reason);
    await this.#over?.catch(() => {});
  }
}

/**
 * Runs the last write of an operation that awaits something outside the database, in one transaction. If the request
 * has an Idempotency-Key, that transaction stays open and also stores the response; queries made after `work` run in
 * it.
 */
export const runFinal = <T>(
  context: DatabaseServices & { finalTransaction?: FinalTransaction },
  work: Work<T>,
): Promise<T> => context.finalTransaction?.begin(context, work) ?? transact(context.database, work);
