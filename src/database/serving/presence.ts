import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type pg from 'pg';
import type { DatabaseKind } from '../client.ts';
import type { Pool } from '../pool.ts';

/** A process that has not renewed its row for so long is dead, by the database's clock: it renews every 5 seconds. */
const staleSeconds = 30;

/** A process of a gateway as its database knows it, for as long as it serves. */
export type Presence = {
  /** Call it once, before the first write of the process. */
  announce(): Promise<void>;
  /** Call it every few seconds until `withdraw`. A row that a crash of the server has emptied is written again. */
  renew(): Promise<void>;
  withdraw(): Promise<void>;
};

/**
 * The row of this process in "Gateway", by which `npm run move` and `npm run restore` find it: the name of a connection
 * is what its URL or a pooler makes of it.
 */
export function createPresence({ kind, pool }: { kind: DatabaseKind; pool: Pool }, version: string): Presence {
  const id = randomUUID();
  const renew = async () => {
    await pool.query(
      `INSERT INTO "Gateway" ("id", "host", "pid", "version", "startedAt", "seenAt")
      VALUES ($1, $2, $3, $4, clock_timestamp(), clock_timestamp())
      ON CONFLICT ("id") DO UPDATE SET "seenAt" = excluded."seenAt"`,
      [id, hostname(), process.pid, version],
    );
  };
  return {
    async announce() {
      // Whoever else is known in an embedded database is dead: its folder is locked.
      await pool.query(
        `DELETE FROM "Gateway" WHERE $1 OR "seenAt" < clock_timestamp() - make_interval(secs => ${staleSeconds})`,
        [kind === 'embedded'],
      );
      await renew();
    },
    renew,
    async withdraw() {
      await pool.query('DELETE FROM "Gateway" WHERE "id" = $1', [id]);
    },
  };
}

type Session = {
  kind: DatabaseKind;
  query<Row extends pg.QueryResultRow>(statement: string): Promise<{ rows: Row[] }>;
};

/** The table in which gateways register, to be locked while none may register; none on an older database. */
export async function presenceTables(session: Session): Promise<string[]> {
  const { rows } = await session.query<{ exists: boolean }>(`SELECT to_regclass('"Gateway"') IS NOT NULL AS exists`);
  return rows[0]?.exists ? ['Gateway'] : [];
}

/** Throws, naming them, if gateways serve the database. Of an embedded one, the lock of its folder tells. */
export async function requireNoGateways(session: Session): Promise<void> {
  if (session.kind === 'embedded' || (await presenceTables(session)).length === 0) return;
  const { rows } = await session.query<{ host: string; pid: number; version: string; seen: string }>(
    `SELECT "host", "pid", "version", to_char("seenAt" AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') AS seen FROM "Gateway"
    WHERE "seenAt" >= clock_timestamp() - make_interval(secs => ${staleSeconds}) ORDER BY 1, 2`,
  );
  if (rows.length === 0) return;
  const known = rows.map(
    ({ host, pid, version, seen }) => `${host}, process ${pid} (version ${version}, last seen ${seen} UTC)`,
  );
  throw new Error(
    `Gateways serve this database: ${known.join('; ')}. Stop all of them first. One that was killed counts for ${staleSeconds} seconds more.`,
  );
}
