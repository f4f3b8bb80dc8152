import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { globalTables } from '../../src/database/global-tables.ts';
import { useGateway } from '../support/gateway/app.ts';

const gateway = useGateway();

/** The tables of the schema; of a partitioned one, only itself. */
const tables = `SELECT c.oid, c.relname AS name, EXISTS (
    SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'workspaceId' AND a.attnotnull
  ) AS "isOfWorkspace"
  FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition`;

test('a table has a workspace, or stands in the list of those that have none', async () => {
  const { rows } = await gateway.services.pool.query<{ name: string; isOfWorkspace: boolean }>(tables);
  const without = rows.filter(({ isOfWorkspace }) => !isOfWorkspace).map(({ name }) => name);
  expect(without.toSorted()).toEqual(Object.keys(globalTables).toSorted());
});

test('the list of global tables is documented, with the same reasons', () => {
  const page = readFileSync(new URL('../../docs/scale.md', import.meta.url), 'utf8');
  for (const [name, reason] of Object.entries(globalTables)) expect(page).toContain(`| \`${name}\` | ${reason} |`);
});

test('the primary key and every unique index of a workspace’s table begin with the workspace', async () => {
  const { rows } = await gateway.services.pool.query<{ name: string; index: string; first: string; primary: boolean }>(
    `SELECT t.name, x.indexrelid::regclass::text AS index, a.attname AS first, x.indisprimary AS primary
     FROM (${tables}) AS t JOIN pg_index x ON x.indrelid = t.oid AND x.indisunique
     LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = x.indkey[0]
     WHERE t."isOfWorkspace"`,
  );
  expect(rows.filter(({ first }) => first !== 'workspaceId')).toEqual([]);
  const { rows: all } = await gateway.services.pool.query<{ name: string }>(
    `SELECT name FROM (${tables}) AS t WHERE "isOfWorkspace"`,
  );
  const keyed = new Set(rows.filter(({ primary }) => primary).map(({ name }) => name));
  expect(all.map(({ name }) => name).filter((name) => !keyed.has(name))).toEqual([]);
});

test('references between tables of a workspace name the workspace', async () => {
  const { rows } = await gateway.services.pool.query<{ name: string }>(
    `SELECT f.conname AS name FROM pg_constraint f
     JOIN (${tables}) AS own ON own.oid = f.conrelid AND own."isOfWorkspace"
     JOIN (${tables}) AS other ON other.oid = f.confrelid AND other."isOfWorkspace"
     WHERE f.contype = 'f' AND NOT EXISTS (
       SELECT FROM unnest(f.conkey, f.confkey) AS pair(mine, theirs)
       JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = pair.mine AND a.attname = 'workspaceId'
       JOIN pg_attribute b ON b.attrelid = f.confrelid AND b.attnum = pair.theirs AND b.attname = 'workspaceId'
     )`,
  );
  expect(rows).toEqual([]);
});
