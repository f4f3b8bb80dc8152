import { randomUUID } from 'node:crypto';
import type { PgBoss } from 'pg-boss';
import type { Logger } from 'pino';
import type { DatabaseHandle } from '../database/client.ts';
import { databaseError, databaseFailureCause } from '../database/errors.ts';
import { type JobName, jobKinds, jobNames } from './kinds.ts';

/** Workers send heartbeats at half this interval; a job without one is handed to another worker. */
const heartbeatSeconds = 20;
const supervisionSeconds = 10;

/**
 * Opens pg-boss on the gateway's own pool, in `schema`, which it creates and migrates itself under a lock. It is
 * imported lazily, since loading takes 0.1 s of the start. Throws `QueueError` if the role may not, or if the schema is
 * another application's or of a version that pg-boss cannot migrate.
 */
export async function openStore(handle: DatabaseHandle, schema: string, log: Logger): Promise<PgBoss> {
  try {
    return await openBoss(handle, schema, log);
  } catch (error) {
    if (error instanceof QueueError || !(error instanceof Error)) throw error;
    const refused = await missingRight(handle, schema, error);
    if (refused || databaseError(error)?.code === 'unavailable' || !isAboutSchema(error)) throw refused ?? error;
    throw unopened(schema, error.message, error);
  }
}

/** PostgreSQL misses something in the schema, or pg-boss a version; any other error is a fault, and says so itself. */
const isAboutSchema = (error: Error): boolean =>
  /^(\d[0-9A-Z]|XX|P0|HV|F0)[0-9A-Z]{3}$/.test(String((error as { code?: unknown }).code)) ||
  /\bversion\b|not installed/i.test(error.message);

/** The queue cannot be opened; the message says what to do about it. */
export class QueueError extends Error {
  override name = 'QueueError';
}

const unopened = (schema: string, why: string, cause?: Error): QueueError =>
  new QueueError(
    `The job queue cannot be opened in the schema ${schema}: ${why}. If another application uses this schema, name one for the gateway in QUEUE_SCHEMA.`,
    { cause },
  );

/** Null if the error is another one, or the database cannot be asked. */
async function missingRight({ pool }: DatabaseHandle, schema: string, cause: Error): Promise<QueueError | null> {
  if ((cause as { code?: string }).code !== '42501') return null;
  const asked = pool.query<{ grant: string }>(
    `SELECT CASE WHEN to_regnamespace($1) IS NULL
      THEN format('GRANT CREATE ON DATABASE %I TO %I, or CREATE SCHEMA %I AUTHORIZATION %2$I', current_database(), current_user, $1)
      ELSE format('ALTER SCHEMA %1$I OWNER TO %2$I, and the same for its tables', $1, current_user) END AS grant`,
    [schema],
  );
  const [found] = await asked.then(
    ({ rows }) => rows,
    () => [],
  );
  if (!found) return null;
  return new QueueError(
    `The job queue cannot be opened in the schema ${schema}: ${cause.message}. Let the owner of the database run ${found.grant}; or name another schema in QUEUE_SCHEMA.`,
    { cause },
  );
}

/**
 * Throws if another application has its queues in the schema, whose tables would be migrated. Names such as `index` may
 * be anybody's: ours are exclusive, and of a start that was interrupted there are few, but no others.
 */
async function requireOwn({ pool }: DatabaseHandle, schema: string): Promise<void> {
  const { rows } = await pool.query<{ name: string; policy: string | null }>(
    `SELECT name, to_jsonb(queue) ->> 'policy' AS policy FROM ${schema}.queue
      WHERE name NOT LIKE '\\_\\_pgboss\\_\\_%' ORDER BY name`,
  );
  const isOurs = ({ name, policy }: (typeof rows)[number]) =>
    policy === 'exclusive' && jobNames.some((one) => one === name);
  const other = rows.find((row) => !isOurs(row));
  if (!other || 2 * rows.filter(isOurs).length >= jobNames.length) return;
  throw unopened(schema, `it has the queues of another application, such as "${other.name}"`);
}

async function openBoss(handle: DatabaseHandle, schema: string, log: Logger): Promise<PgBoss> {
  const { kind, pool } = handle;
  const { PgBoss } = await import('pg-boss');
  const { rows } = await pool.query<{ exists: boolean; used: boolean }>(
    `SELECT to_regnamespace($1) IS NOT NULL AS exists, to_regclass($1 || '.queue') IS NOT NULL AS used`,
    [schema],
  );
  if (rows[0]?.used) await requireOwn(handle, schema);
  const boss = new PgBoss({
    schema,
    // PostgreSQL asks for the right to create a schema also if it exists.
    createSchema: !rows[0]?.exists,
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
export async function unfinishedJobs(
  { pool }: DatabaseHandle,
  schema: string,
): Promise<{ id: string; name: JobName; running: boolean }[]> {
  const { rows } = await pool.query<{ id: string; name: JobName; running: boolean }>(
    `SELECT id, name, state = 'active' AS running FROM ${schema}.job WHERE name = ANY($1) AND state < 'completed'`,
    [jobNames],
  );
  return rows;
}

export type QueueDepth = { name: string; waiting: number; running: number; oldestSeconds: number };

/** For each kind of unfinished jobs: how many are waiting and running, on all replicas, and the age of the oldest. */
export async function queueDepths({ pool }: DatabaseHandle, schema: string): Promise<QueueDepth[]> {
  const { rows } = await pool.query<QueueDepth>(
    `SELECT name,
       count(*) FILTER (WHERE state < 'active')::int AS waiting,
       count(*) FILTER (WHERE state = 'active')::int AS running,
       extract(epoch FROM now() - min(created_on))::float8 AS "oldestSeconds"
     FROM ${schema}.job WHERE name = ANY($1) AND state < 'completed' GROUP BY name`,
    [jobNames],
  );
  const found = new Map(rows.map((row) => [row.name, row]));
  return jobNames.map((name) => found.get(name) ?? { name, waiting: 0, running: 0, oldestSeconds: 0 });
}
