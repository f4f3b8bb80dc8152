import { type Transaction, transact } from './client.ts';
import { type Stores, within } from './within.ts';

export type Work<T> = (tx: Transaction) => Promise<T>;

/** The transaction that ends a keyed operation, whoever begins it. */
export class Ending {
  readonly #store = Promise.withResolvers<Work<void>>();
  #over: Promise<void> | null = null;

  constructor() {
    this.#store.promise.catch(() => {});
  }

  /** Begins it with `work`, and answers what that made. */
  begin<T>(context: Stores, work: Work<T>): Promise<T> {
    const worked = Promise.withResolvers<T>();
    this.#over = transact(
      context.database,
      async (tx) => {
        const made = await work(tx);
        Object.assign(context, within(context, tx));
        worked.resolve(made);
        const store = await this.#store.promise;
        await store(tx);
      },
      { savepoints: true, once: true },
    );
    this.#over.catch(worked.reject);
    return worked.promise;
  }

  /** Ends it with `store`; in a transaction of its own when none was begun. Rejects when nothing was kept. */
  async end(context: Stores, store: Work<void>): Promise<void> {
    if (!this.#over) return transact(context.database, store);
    this.#store.resolve(store);
    await this.#over;
  }

  /** Undoes it. */
  async abandon(reason: unknown): Promise<void> {
    this.#store.reject(reason);
    await this.#over?.catch(() => {});
  }
}
