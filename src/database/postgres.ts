import { availableParallelism } from 'node:os';
import pg from 'pg';
import { Pipeline } from './pipeline.ts';
import { Pool } from './pool.ts';

/** node-postgres waits for ever unless told otherwise; all in milliseconds. */
const limits = {
  connectionTimeoutMillis: 10_000,
  idleTimeoutMillis: 30_000,
  // Reached only when the network swallows the server's answer.
  query_timeout: 40_000,
};

/** The server's own limits, told when a connection begins. */
const serverLimits = { statement_timeout: 30_000, idle_in_transaction_session_timeout: 60_000 };

/** PostgreSQL does not answer, or refuses. The message says where and why, without the password. */
export class DatabaseUnreachableError extends Error {
  override name = 'DatabaseUnreachableError';
}

/** What node-postgres does not type: the parameters that it sends when a connection begins. */
type Starting = { getStartupConf(): Record<string, string> };

/**
 * A session in UTC, whatever the server's own time zone is. The zone is a parameter of its own and not one of `options`,
 * which PgBouncer refuses; it keeps the zone of each of its clients.
 */
export class Session extends pg.Client {
  getStartupConf(): Record<string, string> {
    const { getStartupConf } = pg.Client.prototype as unknown as Starting;
    return { ...getStartupConf.call(this as unknown as Starting), TimeZone: 'UTC' };
  }
}

/**
 * A pool of connections to a PostgreSQL server, or to a PgBouncer before it, once it has answered. Throws
 * `DatabaseUnreachableError`.
 */
export async function openPostgres(databaseUrl: string): Promise<Pool> {
  try {
    return await answering(openPool(databaseUrl, serverLimits));
  } catch (error) {
    // PgBouncer knows no limits of a client's own: there they are the role's.
    if (!refusesParameters(error)) throw unreachable(databaseUrl, error);
  }
  return answering(openPool(databaseUrl, {})).catch((error: unknown) => {
    throw unreachable(databaseUrl, error);
  });
}

const refusesParameters = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('unsupported startup parameter');

function openPool(databaseUrl: string, server: Partial<typeof serverLimits>): Pool {
  const cores = availableParallelism();
  const config = { ...connectionTo(databaseUrl), ...limits, ...server };
  const create = () => new Session({ ...config, pipeline: true });
  const pipeline = new Pipeline({ create, max: Math.min(8, Math.max(2, 2 * cores)) });
  const pool = new Pool({ ...config, max: Math.min(16, Math.max(4, 2 * cores)) }, pipeline);
  // The pool has dropped the connection already; without a listener Node would end the process.
  pool.on('error', () => {});
  return pool;
}

async function answering(pool: Pool): Promise<Pool> {
  try {
    await pool.query('SELECT 1');
    return pool;
  } catch (error) {
    await pool.end();
    throw error;
  }
}

function unreachable(databaseUrl: string, error: unknown): DatabaseUnreachableError {
  const { host, pathname } = new URL(databaseUrl);
  const reason = error instanceof AggregateError ? error.errors[0] : error;
  const why = reason instanceof Error ? reason.message : String(reason);
  return new DatabaseUnreachableError(`PostgreSQL at ${host}${pathname} (DATABASE_URL) cannot be used: ${why}`);
}

/** How to reach a PostgreSQL. */
export function connectionTo(databaseUrl: string) {
  return { connectionString: databaseUrl, application_name: 'parley', keepAlive: true, Client: Session };
}
