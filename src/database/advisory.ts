import type { Transaction } from './client.ts';
import type { Pool } from './pool.ts';

/**
 * Takes the advisory locks of these names and holds them until the transaction ends, so that decisions based on a read
 * are serialized. Names are locked in sorted order to avoid deadlocks.
 */
export async function lockNames(tx: Transaction, names: string[]): Promise<void> {
  for (const name of names.toSorted()) {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`;
  }
}

/**
 * The shared counterpart of `lockNames`: any number of transactions may hold it unless one holds the name exclusively.
 */
export async function lockNameShared(tx: Transaction, name: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock_shared(hashtextextended(${name}, 0))`;
}

/** Runs `work` while no other process runs work of this name. Occupies one connection of the pool meanwhile. */
export async function withAdvisoryLock<Result>(pool: Pool, name: string, work: () => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  try {
    // A session-level lock would stay with whichever connection a pooler happened to assign.
    await client.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0');
    await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [name]);
    return await work();
  } finally {
    client.release(true);
  }
}
