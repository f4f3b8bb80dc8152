import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { type DatabaseHandle, handleOf, openDatabase } from '../../src/database/client.ts';
import { migrate } from '../../src/database/migrate.ts';
import { openEmbedded } from '../../src/database/pglite/embedded.ts';

/** Runs `work` on a fresh, migrated database: a new one on the server, dropped afterwards, or one in memory. */
export async function withDatabase(
  server: string | undefined,
  work: (handle: DatabaseHandle) => Promise<void>,
): Promise<void> {
  if (!server) {
    const { pool, close } = await openEmbedded({ dataDir: 'memory' });
    return useHandle(handleOf('embedded', pool, 'join', close), work);
  }
  const name = `parley_retrieval_${randomBytes(4).toString('hex')}`;
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  try {
    await admin.query(`CREATE DATABASE ${name}`);
    const url = Object.assign(new URL(server), { pathname: `/${name}` });
    await useHandle(await openDatabase({ databaseUrl: url.href, dataDir: '' }), work);
  } finally {
    await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await admin.end();
  }
}

async function useHandle(handle: DatabaseHandle, work: (handle: DatabaseHandle) => Promise<void>): Promise<void> {
  try {
    await migrate(handle);
    await work(handle);
  } finally {
    await handle.close();
  }
}

/** A percentile of `values`, rounded to two decimals. */
export const percentile = (values: number[], percent: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round((sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? 0) * 100) / 100;
};
