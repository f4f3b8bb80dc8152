import pg from 'pg';
import { isBeingCopied } from './pglite/online-copy.ts';
import type { Pool } from './pool.ts';
import { connectionTo } from './postgres.ts';

/** Tables of the embedded database up to this size, in bytes with indexes, are rewritten. */
const maxRewritten = 256 * 2 ** 20;
/** More segments of the log than this are not overwritten. */
const maxSegments = 64;

export type Purged = {
  /** Whether all tables were vacuumed, and whether a checkpoint was made. */
  vacuumed: boolean;
  checkpointed: boolean;
  /** What is left of deleted rows and why, for people. */
  remains: string[];
};

type Client = Pick<pg.ClientBase, 'query' | 'on' | 'off'>;

/**
 * Removes what deleted rows of these tables leave in the files of the database: dead rows, index entries, statistics of
 * values, and the log. What the database does not allow is said in `remains`. Rejects if the database fails, and while a
 * backup reads the files of the embedded database.
 */
export async function purgeDeletedRows(pool: Pool, tables: string[]): Promise<Purged> {
  const { connectionString } = pool.options;
  if (connectionString) return onServer(connectionString, tables);
  if (isBeingCopied(pool))
    throw new Error('A backup is reading the files of the embedded database; trying again later');
  const client = await pool.connect();
  try {
    return await onEmbedded(client, tables);
  } finally {
    client.release();
  }
}

/** Locks no table for longer than a moment: the space of dead rows is freed, and not returned to the disk. */
async function onServer(databaseUrl: string, tables: string[]): Promise<Purged> {
  // Its own connection: the pool's have timeouts, which PgBouncer would carry over to other users if they were changed.
  const client = new pg.Client({ ...connectionTo(databaseUrl), connectionTimeoutMillis: 5_000 });
  await client.connect();
  client.on('error', () => {});
  try {
    await client.query('SET statement_timeout = 0');
    const refused = await vacuum(client, tables, 'INDEX_CLEANUP ON, ANALYZE');
    const checkpointed = await checkpoint(client);
    return {
      vacuumed: refused.length === 0,
      checkpointed,
      remains: [
        'Free space in the files of the database may contain bytes of deleted rows, which no query can read, until it is reused. VACUUM FULL rewrites a table without them, and locks it meanwhile.',
        'The write-ahead log contains the person until its segments are overwritten or removed, also on standbys and replication slots.',
        ...(refused.length > 0
          ? [`VACUUM was refused by the database: ${refused.join('; ')}. Autovacuum does it.`]
          : []),
        ...(checkpointed ? [] : ['CHECKPOINT was refused by the database, which makes one at its own intervals.']),
      ],
    };
  } finally {
    await client.end();
  }
}

/** Rewrites the tables, except large ones, and the log. Blocks the only connection meanwhile. */
async function onEmbedded(client: Client, tables: string[]): Promise<Purged> {
  const { rows } = await client.query<{ name: string; isLarge: boolean }>(
    `SELECT name, pg_total_relation_size(quote_ident(name)::regclass) > $2 AS "isLarge" FROM unnest($1::text[]) AS given(name)`,
    [tables, maxRewritten],
  );
  const [large, small] = [rows.filter(({ isLarge }) => isLarge), rows.filter(({ isLarge }) => !isLarge)].map((some) =>
    some.map(({ name }) => name),
  ) as [string[], string[]];
  const refused = [
    ...(await vacuum(client, small, 'FULL, ANALYZE')),
    ...(await vacuum(client, large, 'INDEX_CLEANUP ON, ANALYZE')),
    // The statistics had the most frequent values of columns.
    ...(await vacuum(client, ['pg_statistic'], 'FULL')),
  ];
  const overwritten = await replaceLog(client);
  return {
    vacuumed: refused.length === 0,
    checkpointed: true,
    remains: [
      ...(refused.length > 0 ? [`VACUUM was refused by the database: ${refused.join('; ')}.`] : []),
      ...(large.length > 0
        ? [
            `Free space in the files of large tables (${large.join(', ')}) may contain bytes of deleted rows, which no query can read, until it is reused.`,
          ]
        : []),
      ...(overwritten ? [] : ['The write-ahead log contains the person until its segments are overwritten.']),
    ],
  };
}

/** Vacuums tables, one statement each. Returns why some were skipped: the database only warns of missing privileges. */
async function vacuum(client: Client, tables: string[], options: string): Promise<string[]> {
  const refused: string[] = [];
  const hear = ({ message }: { message?: string }) => {
    if (message && /permission denied|only .* can vacuum/i.test(message)) refused.push(message);
  };
  client.on('notice', hear);
  try {
    for (const name of tables) await client.query(`VACUUM (${options}) "${name}"`);
  } finally {
    client.off('notice', hear);
  }
  return refused;
}

/** False if the role may not make a checkpoint. */
async function checkpoint(client: Client): Promise<boolean> {
  try {
    await client.query('CHECKPOINT');
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === '42501') return false;
    throw error;
  }
}

/**
 * Makes all segments of the log old, those that were prepared for reuse too, and has checkpoints remove them instead of
 * reusing them. False if there are too many.
 */
async function replaceLog(client: Client): Promise<boolean> {
  await client.query('CHECKPOINT');
  const { rows } = await client.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM pg_ls_waldir() WHERE name >= pg_walfile_name(pg_current_wal_insert_lsn())',
  );
  const count = rows[0]?.count ?? 0;
  if (count > maxSegments) return false;
  await client.query('SET wal_recycle = off');
  try {
    for (let segment = 0; segment < count; segment += 1) {
      // An empty segment is not switched.
      await client.query(`SELECT pg_logical_emit_message(false, '', ''); SELECT pg_switch_wal()`);
    }
    // The second one removes what the first may still need.
    await client.query('CHECKPOINT');
    await client.query('CHECKPOINT');
  } finally {
    await client.query('RESET wal_recycle');
  }
  return true;
}
