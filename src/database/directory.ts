import { LRUCache } from 'lru-cache';
import type { Database, Transaction } from './client.ts';
import type { Pool } from './pool.ts';
import { joinSql, nameSql, type Sql, sql } from './sql.ts';
import { batchSize, inPieces } from './upkeep/batches.ts';

type Store = Pick<Database | Transaction, 'directory' | '$queryRaw' | '$executeRaw'>;
type Writable = { database: Store; pool: Pick<Pool, 'isDistributed'> };

/** In which workspace a key was found. A row never moves to another one. */
const known = new LRUCache<string, string>({ max: 10_000 });

/**
 * Notes that a row of a workspace is to be found by these keys: hashes of secrets, a widget's token, a person. Call it
 * before the row is written, or in its transaction: what is left over does no harm, and is removed later. On one server
 * a trigger does it, which cannot reach the table from the nodes of a cluster.
 */
export async function addToDirectory({ database, pool }: Writable, workspaceId: string, keys: string[]) {
  if (!pool.isDistributed) return;
  await database.$executeRaw`
    INSERT INTO "Directory" ("key", "workspace") SELECT unnest(${keys}::text[]), ${workspaceId}
    ON CONFLICT ("key", "workspace") DO UPDATE SET "notedAt" = EXCLUDED."notedAt"`;
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

/** A person, and the workspaces where they may be a member. Entries may be missing or left over. */
type PersonWorkspaces = { userId: string; workspaceIds: string[] };

/** Looks up the person with a verified email; null if there is none. */
export async function findPerson(database: Store, email: string): Promise<PersonWorkspaces | null> {
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

const tables = [
  { table: 'App', column: 'secretHash' },
  { table: 'Key', column: 'secretHash' },
  { table: 'Channel', column: 'publishableToken' },
  { table: 'PluginGrant', column: 'stateHash' },
  { table: 'PluginGrant', column: 'ticketHash' },
  { table: 'Membership', column: 'userId' },
  { table: 'Membership', column: 'linkHash' },
] as const;
type Entry = { key: string; workspace: string };

/** The entries that rows need, of those whose `by` has one of the values. */
const needed = (by: 'key' | 'workspace', values: string[]): Sql =>
  joinSql(
    tables.map(({ table, column }) => {
      const key = nameSql(column);
      const given = by === 'key' ? key : sql`"workspaceId"`;
      return sql`SELECT ${key} AS "key", "workspaceId" AS "workspace" FROM ${nameSql(table)}
        WHERE ${given} = ANY(${values}) AND ${key} IS NOT NULL`;
    }),
    ' UNION ALL ',
  );

/** Workspaces whose rows are read at once. */
const workspacesRead = 100;

/** Adds to the directory what is not noted: by older gateways, and where triggers are off. */
export function completeDirectory(database: Store): Promise<void> {
  return inPieces(async (after) => {
    const found = await database.$queryRaw<{ id: string }[]>`
      SELECT "id" FROM "Workspace" WHERE "id" > ${after} ORDER BY "id" LIMIT ${workspacesRead}`;
    const ids = found.map(({ id }) => id);
    const rows = ids.length > 0 ? await database.$queryRaw<Entry[]>(needed('workspace', ids)) : [];
    for (const some of batchesOf(rows)) await addMissing(database, some);
    return [{ last: ids.at(-1) ?? null, count: ids.length }];
  }, workspacesRead);
}

async function addMissing(database: Store, entries: Entry[]): Promise<void> {
  const keys = entries.map(({ key }) => key);
  const noted = new Set((await database.directory.findMany({ where: { key: { in: keys } } })).map(nameOf));
  const data = entries.filter((entry) => !noted.has(nameOf(entry)));
  if (data.length > 0) await database.directory.createMany({ data, skipDuplicates: true });
}

/** Completes the directory, and removes what leads nowhere, unless it is new, or noted anew meanwhile. */
export async function reconcileDirectory({ database }: { database: Store }): Promise<void> {
  await completeDirectory(database);
  await inPieces(async (after) => {
    const piece = await database.$queryRaw<(Entry & { isOld: boolean })[]>`
      SELECT "key", "workspace", "notedAt" < now() - interval '1 hour' AS "isOld" FROM "Directory"
      WHERE "key" > ${after} ORDER BY "key" LIMIT ${batchSize}`;
    const old = piece.filter(({ isOld }) => isOld);
    const keys = old.map(({ key }) => key);
    const used = new Set((await database.$queryRaw<Entry[]>(needed('key', keys))).map(nameOf));
    const stale = old.filter((entry) => !used.has(nameOf(entry)));
    if (stale.length > 0)
      await database.$executeRaw`
        DELETE FROM "Directory" WHERE "notedAt" < now() - interval '1 hour' AND ("key", "workspace") IN (
          SELECT * FROM unnest(${stale.map(({ key }) => key)}::text[], ${stale.map(({ workspace }) => workspace)}::text[]))`;
    return [{ last: piece.at(-1)?.key ?? null, count: piece.length }];
  }, batchSize);
}

const nameOf = ({ key, workspace }: Entry): string => `${key} ${workspace}`;

function* batchesOf<Row>(rows: Row[]): Generator<Row[]> {
  for (let first = 0; first < rows.length; first += batchSize) yield rows.slice(first, first + batchSize);
}
