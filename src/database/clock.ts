import type { Database } from './client.ts';

/** The client of a database, or of a transaction of it. */
type Store = Pick<Database, '$queryRaw'>;

/** The time by the database's clock, which all replicas share: leases are written and judged by no other. */
export async function databaseTime(store: Store): Promise<Date> {
  const rows = await store.$queryRaw<{ time: Date }[]>`SELECT clock_timestamp() AS "time"`;
  return (rows[0] as { time: Date }).time;
}
