import { availableParallelism } from 'node:os';
import type pg from 'pg';
import { serverName } from '../core/server-urls.ts';
import { Pipeline } from './pipeline.ts';
import { endPool, Pool } from './pool.ts';
import { Servers } from './servers.ts';
import { Session } from './session.ts';
import { Watch } from './watch.ts';

/** node-postgres has no timeouts by default. All in milliseconds. */
const limits = {
  connectionTimeoutMillis: 5_000,
  idleTimeoutMillis: 30_000,
  // For statements outside of a request; reached only if the server's response is lost on the network.
  statementLimitMs: 40_000,
};

/**
 * What is set when a connection starts: the server's own timeouts, in milliseconds, and the isolation that transactions
 * are written for. In a stricter one they would fail beside each other.
 */
const serverLimits = {
  statement_timeout: 30_000,
  idle_in_transaction_session_timeout: 60_000,
  startup: { default_transaction_isolation: 'read committed' },
};

/** Timeout of the health check, in milliseconds. */
const probeMs = 1_500;

/** PostgreSQL does not respond or refuses the connection. The message says where and why, without the password. */
class DatabaseUnreachableError extends Error {
  override name = 'DatabaseUnreachableError';
}

export type Postgres = {
  pool: Pool;
  /** A separate connection, so that the database can be probed while all others are in use. */
  probe: Pool;
  /** One more to the coordinator of a cluster, opened on demand: asking a node that is gone holds it for `probeMs`. */
  nodes: Pool;
  /** Closes dead connections until `end` is called. */
  watch: Watch;
  servers: Servers;
};

/**
 * `workers`: how many processes share the connections of this gateway; `size`: how many of those are for exclusive use,
 * null by the number of cores; `setting`: where the URL is from.
 */
type PostgresOptions = { workers?: number; size?: number | null; setting?: string };

/** Ends the pools and their watches. */
export async function closePostgres({ pool, probe, nodes, watch, servers }: Postgres): Promise<void> {
  watch.end();
  await Promise.all([endPool(pool), endPool(probe), endPool(nodes), servers.close()]);
}

/**
 * Opens a pool to a PostgreSQL server, or to a PgBouncer in front of it, and resolves once it has responded. Of several
 * servers (`postgres://a,b/parley`) it is the primary, also when that becomes another one. Throws
 * `DatabaseUnreachableError`, which names `setting`.
 */
export async function openPostgres(databaseUrl: string, options: PostgresOptions = {}): Promise<Postgres> {
  const { workers = 1, size = null, setting = 'DATABASE_URL' } = options;
  const sizes = poolSizes(availableParallelism(), workers, size);
  const servers = new Servers(databaseUrl);
  try {
    await servers.follow();
    return await answering(openPools(servers, serverLimits, sizes)).catch((error: unknown) => {
      // PgBouncer rejects these startup parameters: the limits of the role apply there.
      if (!refusesParameters(error)) throw error;
      return answering(openPools(servers, {}, sizes));
    });
  } catch (error) {
    await servers.close();
    throw unreachable(databaseUrl, error, setting);
  }
}

const refusesParameters = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('unsupported startup parameter');

/**
 * How many connections a process opens: `max` for exclusive use, `shared` for pipelined reads. Several workers divide
 * those of a single process, down to what each needs to serve reads beside writes that wait.
 */
export function poolSizes(cores: number, workers: number, size: number | null): { max: number; shared: number } {
  const max = size ?? Math.min(16, Math.max(8, 2 * cores));
  const shared = Math.min(8, Math.max(2, 2 * cores));
  if (workers === 1) return { max, shared };
  return { max: Math.max(6, Math.ceil(max / workers)), shared: Math.max(2, Math.ceil(shared / workers)) };
}

type PoolSizes = ReturnType<typeof poolSizes>;

function openPools(servers: Servers, server: Partial<typeof serverLimits>, { max, shared }: PoolSizes): Postgres {
  const probeOptions = { connectionTimeoutMillis: probeMs, statementLimitMs: probeMs };
  const connection = { ...connectionTo(servers.current), ...limits, ...server, servers };
  const openProbe = () => new Pool({ config: { ...connection, ...probeOptions, max: 1 } });
  const probe = openProbe();
  const watch = new Watch(probe);
  const config = { ...connection, watch };
  const create = () => new Session({ ...config, pipeline: true });
  const pipeline = new Pipeline({ create, max: shared });
  return {
    pool: new Pool({ config: { ...config, max }, reading: Math.floor(max / 4), pipeline }),
    probe,
    nodes: openProbe(),
    watch,
    servers,
  };
}

async function answering(postgres: Postgres): Promise<Postgres> {
  const { pool, watch } = postgres;
  try {
    const client = await pool.take(false);
    const { rows } = await client.query<{ pid: number; isDistributed: boolean }>(
      `SELECT pg_backend_pid() AS pid, to_regclass('pg_catalog.pg_dist_node') IS NOT NULL AS "isDistributed"`,
    );
    pool.isDistributed = rows[0]?.isDistributed ?? false;
    // Behind a pooler the process id is the pooler's, which `pg_stat_activity` does not know.
    if ((client as pg.PoolClient & Session).pid !== rows[0]?.pid) watch.end();
    client.release();
    return postgres;
  } catch (error) {
    watch.end();
    await pool.end();
    throw error;
  }
}

/** The error for a server that cannot be used; it names the server and the setting, never the password. */
export function unreachable(databaseUrl: string, error: unknown, setting = 'DATABASE_URL'): DatabaseUnreachableError {
  const reason = error instanceof AggregateError ? error.errors[0] : error;
  const message = reason instanceof Error ? reason.message : String(reason);
  // How node-postgres and PostgreSQL say it.
  const isMissing = /client password must be|empty password returned/.test(message);
  const why = isMissing ? 'the server asks for a password, and the URL has none' : message;
  return new DatabaseUnreachableError(`PostgreSQL at ${serverName(databaseUrl)} (${setting}) cannot be used: ${why}`);
}

/** The options of every connection; keepalive detects a server that went silent. */
export function connectionTo(databaseUrl: string) {
  return {
    connectionString: databaseUrl,
    application_name: 'parley',
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}
