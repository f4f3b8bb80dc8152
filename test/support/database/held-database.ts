import pg from 'pg';
import { expect } from 'vitest';
import { transact } from '../../../src/database/client.ts';
import type { Gateway } from '../gateway/app.ts';
import { isCluster } from './cluster.ts';

/**
 * Blocks writes to a row of `Lead` until `release`. On PostgreSQL another transaction locks the row; the
 * embedded database has one session, which is blocked as a whole.
 */
export async function holdLead({ handle, database }: Gateway, id: string) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const { workspaceId } = await database.lead.findFirstOrThrow({ where: { id } });
  const lock = 'UPDATE "Lead" SET "name" = "name" WHERE "workspaceId" = $1 AND "id" = $2';
  const held =
    handle.kind === 'postgres'
      ? onConnection(handle.pool.options.connectionString ?? '', async (client) => {
          await client.query('BEGIN');
          await client.query(lock, [workspaceId, id]);
          begun.resolve();
          await released;
        })
      : transact(database, async (tx) => {
          await tx.$executeRawUnsafe(lock, workspaceId, id);
          begun.resolve();
          await released;
        });
  await Promise.race([begun.promise, held]);
  return {
    async release() {
      release();
      await held;
    },
  };
}

async function onConnection(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

const lockedHere = `SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
const lockedOnNodes = `SELECT sum(result::int)::int AS count FROM run_command_on_all_nodes($$${lockedHere}$$)`;

/** Statements that wait for a lock on a server; none on the embedded database. */
export async function lockedStatements({ handle }: Gateway): Promise<number> {
  if (handle.kind === 'embedded') return 0;
  const { rows } = await handle.probe.query<{ count: number }>(isCluster ? lockedOnNodes : lockedHere);
  return rows[0]?.count ?? 0;
}

/** Waits until at least `count` statements wait for the database. Returns how many of them were sent. */
export async function waitFor(gateway: Gateway, count: number): Promise<number> {
  let locked = 0;
  const waiting = async () => {
    locked = await lockedStatements(gateway);
    return locked + gateway.handle.pool.waiting;
  };
  await expect.poll(waiting).toBeGreaterThanOrEqual(count);
  return locked;
}
