import type { DatabaseHandle } from '../client.ts';

/** What statements wait for in the server: a lock of another transaction, or a synchronous standby. */
type ServerWaits = { lock: number; standby: number };

/**
 * For how many seconds the oldest statement that waits has been running, of all gateways: a role sees the activity of
 * its own connections. While a synchronous standby is missing, each commit waits for it until it is cancelled.
 */
export async function serverWaits({ pool }: Pick<DatabaseHandle, 'pool'>): Promise<ServerWaits> {
  const { rows } = await pool.query<ServerWaits>(
    `SELECT
       coalesce(max(age) FILTER (WHERE wait_event_type = 'Lock'), 0)::float8 AS lock,
       coalesce(max(age) FILTER (WHERE wait_event = 'SyncRep'), 0)::float8 AS standby
     FROM (
       SELECT wait_event_type, wait_event, extract(epoch FROM clock_timestamp() - query_start) AS age
       FROM pg_stat_activity WHERE datname = current_database() AND state = 'active'
     ) AS activity`,
  );
  return rows[0] ?? { lock: 0, standby: 0 };
}
