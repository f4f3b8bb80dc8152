import { availableParallelism } from 'node:os';
import type pg from 'pg';
import { Pipeline } from './pipeline.ts';
import { Pool } from './pool.ts';
import { Session } from './session.ts';
import { Watch } from './watch.ts';

/** node-postgres waits for ever unless told otherwise; all in milliseconds. */
const limits = {
  connectionTimeoutMillis: 5_000,
  idleTimeoutMillis: 30_000,
  // For statements of no request; reached only when the network swallows the server's answer.
  statementLimitMs: 40_000,
};

/** The server's own limits, told when a connection begins. */
const serverLimits = { statement_timeout: 30_000, idle_in_transaction_session_timeout: 60_000 };

/** How long whoever asks whether the database can be reached waits for it, in milliseconds. */
const probeMs = 1_500;

/** PostgreSQL does not answer, or refuses. The message says where and why, without the password. */
export class DatabaseUnreachableError extends Error {
  override name = 'DatabaseUnreachableError';
}

export type Postgres = {
  pool: Pool;
  /** A connection of its own, by which the database is seen while all others are taken. */
  probe: Pool;
  /** Lets go of connections that are dead; looks until `end`. */
  watch: Watch;
};

/**
 * A pool of connections to a PostgreSQL server, or to a PgBouncer before it, once it has answered. Throws
 * `DatabaseUnreachableError`.
 */
export async function openPostgres(databaseUrl: string): Promise<Postgres> {
  try {
    return await answering(openPools(databaseUrl, serverLimits));
  } catch (error) {
    // PgBouncer knows no limits of a client's own: there they are the role's.
    if (!refusesParameters(error)) throw unreachable(databaseUrl, error);
  }
  return answering(openPools(databaseUrl, {})).catch((error: unknown) => {
    throw unreachable(databaseUrl, error);
  });
}

const refusesParameters = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('unsupported startup parameter');

function openPools(databaseUrl: string, server: Partial<typeof serverLimits>): Postgres {
  const cores = availableParallelism();
  const patience = { connectionTimeoutMillis: probeMs, statementLimitMs: probeMs };
  const probe = new Pool({ config: { ...connectionTo(databaseUrl), ...limits, ...server, ...patience, max: 1 } });
  const watch = new Watch(probe);
  const config = { ...connectionTo(databaseUrl), ...limits, ...server, watch };
  const create = () => new Session({ ...config, pipeline: true });
  const pipeline = new Pipeline({ create, max: Math.min(8, Math.max(2, 2 * cores)) });
  const max = Math.min(16, Math.max(8, 2 * cores));
  return { pool: new Pool({ config: { ...config, max }, reading: Math.floor(max / 4), pipeline }), probe, watch };
}

async function answering(postgres: Postgres): Promise<Postgres> {
  const { pool, watch } = postgres;
  try {
    const client = await pool.take(false);
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    // Behind a pooler, a connection is none of the server's, which cannot be asked about it.
    if ((client as pg.PoolClient & Session).pid !== rows[0]?.pid) watch.end();
    client.release();
    return postgres;
  } catch (error) {
    watch.end();
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
  return {
    connectionString: databaseUrl,
    application_name: 'parley',
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}
