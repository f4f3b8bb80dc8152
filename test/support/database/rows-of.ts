import { createHash } from 'node:crypto';
import type { Gateway } from '../gateway/app.ts';

type Database = Pick<Gateway, 'handle'>;
const found = new WeakMap<object, Promise<{ name: string; hasId: boolean }[]>>();

/** Every table whose rows belong to a workspace; partitions count as their table. */
function tables({ handle }: Database): Promise<{ name: string; hasId: boolean }[]> {
  const known = found.get(handle.pool) ?? readTables(handle.pool);
  found.set(handle.pool, known);
  return known;
}

async function readTables(pool: Gateway['handle']['pool']): Promise<{ name: string; hasId: boolean }[]> {
  const { rows } = await pool.query<{ name: string; columns: string }>(
    `SELECT relname AS name, string_agg(attname, ' ') AS columns FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND attnum > 0 AND NOT attisdropped
     GROUP BY relname HAVING bool_or(attname = 'workspaceId') ORDER BY 1`,
  );
  return rows.map(({ name, columns }) => ({ name, hasId: columns.split(' ').includes('id') }));
}

const people = `SELECT u.* FROM "User" u JOIN "Membership" m ON m."userId" = u.id WHERE m."workspaceId" = $1`;

/** What is compared of a table, if not all columns: the use of a key is recorded once a minute, after the answer. */
const read: Record<string, string> = { Key: `to_jsonb(r) - '{lastUsedAt,lastUsedFrom}'::text[]` };

/** The contents of a workspace: for each table the number of rows and a hash of their data. */
export async function contentsOf(database: Database, workspaceId: string): Promise<Record<string, string>> {
  const sources = [
    ...(await tables(database)).map(({ name }) => [
      name,
      `SELECT ${read[name] ?? '*'} FROM "${name}" AS r WHERE "workspaceId" = $1`,
    ]),
    ['Workspace', `SELECT * FROM "Workspace" WHERE id = $1`],
    ['User', people],
  ];
  const hash = `count(*) || ' rows ' || coalesce(md5(string_agg(t::text, '|' ORDER BY t::text)), '')`;
  const parts = sources.map(([name, rows]) => `SELECT '${name}' AS name, ${hash} AS held FROM (${rows}) t`);
  const text = parts.join(' UNION ALL ');
  // Planned once by each connection: that takes longer than reading the rows.
  const name = `contents ${createHash('md5').update(text).digest('hex')}`;
  const result = await database.handle.pool.query<{ name: string; held: string }>({
    name,
    text,
    values: [workspaceId],
  });
  return Object.fromEntries(result.rows.map(({ name, held }) => [name, held]));
}

/** The ids of all rows of a workspace. */
export async function idsOf(database: Database, workspaceId: string): Promise<string[]> {
  const named = (await tables(database)).filter(({ hasId }) => hasId);
  const parts = [
    ...named.map(({ name }) => `SELECT id FROM "${name}" WHERE "workspaceId" = $1`),
    `SELECT id FROM (${people}) t`,
  ];
  const result = await database.handle.pool.query<{ id: string }>(parts.join(' UNION '), [workspaceId]);
  return [workspaceId, ...result.rows.map(({ id }) => id)];
}
