import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { splitScript } from '../../../src/database/adapter.ts';
import type { DatabaseHandle } from '../../../src/database/client.ts';
import { isUnmigrated, migrate, pendingMigrations } from '../../../src/database/migrate.ts';
import { readMigrations, readUpgrades } from '../../../src/database/migrations.ts';
import { testDatabase } from '../../support/database/database.ts';
import { schemaOf } from '../../support/database/schema-catalog.ts';

const handles: DatabaseHandle[] = [];
/** A database without tables. */
async function emptyDatabase(): Promise<DatabaseHandle> {
  const handle = await testDatabase();
  handles.push(handle);
  await handle.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  return handle;
}
afterAll(() => Promise.all(handles.map((handle) => handle.close())));

const upgrades = readUpgrades();
const migrations = readMigrations();
const namesOf = (list: { name: string }[]) => list.map(({ name }) => name);

let expected: Record<string, unknown[]>;
let fresh: DatabaseHandle;
beforeAll(async () => {
  fresh = await emptyDatabase();
  await migrate(fresh);
  expected = await schemaOf(fresh);
});

test('a new database has the whole schema, and no trace of the way to it', async () => {
  expect(Object.fromEntries(Object.entries(expected).map(([what, rows]) => [what, rows.length]))).toMatchObject({
    extensions: expect.toSatisfy((count: number) => count >= 3),
    sequences: 2,
    casts: 0,
  });
  expect(expected.triggers?.length).toBeGreaterThan(120);
  const { rows } = await fresh.pool.query('SELECT migration_name AS name FROM _prisma_migrations ORDER BY 1');
  expect(namesOf(rows)).toEqual(namesOf(migrations));
  expect(await pendingMigrations(fresh)).toEqual([]);
});

describe('a database from before 0.2.0 goes on along its way, and has the schema of a new one', () => {
  test.each([
    ['the first of its migrations', 1],
    ['half of them', Math.ceil(upgrades.length / 2)],
    ['all of them', upgrades.length],
  ])('with %s', async (_what, count) => {
    const handle = await emptyDatabase();
    await migrate(handle, { migrations: upgrades.slice(0, count) });
    await handle.pool.query(`INSERT INTO "Workspace" ("id", "name", "updatedAt") VALUES ('w', 'Kept', now())`);
    const lacking = [...upgrades.slice(count), ...migrations];
    expect(await pendingMigrations(handle)).toEqual(namesOf(lacking));
    expect(await isUnmigrated(handle)).toBe(false);
    expect(await migrate(handle)).toEqual(namesOf(lacking));
    const found = await schemaOf(handle);
    for (const what of Object.keys(expected))
      expect({ what, rows: found[what] }).toEqual({ what, rows: expected[what] });
    expect((await handle.pool.query('SELECT "name" FROM "Workspace"')).rows).toEqual([{ name: 'Kept' }]);
    const { rows } = await handle.pool.query(
      `SELECT migration_name AS name, checksum FROM _prisma_migrations WHERE finished_at IS NOT NULL ORDER BY 1`,
    );
    expect(rows).toEqual([...upgrades, ...migrations].map(({ name, checksum }) => ({ name, checksum })));
    expect([await pendingMigrations(handle), await migrate(handle)]).toEqual([[], []]);
  });
});

test.each([
  ['has them all', upgrades.length],
  ['has some of them', upgrades.length - 2],
])('a database from before 0.2.0 that %s can be filled from a new one', async (_what, count) => {
  const handle = await emptyDatabase();
  await migrate(handle, { migrations: upgrades.slice(0, count) });
  // What a restore or move asks for, and again when it goes on after an interruption.
  expect(await migrate(handle, { migrations })).toEqual(namesOf([...upgrades.slice(count), ...migrations]));
  expect(await migrate(handle, { migrations })).toEqual([]);
  expect(await schemaOf(handle)).toEqual(expected);
});

test('a first start of before that was interrupted in its first migration is a new database', async () => {
  const handle = await emptyDatabase();
  expect(await isUnmigrated(handle)).toBe(true);
  const [first] = upgrades;
  if (!first) throw new Error('There are no upgrades.');
  const broken = { ...first, script: `${first.script}; SELECT 1 / 0;` };
  await expect(migrate(handle, { migrations: [broken] })).rejects.toThrow(first.name);
  expect(await isUnmigrated(handle)).toBe(true);
  expect(await migrate(handle)).toEqual(namesOf(migrations));
});

test('the migrations, one statement at a time as a cluster is sent them, make the same schema', async () => {
  const handle = await emptyDatabase();
  const client = await handle.pool.connect();
  for (const { script } of migrations) {
    await client.query('BEGIN');
    for (const statement of splitScript(script)) await client.query(statement);
    await client.query('COMMIT');
  }
  client.release();
  expect(await schemaOf(handle)).toEqual(expected);
});
