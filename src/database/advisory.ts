import type { Transaction } from './client.ts';
import type { Pool } from './pool.ts';

/**
 * Waits for the locks of these names and holds them until the transaction ends, so that two that would decide by what
 * they read decide one after the other. Names are locked in one order, so that no two transactions wait for each other.
 */
export async function lockNames(tx: Transaction, names: string[]): Promise<void> {
  for (const name of names.toSorted()) {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`;
  }
}

/** The same for those that may do it at once, as long as nobody holds the lock of this name alone. */
export async function shareName(tx: Transaction, name: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock_shared(hashtextextended(${name}, 0))`;
}

/** Does the work while no other process does work of this name; on PostgreSQL, over a connection that it has meanwhile. */
export async function alone<Result>(pool: Pool, name: string, work: () => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  try {
    // The lock is of a transaction: one of a session would be left with whichever connection a pooler has given to it.
    await client.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0');
    await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [name]);
    return await work();
  } finally {
    client.release(true);
  }
}
