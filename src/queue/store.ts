import { randomUUID } from 'node:crypto';
import type { PgBoss } from 'pg-boss';
import type { Logger } from 'pino';
import type { DatabaseHandle } from '../database/client.ts';
import { databaseFailureCause } from '../database/errors.ts';
import { jobKinds, jobNames } from './kinds.ts';

/** Workers send heartbeats at half this interval; a job without one is handed to another worker. */
const heartbeatSeconds = 20;
const supervisionSeconds = 10;

/**
 * Opens pg-boss on the gateway's own pool, in the schema `pgboss`, which it creates and migrates itself under a lock.
 * It is imported lazily, since loading takes 0.1 s of the start.
 */
export async function openStore({ kind, pool }: DatabaseHandle, log: Logger): Promise<PgBoss> {
  const { PgBoss } = await import('pg-boss');
  const boss = new PgBoss({
    db: { executeSql: (text, values) => pool.query(text, values) },
    schedule: false,
    superviseIntervalSeconds: supervisionSeconds,
    monitorIntervalSeconds: supervisionSeconds,
    // No job depends on another one, so there are no flows to resolve.
    flowIntervalSeconds: 86_400,
    reindex: kind === 'postgres',
  });
  boss.on('error', (reported) => {
    const error = asError(reported);
    log.warn({ cause: `job queue: ${databaseFailureCause(error)}`, err: error }, 'The job queue reported an error');
  });
  boss.on('warning', ({ message }) => log.warn(message));
  await boss.start();
  for (const name of jobNames) {
    const { timeoutSeconds, retries } = jobKinds[name];
    const options = {
      retryLimit: retries,
      retryDelay: 1,
      retryBackoff: true,
      retryDelayMax: 60,
      expireInSeconds: timeoutSeconds,
      heartbeatSeconds,
      deleteAfterSeconds: 3_600,
    };
    await boss.createQueue(name, { ...options, policy: 'exclusive' });
    await boss.updateQueue(name, options);
    // Makes pg-boss cache the queue now, since it cannot within a transaction.
    await boss.findJobs(name, { id: randomUUID() });
  }
  return boss;
}

/** pg-boss reports failures of its workers as copies of the error's properties. */
function asError(reported: unknown): unknown {
  if (reported instanceof Error || typeof reported !== 'object' || reported === null) return reported;
  const { message, stack, code } = reported as Partial<Error> & { code?: unknown };
  return Object.assign(new Error(message), { ...(stack && { stack }), ...(code !== undefined && { code }) });
}

/** Returns the jobs that are queued, running or waiting for a retry. */
export async function unfinishedJobs({
  pool,
}: DatabaseHandle): Promise<{ id: string; name: string; running: boolean }[]> {
  const { rows } = await pool.query<{ id: string; name: string; running: boolean }>(
    `SELECT id, name, state = 'active' AS running FROM pgboss.job WHERE name = ANY($1) AND state < 'completed'`,
    [jobNames],
  );
  return rows;
}

/** For each kind of unfinished jobs: how many are waiting and running, on all replicas, and the age of the oldest. */
export async function queueDepths({
  pool,
}: DatabaseHandle): Promise<{ name: string; waiting: number; running: number; oldestSeconds: number }[]> {
  const { rows } = await pool.query<{ name: string; waiting: number; running: number; oldestSeconds: number }>(
    `SELECT name,
       count(*) FILTER (WHERE state < 'active')::int AS waiting,
       count(*) FILTER (WHERE state = 'active')::int AS running,
       extract(epoch FROM now() - min(created_on))::float8 AS "oldestSeconds"
     FROM pgboss.job WHERE name = ANY($1) AND state < 'completed' GROUP BY name`,
    [jobNames],
  );
  const found = new Map(rows.map((row) => [row.name, row]));
  return jobNames.map((name) => found.get(name) ?? { name, waiting: 0, running: 0, oldestSeconds: 0 });
}
