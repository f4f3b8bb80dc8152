import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { openDatabase } from '../../src/database/client.ts';
import { partitionDatabase } from '../../src/database/layout/partition.ts';
import { migrate } from '../../src/database/migrate.ts';
import { distributeOver, run } from '../data/cluster.ts';

/**
 * The size of a database: the number of conversations in the first workspace, and in each of the others; ten messages
 * each.
 */
export type Size = { workspaces: number; first: number; other: number };

export const messagesOf = ({ workspaces, first, other }: Size): number => 10 * (first + (workspaces - 1) * other);

/**
 * Creates the database `name` of this size on a server, in partitions unless there are 0, distributed over the servers
 * of nodes if there are any; or keeps an existing one. Returns its URL.
 */
export async function makeDatabase(
  server: string,
  name: string,
  { size, partitions, nodes = [], keep }: { size: Size; partitions: number; nodes?: string[]; keep: boolean },
): Promise<string> {
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  const mark = JSON.stringify({ ...size, partitions, nodes: nodes.length });
  const marked = `SELECT 1 FROM pg_database WHERE datname = $1 AND shobj_description(oid, 'pg_database') = $2`;
  const isThere = await run(server, async (client) => (await client.query(marked, [name, mark])).rows.length > 0);
  if (!keep || !isThere) await dropDatabase(server, name);
  if (!keep || !isThere) await run(server, (client) => client.query(`CREATE DATABASE ${name}`));
  const handle = await openDatabase({ databaseUrl: url, dataDir: '' });
  await migrate(handle);
  if (partitions > 0) await partitionDatabase(handle, partitions);
  await handle.close();
  if (keep && isThere) return url;
  await run(url, (client) => fill(client, size));
  if (nodes.length > 0) {
    await distributeOver(url, nodes);
    // A coordinator does not tell its nodes.
    for (const node of nodes)
      await run(Object.assign(new URL(node), { pathname: `/${name}` }).href, (client) =>
        client.query('VACUUM ANALYZE'),
      );
  }
  await run(server, (client) => client.query(`COMMENT ON DATABASE ${name} IS '${mark}'`));
  return url;
}

/** Fills a new embedded database in the folder `dataDir` with the same rows. */
export async function makeEmbedded(dataDir: string, size: Size): Promise<void> {
  const handle = await openDatabase({ databaseUrl: null, dataDir });
  await migrate(handle);
  const client = await handle.pool.connect();
  await fill(client, size);
  client.release();
  await handle.close();
}

export const dropDatabase = (server: string, name: string): Promise<unknown> =>
  run(server, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));

/** Inserts the same rows and indexes as if they had been written one by one, in a fraction of the time. */
async function fill(client: Pick<pg.ClientBase, 'query'>, size: Size): Promise<void> {
  // The data need not survive a crash, and is known to be consistent.
  await client.query(`SET session_replication_role = replica; SET synchronous_commit = off;
    SET maintenance_work_mem = '1GB'; SET work_mem = '256MB'`);
  for (const [key, value] of Object.entries(size))
    await client.query(`SELECT set_config($1, $2, false)`, [`flat.${key}`, `${value}`]);
  const { rows } = await client.query<{ name: string; definition: string }>(indexes);
  for (const { name } of rows) await client.query(`DROP INDEX "${name}"`);
  await client.query(readFileSync(new URL('fill.sql', import.meta.url), 'utf8'));
  for (const { definition } of rows) await client.query(definition);
  await client.query('VACUUM ANALYZE');
}

/** The indexes of the large tables that no constraint needs. */
const indexes = `SELECT relname AS name, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') AS definition
  FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
  WHERE indrelid = ANY(ARRAY['"Lead"', '"Conversation"', '"Message"']::regclass[])
    AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid)`;
