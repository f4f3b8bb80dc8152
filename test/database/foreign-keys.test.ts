import { expect, test } from 'vitest';
import { useGateway } from '../support/gateway/app.ts';

const gateway = useGateway();

/** Foreign keys whose columns no index begins with, by design, and why. */
const exceptions: Record<string, string> = {};

/** Foreign keys and whether the first columns of an index of all rows are theirs, in any order. */
const foreignKeys = `
  SELECT con.conname AS name, EXISTS (
    SELECT FROM pg_index AS index
    WHERE index.indrelid = con.conrelid AND index.indisvalid
      AND (index.indpred IS NULL OR pg_get_expr(index.indpred, index.indrelid) = format('(%I IS NOT NULL)', (
        SELECT attname FROM pg_attribute WHERE attrelid = con.conrelid AND attnum = con.conkey[cardinality(con.conkey)])))
      AND (SELECT array_agg(place) FROM unnest(index.indkey[0:cardinality(con.conkey) - 1]) AS place) @> con.conkey
  ) AS "hasIndex"
  FROM pg_constraint AS con
  WHERE con.contype = 'f' AND con.conparentid = 0 AND con.connamespace = 'public'::regnamespace ORDER BY 1`;

test('the database finds the children of a deleted row by an index, and scans no table for them', async () => {
  const { rows } = await gateway.services.pool.query<{ name: string; hasIndex: boolean }>(foreignKeys);
  expect(rows.length).toBeGreaterThan(50);
  const without = rows.filter(({ hasIndex }) => !hasIndex).map(({ name }) => name);
  expect(without).toEqual(Object.keys(exceptions));
});

test('no key passes a changed id on, which no distributed table can', async () => {
  const { rows } = await gateway.services.pool.query(
    `SELECT conname FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace
       AND (confupdtype <> 'a' OR NOT convalidated)`,
  );
  expect(rows).toEqual([]);
});

test('what is removed with a row is removed in any order: nothing refers to rows that go before it', async () => {
  // PostgreSQL fires the triggers of a table's keys by name, which ends in an OID: 99999 fires after 100000.
  const { rows } = await gateway.services.pool.query<{ child: string; parent: string; cascades: boolean }>(
    `SELECT conrelid::regclass::text AS child, confrelid::regclass::text AS parent, confdeltype = 'c' AS cascades
     FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 AND connamespace = 'public'::regnamespace`,
  );
  const cascades = Map.groupBy(
    rows.filter((row) => row.cascades),
    ({ parent }) => parent,
  );
  const early: string[] = [];
  for (const root of cascades.keys()) {
    const depths = new Map([[root, 0]]);
    for (const [table, depth] of depths) {
      for (const { child } of cascades.get(table) ?? []) if (!depths.has(child)) depths.set(child, depth + 1);
    }
    for (const { child, parent } of rows.filter((row) => !row.cascades)) {
      const [childDepth, parentDepth] = [depths.get(child) ?? 0, depths.get(parent) ?? 0];
      if (parentDepth && childDepth > parentDepth) early.push(`${parent} before ${child}, with ${root}`);
    }
  }
  expect(early).toEqual([]);
});
