import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { DatabaseKind } from '../database/client.ts';
import { readApplied, readSequences, readTables, type Table } from '../database/copy/catalog.ts';
import { readTable } from '../database/copy/read.ts';
import { type Content, hashed, RowHash } from '../database/copy/row-hash.ts';
import { type CopyDatabase, type CopySession, inTransaction } from '../database/copy/session.ts';
import type { Storage } from '../storage/types.ts';
import { backUpFiles, readFileRows } from './files.ts';
import { type Manifest, tableFileOf, writeManifest } from './manifest.ts';

/** A snapshot of all tables, and nothing else. */
export const snapshotMode = 'ISOLATION LEVEL REPEATABLE READ READ ONLY';

type WriteOptions = {
  /** Opens the database, which is closed as soon as its rows are read. */
  open: () => Promise<CopyDatabase>;
  storage: Storage;
  /** Exists, and has no backup yet. */
  folder: string;
  now: Date;
};

/**
 * Writes a backup of one snapshot, on a cluster of one of each node: of each table a file in COPY text format, then the
 * files of attachments.
 */
export async function writeBackup({ open, storage, folder, now }: WriteOptions): Promise<Manifest> {
  const { rows, ...ofDatabase } = await readAll(await open(), folder);
  // The files of the snapshot exist until the gateway deletes those that nothing refers to.
  const files = await backUpFiles(storage, rows, folder);
  return writeManifest(folder, { id: randomUUID(), createdAt: now.toISOString(), ...ofDatabase, files });
}

async function readAll(database: CopyDatabase, folder: string) {
  try {
    return await database.session(async (session) => {
      const placements = await shardPlacements(session);
      const written = await inTransaction(session, snapshotMode, async () => {
        if (placements !== null) await beginOnNodes(database, session);
        return writeTables(session, folder);
      });
      if ((await shardPlacements(session)) === placements) return written;
      throw new Error(
        'Shards were moved to another node during the backup, so that a workspace may have been read at two moments: run it again when no rebalance runs.',
      );
    });
  } finally {
    await database.close();
  }
}

async function writeTables(session: CopySession, folder: string) {
  const database: DatabaseKind = session.kind;
  const migrations = await readApplied(session);
  if (migrations.length === 0) throw new Error('This database is empty: there is nothing to back up.');
  const tables: (Table & Content)[] = [];
  for (const table of await readTables(session)) {
    const hash = new RowHash();
    const file = createWriteStream(tableFileOf(folder, table.name), { flags: 'wx', mode: 0o600 });
    // Level 1 is several times faster than the default, for files that are a fifth larger.
    await pipeline(hashed(readTable(session, table), hash), createGzip({ level: 1 }), file);
    tables.push({ ...table, ...hash.content });
  }
  return { database, migrations, tables, sequences: await readSequences(session), rows: await readFileRows(session) };
}

/** Where the shards of a cluster are, as one text; null on a plain database. */
async function shardPlacements(session: CopySession): Promise<string | null> {
  const { rows } = await session.query<{ isCluster: boolean }>(
    `SELECT to_regclass('pg_catalog.pg_dist_placement') IS NOT NULL AS "isCluster"`,
  );
  if (!rows[0]?.isCluster) return null;
  const placements = await session.query<{ placements: string | null }>(
    `SELECT string_agg(shardid || ' ' || groupid, ',' ORDER BY shardid, groupid) AS placements FROM pg_dist_placement`,
  );
  return placements.rows[0]?.placements ?? '';
}

/**
 * Begins the snapshots of all nodes, in the session's transaction. Each node has one of its own: a workspace, which is
 * on one node, is read as it was at one moment. Nobody writes people meanwhile, whom rows of all nodes refer to.
 */
function beginOnNodes(database: CopyDatabase, session: CopySession): Promise<void> {
  return database.session((holder) =>
    inTransaction(holder, '', async () => {
      await holder.query(`SET LOCAL lock_timeout = '10s'`);
      await holder.query('LOCK TABLE "User" IN SHARE MODE');
      // By one connection to each, since each connection has a snapshot of its own.
      await session.query('SET LOCAL citus.max_adaptive_executor_pool_size = 1');
      await session.query('SELECT count(*) FROM "Workspace"');
    }),
  );
}
