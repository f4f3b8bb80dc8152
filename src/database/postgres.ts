import { availableParallelism } from 'node:os';
import type { PoolConfig } from 'pg';
import { Pool } from './pool.ts';

/** node-postgres waits for ever unless told otherwise; all in milliseconds. */
const limits = {
  connectionTimeoutMillis: 10_000,
  idleTimeoutMillis: 30_000,
  statement_timeout: 30_000,
  // Reached only when the network swallows the server's answer.
  query_timeout: 40_000,
  idle_in_transaction_session_timeout: 60_000,
};

/** PostgreSQL does not answer, or refuses. The message says where and why, without the password. */
export class DatabaseUnreachableError extends Error {
  override name = 'DatabaseUnreachableError';
}

/** A pool of connections to a PostgreSQL server, once it has answered. Throws `DatabaseUnreachableError`. */
export async function openPostgres(databaseUrl: string): Promise<Pool> {
  const max = Math.min(16, Math.max(4, 2 * availableParallelism()));
  const pool = new Pool({ ...connectionTo(databaseUrl), ...limits, max });
  // The pool has dropped the connection already; without a listener Node would end the process.
  pool.on('error', () => {});
  try {
    await pool.query('SELECT 1');
    return pool;
  } catch (error) {
    await pool.end();
    throw unreachable(databaseUrl, error);
  }
}

function unreachable(databaseUrl: string, error: unknown): DatabaseUnreachableError {
  const { host, pathname } = new URL(databaseUrl);
  const reason = error instanceof AggregateError ? error.errors[0] : error;
  const why = reason instanceof Error ? reason.message : String(reason);
  return new DatabaseUnreachableError(`PostgreSQL at ${host}${pathname} (DATABASE_URL) cannot be used: ${why}`);
}

/** How to reach a PostgreSQL, with sessions in UTC whatever the server's own time zone is. */
export function connectionTo(databaseUrl: string): PoolConfig {
  const url = new URL(databaseUrl);
  const options = [url.searchParams.get('options'), '-c TimeZone=UTC'].filter(Boolean).join(' ');
  url.searchParams.set('options', options);
  return { connectionString: url.href, application_name: 'parley', keepAlive: true };
}
