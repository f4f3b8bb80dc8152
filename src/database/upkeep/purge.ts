import pg from 'pg';
import { isBeingCopied } from '../pglite/online-copy.ts';
import type { Pool } from '../pool.ts';
import { connectionTo } from '../postgres.ts';
import { withPauses } from './batches.ts';

/** Tables and indexes of the embedded database up to this size, in bytes, are rewritten: requests wait meanwhile. */
const maxRewritten = 12 * 2 ** 20;
/** More segments of the log than this are not overwritten. */
const maxSegments = 64;

type Purged = {
  /** Whether all tables were vacuumed, and whether a checkpoint was made. */
  vacuumed: boolean;
  checkpointed: boolean;
  /** What is left of deleted rows and why, for people. */
  remains: string[];
};

type Client = Pick<pg.ClientBase, 'query' | 'on' | 'off'>;
/** Sends one statement, on the session that all others use too. */
type Send = <Row extends object>(statement: string, values?: unknown[]) => Promise<Row[]>;
/** Up to which size, in bytes, tables and indexes of the embedded database are rewritten. */
type PurgeOptions = { maxTable?: number; maxIndex?: number };

/**
 * Removes what deleted rows of these tables leave in the files of the database: dead rows, index entries, statistics of
 * values, and the log. What the database does not allow is said in `remains`. Rejects if the database fails, and while
 * a backup reads the files of the embedded database.
 */
export async function purgeDeletedRows(pool: Pool, tables: string[], options: PurgeOptions = {}): Promise<Purged> {
  if (pool.url) return onServer(pool.url, tables);
  if (isBeingCopied(pool))
    throw new Error('A backup is reading the files of the embedded database; trying again later');
  // Each statement gets the only connection anew, so that requests come in between.
  const send: Send = async (statement, values) => (await withPauses(() => pool.query(statement, values))).rows as never;
  return onEmbedded(send, tables, options);
}

/** Locks no table for longer than a moment: the space of dead rows is freed, and not returned to the disk. */
async function onServer(databaseUrl: string, tables: string[]): Promise<Purged> {
  // Its own connection: the pool's have timeouts.
  const client = new pg.Client({ ...connectionTo(databaseUrl), connectionTimeoutMillis: 5_000 });
  await client.connect();
  client.on('error', () => {});
  try {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    // A pooler, whose process id differs, would carry the setting over to other users: there, the limit of the role
    // applies.
    if ((client as pg.Client & { processID: number }).processID === rows[0]?.pid)
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
        ...(checkpointed
          ? []
          : ['CHECKPOINT was refused or cancelled by the database, which makes one at its own intervals.']),
      ],
    };
  } finally {
    await client.end();
  }
}

type Index = { name: string; table: string; isLarge: boolean };

/**
 * Rewrites small tables, vacuums large ones, whose pages are written without the free space in them (page-holes.ts),
 * and replaces the log. Keys of deleted rows stay in inner pages of indexes, so that those of texts are rebuilt.
 */
async function onEmbedded(
  send: Send,
  tables: string[],
  { maxTable = maxRewritten, maxIndex = maxRewritten }: PurgeOptions,
): Promise<Purged> {
  const sizes = await send<{ name: string; isLarge: boolean }>(
    `SELECT name, pg_total_relation_size(quote_ident(name)::regclass) > $2 AS "isLarge" FROM unnest($1::text[]) AS given(name)`,
    [tables, maxTable],
  );
  const large = sizes.filter(({ isLarge }) => isLarge).map(({ name }) => name);
  const indexes = await send<Index>(indexesOfTexts, [large, maxIndex]);
  const kept = indexes.filter((index) => index.isLarge);
  for (const { name, isLarge } of sizes) {
    // Keys that go with the index need not be removed from it, nor ids, which a later VACUUM removes.
    const cleanup = kept.some(({ table }) => table === name) ? 'ON' : 'OFF';
    await send(`VACUUM (${isLarge ? `INDEX_CLEANUP ${cleanup}` : 'FULL'}) "${name}"`);
    await send(`ANALYZE "${name}"`);
  }
  for (const { name, isLarge } of indexes) if (!isLarge) await send(`REINDEX INDEX "${name}"`);
  // The statistics had the most frequent values of columns.
  await send('VACUUM FULL "pg_statistic"');
  const overwritten = await replaceLog(send);
  return {
    vacuumed: true,
    checkpointed: true,
    remains: [
      ...(kept.length > 0
        ? [
            `Inner pages of large indexes (${kept.map(({ name }) => name).join(', ')}) may contain single values or words of deleted rows, which no query returns, until REINDEX rebuilds them.`,
          ]
        : []),
      ...(overwritten ? [] : ['The write-ahead log contains the person until its segments are overwritten.']),
    ],
  };
}

/** The indexes of tables whose keys include anything but ids, which are no personal data, numbers and times. */
const indexesOfTexts = `
  SELECT index.relname AS name, owner.relname AS "table", pg_relation_size(index.oid) > $2 AS "isLarge"
  FROM unnest($1::text[]) AS given(name)
  JOIN pg_class AS owner ON owner.oid = quote_ident(given.name)::regclass
  JOIN pg_index ON indrelid = owner.oid JOIN pg_class AS index ON index.oid = indexrelid
  WHERE EXISTS (
    SELECT FROM pg_attribute AS key LEFT JOIN pg_attribute AS source
      ON source.attrelid = owner.oid AND source.attname = key.attname
    WHERE key.attrelid = index.oid AND key.atttypid IN ('text'::regtype, 'jsonb'::regtype, 'text[]'::regtype, 'int4'::regtype)
      AND (key.atttypid <> 'int4'::regtype OR source.attname IS NULL OR source.atttypid <> 'int4'::regtype)
      AND key.attname NOT IN ('id', 'workspaceId') AND NOT EXISTS (
        SELECT FROM pg_constraint AS reference
        WHERE reference.conrelid = owner.oid AND contype = 'f' AND source.attnum = ANY (conkey)
      )
  ) ORDER BY 2, 1`;

/** The SQLSTATE of a statement that took longer than `statement_timeout`. */
const cancelled = '57014';

/** Vacuums tables, one statement each. Returns why some were skipped: the database only warns of missing privileges. */
async function vacuum(client: Client, tables: string[], options: string): Promise<string[]> {
  const refused: string[] = [];
  const hear = ({ message }: { message?: string }) => {
    if (message && /permission denied|only .* can vacuum/i.test(message)) refused.push(message);
  };
  client.on('notice', hear);
  try {
    for (const name of tables) {
      await client.query(`VACUUM (${options}) "${name}"`).catch((error: unknown) => {
        if ((error as { code?: string }).code !== cancelled) throw error;
        refused.push(`statement_timeout has cancelled that of table "${name}"`);
      });
    }
  } finally {
    client.off('notice', hear);
  }
  return refused;
}

/** False if the role may not make a checkpoint, or not in the time that it has. */
async function checkpoint(client: Client): Promise<boolean> {
  try {
    await client.query('CHECKPOINT');
    return true;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === '42501' || code === cancelled) return false;
    throw error;
  }
}

/**
 * Makes all segments of the log old, those that were prepared for reuse too, and has checkpoints remove them instead of
 * reusing them. False if there are too many.
 */
async function replaceLog(send: Send): Promise<boolean> {
  await send('CHECKPOINT');
  const [counted] = await send<{ count: number }>(
    'SELECT count(*)::int AS count FROM pg_ls_waldir() WHERE name >= pg_walfile_name(pg_current_wal_insert_lsn())',
  );
  const count = counted?.count ?? 0;
  if (count > maxSegments) return false;
  await send('SET wal_recycle = off');
  try {
    for (let segment = 0; segment < count; segment += 1) {
      // An empty segment is not switched.
      await send(`SELECT pg_logical_emit_message(false, '', ''); SELECT pg_switch_wal()`);
    }
    // The second one removes what the first may still need.
    await send('CHECKPOINT');
    await send('CHECKPOINT');
  } finally {
    await send('RESET wal_recycle');
  }
  return true;
}
