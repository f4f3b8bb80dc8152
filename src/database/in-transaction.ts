import type { Database, Transaction } from './client.ts';
import { databaseTime } from './clock.ts';
import type { Pool } from './pool.ts';

/** The services that access the database. */
export type DatabaseServices = {
  database: Database;
  pool: Pool;
  leaseTime(store?: Parameters<typeof databaseTime>[0]): Promise<Date>;
};

/** Returns a copy of the services whose queries all run in the transaction. */
export function inTransaction<Services extends DatabaseServices>(services: Services, tx: Transaction): Services {
  const query = async (text: string, values: unknown[] = []) => ({ rows: await tx.$queryRawUnsafe(text, ...values) });
  return {
    ...services,
    database: tx as Database,
    pool: { query } as unknown as Pool,
    leaseTime: (store: Parameters<typeof databaseTime>[0] = tx) => databaseTime(store),
  };
}
