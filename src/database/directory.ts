import { LRUCache } from 'lru-cache';
import { batchSize, inBatches } from './batches.ts';
import type { Database, Transaction } from './client.ts';
import type { Pool } from './pool.ts';
import { sql } from './sql.ts';

type Store = Pick<Database | Transaction, 'directory' | '$queryRaw' | '$executeRaw'>;
type Writable = { database: Store; pool: Pick<Pool, 'isDistributed'> };

/** In which workspace a key was found. A row never moves to another one. */
const known = new LRUCache<string, string>({ max: 10_000 });

/**
 * Notes that a row of a workspace is to be found by these keys: hashes of secrets, a widget's token, a person. Call it
 * before the row is written: what is left over does no harm, and is removed later. On one server a trigger does it,
 * which cannot reach the table from the nodes of a cluster.
 */
export async function noteInDirectory({ database, pool }: Writable, workspaceId: string, keys: string[]) {
  if (!pool.isDistributed) return;
  await database.$executeRaw`
    INSERT INTO "Directory" ("key", "workspace") SELECT unnest(${keys}::text[]), ${workspaceId}
    ON CONFLICT ("key", "workspace") DO UPDATE SET "createdAt" = EXCLUDED."createdAt"`;
}

/**
 * Returns the row that has a key, read in the workspace that the directory names. Only for a key that it does not have
 * is every workspace asked: an older gateway, or a restored backup of one, has not noted it.
 */
export async function findByKey<Row extends { workspaceId: string }>(
  database: Store,
  key: string,
  find: (of: { workspaceId?: string }) => Promise<Row | null>,
): Promise<Row | null> {
  const workspaceId = known.get(key) ?? (await database.directory.findFirst({ where: { key } }))?.workspace;
  const row = await find(workspaceId === undefined ? {} : { workspaceId });
  if (!row) return null;
  if (workspaceId === undefined) {
    const data = { key, workspace: row.workspaceId };
    // The row was found: a database that takes no writes may serve it.
    await database.directory.createMany({ data, skipDuplicates: true }).catch(() => {});
  }
  known.set(key, row.workspaceId);
  return row;
}

/** A person, and where they may be a member: in none of other workspaces, unless the list is empty. */
export type Whereabouts = { userId: string; workspaceIds: string[] };

/** Looks up the person with a verified email; null if there is none. */
export async function findPerson(database: Store, email: string): Promise<Whereabouts | null> {
  const rows = await database.$queryRaw<{ id: string; workspace: string | null }[]>`
    SELECT "person"."id", "place"."workspace" FROM "User" AS "person"
    LEFT JOIN "Directory" AS "place" ON "place"."key" = "person"."id"
    WHERE "person"."email" = ${email} AND "person"."invitedTo" = ''`;
  const [first] = rows;
  return first ? { userId: first.id, workspaceIds: rows.flatMap(({ workspace }) => workspace ?? []) } : null;
}

/** Prisma condition for rows of these workspaces. Only one that is named by itself leads to one node. */
export const inWorkspacesOf = (ids: string[]) => {
  const [only] = ids;
  return { workspaceId: ids.length === 1 && only ? only : { in: ids } };
};

const found = sql`
  SELECT "secretHash" AS "key", "workspaceId" FROM "App"
  UNION ALL SELECT "secretHash", "workspaceId" FROM "Key"
  UNION ALL SELECT "publishableToken", "workspaceId" FROM "Channel" WHERE "publishableToken" IS NOT NULL
  UNION ALL SELECT "stateHash", "workspaceId" FROM "PluginGrant"
  UNION ALL SELECT "ticketHash", "workspaceId" FROM "PluginGrant" WHERE "ticketHash" IS NOT NULL
  UNION ALL SELECT "userId", "workspaceId" FROM "Membership"
  UNION ALL SELECT "linkHash", "workspaceId" FROM "Membership" WHERE "linkHash" IS NOT NULL`;

/** Adds to the directory what is not noted: by older gateways, and where triggers are off. */
export function completeDirectory(database: Store): Promise<void> {
  return inBatches(
    () => database.$executeRaw`
      WITH "found" AS MATERIALIZED (${found})
      INSERT INTO "Directory" ("key", "workspace") SELECT "found"."key", "found"."workspaceId" FROM "found"
      WHERE NOT EXISTS (
        SELECT FROM "Directory" AS "noted"
        WHERE "noted"."key" = "found"."key" AND "noted"."workspace" = "found"."workspaceId")
      LIMIT ${batchSize} ON CONFLICT DO NOTHING`,
  );
}

/** Completes the directory, and removes what leads nowhere, unless it is new, or noted anew meanwhile. */
export async function reviseDirectory({ database }: { database: Store }): Promise<void> {
  await completeDirectory(database);
  await inBatches(
    () => database.$executeRaw`
      WITH "found" AS MATERIALIZED (${found}), "stale" AS MATERIALIZED (
        SELECT "noted"."key", "noted"."workspace" FROM "Directory" AS "noted"
        WHERE "noted"."createdAt" < now() - interval '1 hour' AND NOT EXISTS (
          SELECT FROM "found"
          WHERE "found"."key" = "noted"."key" AND "found"."workspaceId" = "noted"."workspace")
        LIMIT ${batchSize})
      DELETE FROM "Directory" USING "stale"
      WHERE "Directory"."key" = "stale"."key" AND "Directory"."workspace" = "stale"."workspace"
        AND "Directory"."createdAt" < now() - interval '1 hour'`,
  );
}
