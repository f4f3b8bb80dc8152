import type { DatabaseHandle } from '../../../src/database/client.ts';
import { isCluster } from './cluster.ts';
import { testDatabase } from './database.ts';

/** A database that the files of this process use one after the other, and what it was like when it was new. */
type Shared = { handle: DatabaseHandle; state: string };

/** Those that no file uses now: mostly one, or as many as a file had gateways on databases of their own. */
const idle: Shared[] = [];

/**
 * An empty, migrated database that is this caller's alone until `close`. It is one that another had, emptied, unless
 * somebody changed its schema: then it is a new one.
 */
export async function borrowDatabase(): Promise<DatabaseHandle> {
  const shared = (await takeIdle()) ?? (await open());
  let isLent = true;
  return {
    ...shared.handle,
    async close() {
      if (isLent) idle.push(shared);
      isLent = false;
    },
  };
}

async function open(): Promise<Shared> {
  const handle = await testDatabase();
  return { handle, state: await stateOf(handle) };
}

async function takeIdle(): Promise<Shared | null> {
  for (let used = idle.pop(); used; used = idle.pop()) {
    try {
      if ((await stateOf(used.handle)) === used.state) {
        await empty(used.handle);
        return used;
      }
    } catch {
      // Its tests closed or damaged it.
    }
    await used.handle.close().catch(() => {});
  }
  return null;
}

/**
 * What tests may change beside rows: the schema, its triggers and functions, migrations, settings, statistics. The
 * queue makes its own schema when a gateway first uses it, as in any database.
 */
async function stateOf({ pool }: DatabaseHandle): Promise<string> {
  const text = `
    SELECT jsonb_build_array(
      (SELECT md5(string_agg((c.oid, relname, relchecks, relhastriggers, reloptions)::text, ',' ORDER BY c.oid))
         FROM pg_class c WHERE relnamespace = 'public'::regnamespace),
      (SELECT md5(string_agg((attrelid, attname, atttypid, attnotnull, attisdropped)::text, ',' ORDER BY attrelid, attnum))
         FROM pg_attribute JOIN pg_class c ON c.oid = attrelid WHERE relnamespace = 'public'::regnamespace),
      (SELECT md5(string_agg((oid, convalidated)::text, ',' ORDER BY oid))
         FROM pg_constraint WHERE connamespace = 'public'::regnamespace),
      (SELECT md5(string_agg((indexrelid, indisvalid)::text, ',' ORDER BY indexrelid))
         FROM pg_index JOIN pg_class c ON c.oid = indrelid WHERE relnamespace = 'public'::regnamespace),
      (SELECT md5(string_agg((t.oid, tgenabled)::text, ',' ORDER BY t.oid))
         FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid WHERE relnamespace = 'public'::regnamespace),
      (SELECT md5(string_agg((oid, prosrc)::text, ',' ORDER BY oid))
         FROM pg_proc WHERE pronamespace = 'public'::regnamespace),
      (SELECT md5(string_agg(m::text, ',' ORDER BY m.id)) FROM "_prisma_migrations" m),
      (SELECT jsonb_agg((name, setting)::text ORDER BY name) FROM pg_settings WHERE source = 'session'),
      (SELECT count(*) FROM pg_db_role_setting),
      (SELECT count(DISTINCT starelid) FROM pg_statistic JOIN pg_class c ON c.oid = starelid
         WHERE relnamespace = 'public'::regnamespace)) AS state`;
  // Planned once, since it is asked before each file.
  const { rows } = await pool.query({ name: 'state of the database', text });
  return JSON.stringify(rows[0]?.state);
}

/** Above this, deleted rows would slow the next tests down. */
const maxBytes = 262_144;

async function empty(handle: DatabaseHandle): Promise<void> {
  if (isCluster) return emptyNodes(handle);
  const { pool } = handle;
  const { rows } = await pool.query<{ name: string; bytes: number }>(`
    SELECT format('%I.%I', nspname, relname) AS name, pg_relation_size(c.oid)::int AS bytes
    FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
    WHERE relkind = 'r' AND pg_relation_size(c.oid) > 0
      AND (nspname = 'public' AND relname <> '_prisma_migrations'
        OR nspname = 'pgboss' AND relname NOT IN ('version', 'queue', 'schedule'))`);
  const [large, small] = [rows.filter(({ bytes }) => bytes > maxBytes), rows.filter(({ bytes }) => bytes <= maxBytes)];
  // Without triggers and references; a lock means that what used it still runs.
  await pool.query(
    [
      'BEGIN',
      "SET LOCAL session_replication_role = 'replica'",
      "SET LOCAL lock_timeout = '2s'",
      ...small.map(({ name }) => `DELETE FROM ${name}`),
      ...(large.length > 0 ? [`TRUNCATE ${large.map(({ name }) => name).join()} CASCADE`] : []),
      'COMMIT',
    ].join(';'),
  );
}

/** Tables of a coordinator have no size, wherever rows are. What it sets for a transaction is told to the nodes. */
async function emptyNodes({ pool }: DatabaseHandle): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(`
    SELECT format('%I.%I', nspname, relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
    LEFT JOIN pg_dist_partition d ON d.logicalrelid = c.oid
    WHERE relkind = 'r' AND (d.logicalrelid IS NOT NULL OR pg_relation_size(c.oid) > 0)
      AND (nspname = 'public' AND relname <> '_prisma_migrations'
        OR nspname = 'pgboss' AND relname NOT IN ('version', 'queue', 'schedule'))`);
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(`SET LOCAL citus.propagate_set_commands = 'local'`);
    await client.query(`SET LOCAL session_replication_role = 'replica'`);
    await client.query(`SET LOCAL lock_timeout = '2s'`);
    for (const { name } of rows) await client.query(`DELETE FROM ${name}`);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}
