import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { type DatabaseHandle, type DatabaseKind, handleOf, openDatabase } from '../client.ts';
import type { Embedded } from '../pglite/embedded.ts';
import { connectionTo, unreachable } from '../postgres.ts';
import { findPrimary } from '../servers.ts';
import { type AnyRow, Session } from '../session.ts';
import { wholeRows } from './row-hash.ts';

/** One connection, on which whole tables are read and written in PostgreSQL's COPY text format. */
export type CopySession = {
  kind: DatabaseKind;
  query<Row extends pg.QueryResultRow = AnyRow>(statement: string, values?: unknown[]): Promise<pg.QueryResult<Row>>;
  /** Streams the rows of a SELECT; a chunk may end within a row. On the embedded database, all are in one chunk. */
  copyOut(select: string): AsyncIterable<Buffer>;
  /** Inserts rows into `target`: a table with its columns. */
  copyIn(target: string, chunks: AsyncIterable<Buffer>): Promise<void>;
};

/** A database whose whole content is read or written by a command. */
export type CopyDatabase = {
  /** Its pool, opened when it is first needed. */
  handle(): Promise<DatabaseHandle>;
  /** Runs `work` on a connection of its own; on the embedded database, the pool must not be used meanwhile. */
  session<T>(work: (session: CopySession) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

/** How much the embedded database reads in one statement, which has to fit in memory, in bytes. */
const blockBytes = 4 * 2 ** 20;

type Options = { databaseUrl: string | null; dataDir: string };

/** Opens a database without migrating it. Throws `FolderInUseError` and `UnusableFolderError`. */
export async function openForCopy({ databaseUrl, dataDir }: Options): Promise<CopyDatabase> {
  if (databaseUrl) {
    let opening: Promise<DatabaseHandle> | null = null;
    return {
      handle: () => (opening ??= openDatabase({ databaseUrl, dataDir })),
      session: (work) => withServer(databaseUrl, work),
      close: async () => (await opening)?.close(),
    };
  }
  const { openEmbedded } = await import('../pglite/embedded.ts');
  const embedded = await openEmbedded({ dataDir });
  const handle = handleOf('embedded', embedded.pool, 'join', embedded.close);
  return { handle: async () => handle, session: (work) => withEmbedded(embedded, work), close: handle.close };
}

/** On a connection without the pool's limits, which a large table exceeds. Throws `DatabaseUnreachableError`. */
async function withServer<T>(databaseUrl: string, work: (session: CopySession) => Promise<T>): Promise<T> {
  const { from, to } = await import('pg-copy-streams');
  const url = await findPrimary(databaseUrl).catch((error: unknown) => {
    throw unreachable(databaseUrl, error);
  });
  const client = new Session({ ...connectionTo(url), application_name: 'parley copy' });
  // Statements on a lost connection fail by themselves; without a listener Node would exit.
  client.on('error', () => {});
  await client.connect().catch((error: unknown) => {
    throw unreachable(databaseUrl, error);
  });
  try {
    return await work({
      kind: 'postgres',
      query: (statement, values) => client.query(statement, values),
      copyOut: (select) => (client as pg.Client).query(to(`COPY (${select}) TO STDOUT`)),
      copyIn: (target, chunks) => pipeline(chunks, (client as pg.Client).query(from(`COPY ${target} FROM STDIN`))),
    });
  } finally {
    await client.end();
  }
}

async function withEmbedded<T>(embedded: Embedded, work: (session: CopySession) => Promise<T>): Promise<T> {
  const client = await embedded.pool.connect();
  try {
    return await work({
      kind: 'embedded',
      query: (statement, values) => client.query(statement, values),
      async *copyOut(select) {
        yield await embedded.copyOut(select);
      },
      async copyIn(target, chunks) {
        for await (const block of wholeRows(chunks, blockBytes)) await embedded.copyIn(target, block);
      },
    });
  } finally {
    client.release();
  }
}

/** Runs `work` in a transaction without time limits. `mode`: what follows BEGIN. */
export async function inTransaction<T>(session: CopySession, mode: string, work: () => Promise<T>): Promise<T> {
  await session.query(
    `BEGIN ${mode}; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0`,
  );
  try {
    const result = await work();
    await session.query('COMMIT');
    return result;
  } catch (error) {
    // Report the original failure, not that a lost connection cannot roll back.
    await session.query('ROLLBACK').catch(() => {});
    throw error;
  }
}
