import type { Transaction } from './client.ts';

/**
 * Waits for the locks of these names and holds them until the transaction ends, so that two that would decide by what
 * they read decide one after the other. Names are locked in one order, so that no two transactions wait for each other.
 */
export async function lockNames(tx: Transaction, names: string[]): Promise<void> {
  for (const name of names.toSorted()) {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`;
  }
}
