import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { type DatabaseHandle, openDatabase } from '../../src/database/client.ts';
import { migrate } from '../../src/database/migrate.ts';
import { mergeMessageSegments } from '../../src/search/messages/merging.ts';
import { indexMessages } from '../../src/search/messages/writer.ts';
import { distributeOver, run } from './cluster.ts';

/** Increment when fill.sql changes, so that existing databases are recreated. */
const VERSION = 3;

/** The number of conversations; there are ten times as many messages. */
export const scales = { full: 100_000, small: 5_000 };

type DatabaseOptions = {
  server: string;
  /** The nodes of the cluster whose coordinator the server is. */
  nodes?: string[];
  conversations: number;
  fresh: boolean;
  say: (line: string) => void;
};

type Queryable = Pick<pg.ClientBase, 'query'>;

/**
 * Returns the URLs of a PostgreSQL database with the bench's data: on the server at `server`, and on the nodes over
 * which it is distributed. Created if it does not exist, has another version of the data, or `fresh` is set; its tables
 * come from the gateway's own migrations.
 */
export async function prepareDatabase(options: DatabaseOptions): Promise<[string, ...string[]]> {
  const { server, nodes = [], conversations, fresh, say } = options;
  const name = `parley_bench_${conversations}${nodes.length > 0 ? '_cluster' : ''}`;
  const urlOn = (place: string) => Object.assign(new URL(place), { pathname: `/${name}` }).href;
  const url = urlOn(server);
  await run(server, async (admin) => {
    const mark = `bench ${VERSION}`;
    const text = `SELECT shobj_description(oid, 'pg_database') AS mark FROM pg_database WHERE datname = $1`;
    const isThere = (await admin.query<{ mark: string | null }>(text, [name])).rows[0]?.mark === mark;
    if (fresh || !isThere) {
      say(`Making ${conversations} conversations and ${conversations * 10} messages in the database ${name}`);
      await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await admin.query(`CREATE DATABASE ${name}`);
      await migrateAt({ databaseUrl: url, dataDir: '' });
      await run(url, (client) => fill(client, conversations));
      await migrateAt({ databaseUrl: url, dataDir: '' }, index);
      await run(url, rewrite);
      if (nodes.length > 0) {
        say('Distributing them');
        await distributeOver(url, nodes);
      }
      await admin.query(`COMMENT ON DATABASE ${name} IS '${mark}'`);
    }
  });
  await migrateAt({ databaseUrl: url, dataDir: '' });
  await run(url, vacuum);
  return [url, ...nodes.map(urlOn)];
}

/** Creates the same data in an embedded database, in the new folder `dataDir`. */
export async function prepareEmbedded(dataDir: string, conversations: number): Promise<void> {
  await migrateAt({ databaseUrl: null, dataDir }, async (handle) => {
    const { pool } = handle;
    const client = await pool.connect();
    await fill(client, conversations);
    client.release();
    await index(handle);
    await rewrite(pool);
    await pool.query('VACUUM ANALYZE');
  });
}

async function migrateAt(
  options: { databaseUrl: string | null; dataDir: string },
  work: (handle: DatabaseHandle) => Promise<void> = async () => {},
): Promise<void> {
  const handle = await openDatabase(options);
  try {
    await migrate(handle);
    await work(handle);
  } finally {
    await handle.close();
  }
}

async function fill(client: Queryable, conversations: number): Promise<void> {
  await client.query(`SELECT set_config('bench.conversations', $1, false)`, [String(conversations)]);
  await client.query(readFileSync(new URL('fill.sql', import.meta.url), 'utf8'));
}

/** Indexes the messages for search, as the gateway's job would otherwise do while it is measured. */
async function index({ client }: DatabaseHandle): Promise<void> {
  const workspaces = await client.workspace.findMany({ select: { id: true } });
  for (const { id } of workspaces) {
    await indexMessages(client, id);
    await mergeMessageSegments(client, id);
  }
}

/** Indexing updates each message: without this, scans would read the pages of the old versions as well. */
async function rewrite(client: Queryable): Promise<void> {
  await client.query('VACUUM FULL "Message"');
}

/** Deletes what an earlier run created, and updates the statistics. */
async function vacuum(client: Queryable): Promise<void> {
  await client.query(`DELETE FROM "Lead" WHERE name = 'Bench'`);
  await client.query('VACUUM ANALYZE');
}
