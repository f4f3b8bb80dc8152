import { readFileSync } from 'node:fs';
import pg from 'pg';
import { type DatabaseHandle, openDatabase } from '../../src/database/client.ts';
import { migrate } from '../../src/database/migrate.ts';

/** What the data must look like to be kept: raise it when fill.sql changes. */
const VERSION = 1;

/** How much data: the number of conversations. Messages are ten times as many. */
export const scales = { full: 100_000, small: 5_000 };

type Wish = { server: string; conversations: number; fresh: boolean; say: (line: string) => void };

/**
 * The URL of a PostgreSQL database with the bench's data, on the server at `server`. It is made when it is not there,
 * when it is of another version of the data, or when `fresh`; the gateway's own migrations make its tables.
 */
export async function prepareDatabase({ server, conversations, fresh, say }: Wish): Promise<string> {
  const name = `parley_bench_${conversations}`;
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  try {
    const mark = `bench ${VERSION}`;
    const known = await admin.query(
      `SELECT shobj_description(oid, 'pg_database') AS mark FROM pg_database WHERE datname = $1`,
      [name],
    );
    if (fresh || known.rows[0]?.mark !== mark) {
      say(`Making ${conversations} conversations and ${conversations * 10} messages in the database ${name}`);
      await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await admin.query(`CREATE DATABASE ${name}`);
      await withDatabase({ databaseUrl: url, dataDir: '' }, (handle) => fill(handle, conversations));
      await admin.query(`COMMENT ON DATABASE ${name} IS '${mark}'`);
    }
    await withDatabase({ databaseUrl: url, dataDir: '' }, tidy);
    return url;
  } finally {
    await admin.end();
  }
}

/** The same data in an embedded database, in the new folder `dataDir`. */
export async function prepareEmbedded(dataDir: string, conversations: number): Promise<void> {
  await withDatabase({ databaseUrl: null, dataDir }, async (handle) => {
    await fill(handle, conversations);
    await tidy(handle);
  });
}

async function withDatabase(
  options: { databaseUrl: string | null; dataDir: string },
  work: (handle: DatabaseHandle) => Promise<void>,
): Promise<void> {
  const handle = await openDatabase(options);
  try {
    await migrate(handle);
    await work(handle);
  } finally {
    await handle.close();
  }
}

async function fill({ pool }: DatabaseHandle, conversations: number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('SET statement_timeout = 0');
    await client.query(`SELECT set_config('bench.conversations', $1, false)`, [String(conversations)]);
    await client.query(readFileSync(new URL('fill.sql', import.meta.url), 'utf8'));
  } finally {
    client.release(true);
  }
}

/** Takes away what an earlier run created, and brings the statistics up to date. */
async function tidy({ pool }: DatabaseHandle): Promise<void> {
  await pool.query(`DELETE FROM "Lead" WHERE name = 'Bench'`);
  await pool.query('VACUUM ANALYZE');
}
