import type { Database } from './client.ts';

/** A client, or a transaction. */
type Store = Pick<Database, '$queryRaw'>;

/** Returns the time of the database's clock, which all replicas share: leases are written and compared by it alone. */
export async function databaseTime(store: Store): Promise<Date> {
  const rows = await store.$queryRaw<{ time: Date }[]>`SELECT clock_timestamp() AS "time"`;
  return (rows[0] as { time: Date }).time;
}
