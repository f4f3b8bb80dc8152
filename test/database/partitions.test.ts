import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DatabaseHandle, openDatabase } from '../../src/database/client.ts';
import { PartitionError, partitionDatabase } from '../../src/database/layout/partition.ts';
import { migrate } from '../../src/database/migrate.ts';
import { BothWays } from '../support/compiled/both-ways.ts';
import { onServer, type RecordedStatement, statementsOf, withDatabase } from '../support/database/database.ts';
import { type Gateway, openGateway } from '../support/gateway/app.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const url = process.env.TEST_DATABASE_URL ?? '';

/** What must be the same of a table and of its partitioned replacement. */
const definitions = {
  columns: `SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attgenerated, a.attstorage,
      pg_get_expr(d.adbin, d.adrelid) AS "default"
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1, 2`,
  constraints: `SELECT c.relname, k.conname, pg_get_constraintdef(k.oid) FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
    WHERE c.relnamespace = 'public'::regnamespace AND NOT c.relispartition AND k.conparentid = 0 ORDER BY 1, 2`,
  indexes: `SELECT c.relname, replace(pg_get_indexdef(x.indexrelid), ' ON ONLY ', ' ON ') AS text
    FROM pg_index x JOIN pg_class c ON c.oid = x.indrelid
    WHERE c.relnamespace = 'public'::regnamespace AND NOT c.relispartition AND c.relkind IN ('r', 'p') ORDER BY 1, 2`,
  triggers: `SELECT c.relname, translate(pg_get_triggerdef(t.oid), '()', '') AS text FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE c.relnamespace = 'public'::regnamespace AND NOT t.tgisinternal AND NOT c.relispartition ORDER BY 1, 2`,
  sequences: `SELECT s.relname, d.refobjid::regclass::text, d.refobjsubid FROM pg_class s
    JOIN pg_depend d ON d.objid = s.oid AND d.deptype = 'a' WHERE s.relkind = 'S' AND s.relnamespace = 'public'::regnamespace ORDER BY 1`,
};

async function definitionsOf({ pool }: DatabaseHandle): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {};
  for (const [what, text] of Object.entries(definitions)) found[what] = (await pool.query(text)).rows;
  return found;
}

describe.runIf(url)('a partitioned database', () => {
  const name = `parley_partitions_${randomBytes(4).toString('hex')}`;
  let handle: DatabaseHandle;
  let before: Record<string, unknown[]>;
  let partitioned: string[];
  beforeAll(async () => {
    await onServer(url, (client) => client.query(`CREATE DATABASE ${name}`));
    handle = await openDatabase({ databaseUrl: withDatabase(url, name), dataDir: '' });
    await migrate(handle);
    before = await definitionsOf(handle);
    partitioned = await partitionDatabase(handle, 4);
  });
  afterAll(async () => {
    await gateway?.close();
    await onServer(url, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  });
  let gateway: Gateway | undefined;
  let world: World;

  test('has the same columns, constraints, indexes, triggers and sequences', async () => {
    const after = await definitionsOf(handle);
    for (const what of Object.keys(definitions)) expect(after[what]).toEqual(before[what]);
  });

  test('is left as it is by a second run, which partitions a table that was added', async () => {
    expect(await partitionDatabase(handle, 4)).toEqual([]);
    await handle.pool.query(
      `CREATE TABLE "Added" ("workspaceId" text NOT NULL, "id" text NOT NULL, "leadId" text, PRIMARY KEY ("workspaceId", "id"),
       FOREIGN KEY ("workspaceId", "leadId") REFERENCES "Lead" ("workspaceId", "id") ON DELETE CASCADE)`,
    );
    expect(await partitionDatabase(handle, 4)).toEqual(['Added']);
    const { rows } = await handle.pool.query(
      `SELECT count(*)::int AS count FROM pg_partition_tree('"Added"') WHERE isleaf`,
    );
    expect(rows).toEqual([{ count: 4 }]);
    // A later migration applies to all partitions.
    await handle.pool.query(
      'ALTER TABLE "Added" ADD COLUMN "note" text; CREATE INDEX ON "Added" ("workspaceId", "note")',
    );
    const parts = await handle.pool.query(
      `SELECT FROM pg_indexes WHERE tablename LIKE 'Added\\_p%' AND indexdef LIKE '%note%'`,
    );
    expect(parts.rowCount).toBe(4);
    await handle.pool.query('DROP TABLE "Added"');
  });

  describe('with workspaces in several partitions', () => {
    beforeAll(async () => {
      gateway = await openGateway({}, {}, handle);
      for (let index = 0; index < 6; index++) world = await makeWorld(gateway);
      await handle.pool.query('ANALYZE');
    });

    test('reads one partition of each table for the main operations, compiled and by the resolvers', async () => {
      const bothWays = new BothWays(gateway as Gateway);
      const { agentId, conversationId, leadId } = world.ids;
      const queries = [
        '{ agents { totalCount nodes { name conversations { nodes { title lead { name } } } } } }',
        `{ conversation(id: "${conversationId}") { title messages { nodes { content } } } }`,
        `{ node(id: "${leadId}") { id } leads(first: 5, search: "a") { nodes { name email } } }`,
        '{ conversations(search: "zq") { nodes { id } } }',
        `mutation { updateAgent(input: { id: "${agentId}", name: "Renamed" }) { agent { name } } }`,
        '{ bases { nodes { description sources { nodes { status } } } } webhooks { nodes { url deliveries { totalCount } } } }',
      ];
      for (const query of queries) {
        for (const by of ['compiled', 'resolvers'] as const) {
          const { result, recorded } = await statementsOf(() => bothWays.askOne(by, world.owner, { query }));
          expect({ query, errors: JSON.parse(result.body).errors }).toEqual({ query, errors: undefined });
          for (const statement of recorded) {
            // A bearer's secret is looked up before its workspace is known.
            if (
              !/^\s*(SELECT|UPDATE|DELETE|WITH)/i.test(statement.text) ||
              /"secretHash" =|"SigningKey"/.test(statement.text)
            )
              continue;
            for (const mode of ['force_custom_plan', 'force_generic_plan']) {
              const read = await partitionsRead(handle, statement, mode);
              const many = [...Map.groupBy(read, (part) => part.replace(/_p\d+$/, ''))].filter(
                ([, parts]) => parts.length > 1,
              );
              expect({ text: statement.text, mode, many }).toEqual({ text: statement.text, mode, many: [] });
            }
          }
        }
      }
    });

    test('removes a workspace with all of its rows', async () => {
      const { id } = await makeWorld(gateway as Gateway);
      await handle.pool.query('DELETE FROM "Workspace" WHERE "id" = $1', [id]);
      for (const table of partitioned) {
        const { rowCount } = await handle.pool.query(`SELECT FROM "${table}" WHERE "workspaceId" = $1`, [id]);
        expect({ table, rowCount }).toEqual({ table, rowCount: 0 });
      }
    });

    test('is refused with rows in a table that is not partitioned, and not changed', async () => {
      await handle.pool.query(
        `CREATE TABLE "Added" ("workspaceId" text NOT NULL, "id" text, PRIMARY KEY ("workspaceId", "id")); INSERT INTO "Added" VALUES ('a', 'b')`,
      );
      await expect(partitionDatabase(handle, 4)).rejects.toThrow(PartitionError);
      await expect(partitionDatabase(handle, 4)).rejects.toThrow(/"?Added"? has rows.*new database/);
      expect((await handle.pool.query('SELECT FROM "Added"')).rowCount).toBe(1);
      await handle.pool.query('DROP TABLE "Added"');
    });
  });
});

type Node = { 'Relation Name'?: string; 'Actual Loops'?: number; Plans?: Node[] };

/** The partitions that a statement reads or writes when it is run; a write is rolled back. */
async function partitionsRead(
  { pool }: DatabaseHandle,
  { text, values }: RecordedStatement,
  mode: string,
): Promise<string[]> {
  const client: pg.PoolClient = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(`SET LOCAL plan_cache_mode = ${mode}`);
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
      values,
    );
    return [...new Set(rows.flatMap((row) => executed(row['QUERY PLAN'][0].Plan)))];
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

/** The partitions in a plan, except those that were never executed. */
function executed(node: Node): string[] {
  const name = node['Relation Name'];
  const own = name && /_p\d+$/.test(name) && node['Actual Loops'] !== 0 ? [name] : [];
  return [...own, ...(node.Plans ?? []).flatMap(executed)];
}
