import type pg from 'pg';
import type { Gateway } from '../gateway/app.ts';
import type { World } from './world.ts';

/** The number of rows per table; a sixteenth belongs to each parent of the world. */
const rowsOfTable = 1_200;
/** The factor by which the planner's statistics are inflated. */
const scale = 1_000;

const minutesAgo = (n: string) => `now() - (${n}) * interval '1 minute'`;
const times = { createdAt: minutesAgo('n'), updatedAt: minutesAgo(`n * 7919 % ${rowsOfTable}`) };

/** Each row of a listed table belongs to one parent of each kind. */
const parents = [
  'agentId',
  'channelId',
  'leadId',
  'conversationId',
  'baseId',
  'sourceId',
  'membershipId',
  'appId',
  'webhookId',
  'gapId',
  'runId',
];
const others = ['promptId', 'platformUserIdentifier'];

/** Columns to sort by, and unique columns, in any table. */
const values: Record<string, string> = {
  ...times,
  id: `'row' || n`,
  name: `CASE WHEN n % 3 > 0 THEN md5(n::text) END`,
  nameForHuman: 'md5(n::text)',
  nameKey: 'md5(n::text)',
  secretHash: 'md5(n::text)',
  questionKey: 'md5(n::text)',
  eventId: `'row' || n`,
  publishableToken: 'md5(n::text)',
  url: 'md5(n::text)',
  userId: `'row' || n`,
  position: 'n',
  depth: 'n % 7',
  count: 'n % 7',
  lastAskedAt: times.updatedAt,
  askedAt: times.createdAt,
  reachedAt: times.createdAt,
};
const particular: Record<string, Record<string, string>> = {
  // Unique names.
  ...Object.fromEntries(
    ['App', 'Agent', 'Field', 'Document', 'Key', 'SavedOperation'].map((table) => [table, { name: 'md5(n::text)' }]),
  ),
  Dashboard: { name: 'md5(n::text)', title: 'md5(n::text)' },
  // Each pair once.
  AppRole: { appId: other('appId', `'row' || n`), membershipId: other('membershipId', `'row' || n`) },
  GapQuestion: { messageId: `'row' || n` },
  Citation: { messageId: `'row' || n` },
  AuditEntry: { rowId: `'row' || n`, actorId: `'actor' || n / 8 % 16`, onBehalfOfId: `'user' || n / 8 % 16` },
  GapProposal: { messageId: `'row' || n` },
  // Far from those of the world, which go on from one world of a process to the next.
  EvaluationResult: { position: '1000000 + n' },
  AgentBase: { agentId: `'row' || n`, baseId: `'row' || n` },
  AgentPlugin: { agentId: `'row' || n`, pluginId: `'row' || n` },
};

/** The world's parent for a sixteenth of the rows, a different sixteenth for each kind of parent. */
function other(column: string, value = `'other' || n / 8 % 16`): string {
  const place = [...parents, ...others].indexOf(column);
  return `CASE WHEN n / 8 % 16 = ${place} THEN t."${column}" ELSE ${value} END`;
}

/**
 * Analyzes tables, then sets how many rows PostgreSQL believes that each of them has, or each of its partitions.
 * `rows`: SQL of the number, in which `reltuples` is the number found.
 */
export async function scaleStatistics(
  client: Pick<pg.ClientBase, 'query'>,
  tables: string[],
  rows: string,
): Promise<void> {
  const { rows: leaves } = await client.query<{ leaf: string }>(
    `SELECT coalesce(leaf.relid, quote_ident(name)::regclass)::text AS leaf FROM unnest($1::text[]) AS given(name)
     LEFT JOIN pg_partition_tree(quote_ident(name)::regclass) AS leaf ON isleaf`,
    [tables],
  );
  // Autovacuum would correct the statistics.
  for (const { leaf } of leaves) await client.query(`ALTER TABLE ${leaf} SET (autovacuum_enabled = false)`);
  await client.query(`ANALYZE ${tables.map((table) => `"${table}"`).join(', ')}`);
  const names = [...tables, ...leaves.map(({ leaf }) => leaf.replaceAll('"', ''))];
  await client.query(`UPDATE pg_class SET reltuples = ${rows} WHERE relname = ANY($1)`, [[...new Set(names)]]);
}

/** Fills tables with copies of the world's rows, and makes them look large to the planner. */
export async function makeLarge({ handle }: Gateway, { ids }: World, tables: string[]): Promise<void> {
  const client = await handle.pool.connect();
  try {
    // Copies may reference missing rows, since only the way to find them matters.
    await client.query('SET session_replication_role = replica');
    for (const table of tables) {
      const { rows } = await client.query<{ name: string }>(columnsOf, [table]);
      await client.query(copy(table, fill(table, rows), ids.workspaceId));
    }
    await scaleStatistics(client, tables, `reltuples * ${scale}`);
  } finally {
    await client.query('RESET session_replication_role');
    client.release();
  }
}

const columnsOf = `SELECT column_name AS name FROM information_schema.columns
  WHERE table_name = $1 AND table_schema = current_schema() AND is_generated = 'NEVER'`;

/** The columns of a copy as SQL; `n` is the row number, `t` the original row. */
function fill(table: string, columns: { name: string }[]): Record<string, string> {
  const isParent = (name: string) => parents.includes(name) || others.includes(name);
  const valueOf = (name: string) => {
    if (name === 'workspaceId') return `CASE WHEN n % 8 > 0 THEN t."workspaceId" ELSE 'other' || n % 100 END`;
    return particular[table]?.[name] ?? values[name] ?? (isParent(name) ? other(name) : `t."${name}"`);
  };
  return Object.fromEntries(columns.map(({ name }) => [name, valueOf(name)]));
}

function copy(table: string, columns: Record<string, string>, workspaceId: string): string {
  const names = Object.keys(columns).map((name) => `"${name}"`);
  const row = `SELECT * FROM "${table}" WHERE "workspaceId" = '${workspaceId}' LIMIT 1`;
  return `INSERT INTO "${table}" (${names.join()}) SELECT ${Object.values(columns).join()}
    FROM (${row}) t, generate_series(1, ${rowsOfTable}) n`;
}
