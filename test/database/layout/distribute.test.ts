import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DatabaseHandle } from '../../../src/database/client.ts';
import { globalTables } from '../../../src/database/global-tables.ts';
import {
  DistributionError,
  distributeDatabase,
  isDistributionPending,
} from '../../../src/database/layout/distribute.ts';
import { createPresence } from '../../../src/database/serving/presence.ts';
import { standInForCitus } from '../../support/database/citus-stand-in.ts';
import { onServer, testDatabase } from '../../support/database/database.ts';
import { workspaceTables } from '../../support/database/workspace-statements.ts';

// The embedded database has no server, and partitions are not distributed.
const hasServer = process.env.TEST_DATABASE_URL && !process.env.TEST_PARTITIONS;
const options = { shards: 8 };
let handle: DatabaseHandle;
beforeEach(async () => {
  handle = await testDatabase();
});
afterEach(() => handle.close());

const query = async (text: string) => (await handle.pool.query(text)).rows;
const keys = () =>
  query(`SELECT conrelid::regclass::text AS table, conname, pg_get_constraintdef(oid) AS definition FROM pg_constraint
    WHERE contype = 'f' AND connamespace = 'public'::regnamespace ORDER BY 1, 2`);
const standIn = (version?: string) => onServer(handle.pool.url ?? '', (client) => standInForCitus(client, version));

describe.runIf(hasServer)('npm run distribute refuses, and changes nothing:', () => {
  const refusal = async (message: RegExp) => {
    const settings = () => query('SELECT setconfig FROM pg_db_role_setting ORDER BY setdatabase');
    const before = [await keys(), await settings()];
    const error = await distributeDatabase(handle, options).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DistributionError);
    expect((error as Error).message).toMatch(message);
    expect([await keys(), await settings()]).toEqual(before);
  };

  test('a plain server, with what to do', () =>
    refusal(/^The database has no extension citus: run CREATE EXTENSION citus .*citus_add_node\.$/));

  test('a cluster that is too old', async () => {
    await standIn('11.3-1');
    await refusal(/^Citus 11\.3-1 is too old: update it to 12 or newer\.$/);
  });

  test('a cluster without a node for rows', async () => {
    await standIn();
    await query('UPDATE pg_dist_node SET shouldhaveshards = false');
    await refusal(/has no node for rows: add one with SELECT citus_add_node\(host, port\)\.$/);
  });

  test('rows that gateways serve, with which', async () => {
    await standIn();
    await query(`INSERT INTO "Workspace" ("id", "name", "updatedAt") VALUES ('wsp_1', 'One', now())`);
    await createPresence(handle, '0.2.0').announce();
    await refusal(/^Gateways serve this database: .*, process \d+ \(version 0\.2\.0, .*\. Stop all of them first\./);
  });
});

describe.runIf(hasServer)('npm run distribute, told by what it asks of the coordinator,', () => {
  beforeEach(() => standIn());
  const placed = () =>
    query(`SELECT logicalrelid::regclass::text AS name, partmethod, "column", shards, beside::regclass::text
      FROM pg_dist_partition ORDER BY 1`);
  const quoted = (name: string) => `"${name}"`;

  test('copies User, distributes Workspace by its id, and the table of each workspace beside it', async () => {
    const before = await keys();
    const steps: string[] = [];
    const done = await distributeDatabase(handle, { ...options, onStep: (text) => steps.push(text) });
    const rest = Object.keys(globalTables).filter((name) => name !== 'User' && name !== 'Workspace');
    expect(done).toEqual({
      distributed: [...workspaceTables, 'Workspace'].sort(),
      copied: ['User'],
      local: rest.sort(),
    });
    const tables = await placed();
    const beside = { partmethod: 'h', column: 'workspaceId', shards: null, beside: '"Workspace"' };
    expect(tables).toHaveLength(workspaceTables.length + 2);
    expect(tables).toContainEqual({ name: '"User"', partmethod: 'n', column: null, shards: 1, beside: null });
    expect(tables).toContainEqual({ name: '"Workspace"', partmethod: 'h', column: 'id', shards: 8, beside: null });
    for (const name of workspaceTables) expect(tables).toContainEqual({ name: quoted(name), ...beside });
    expect(steps.slice(0, 2)).toEqual(['Copying User to all nodes', 'Distributing Workspace by id']);
    expect(steps.at(-1)).toBe(`Making ${before.length} references again`);
    expect(await keys()).toEqual(before);
  });

  test('leaves settings for every session, and a cast in both directions for every enum', async () => {
    await distributeDatabase(handle, options);
    const [{ settings, name }] = await query(
      `SELECT array_to_string(setconfig, ' ') AS settings, current_database() AS name FROM pg_db_role_setting
       WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    expect(settings).toBe(
      'citus.enable_unsafe_triggers=on citus.multi_shard_modify_mode=sequential TimeZone=UTC DateStyle=ISO standard_conforming_strings=on',
    );
    expect(await isDistributionPending(handle)).toBe(false);
    await query(`ALTER DATABASE "${name}" RESET TimeZone`);
    expect(await isDistributionPending(handle)).toBe(true);
    const without = await query(
      `SELECT typname FROM pg_type t WHERE typtype = 'e' AND typnamespace = 'public'::regnamespace AND 2 > (
         SELECT count(*) FROM pg_cast JOIN pg_proc p ON p.oid = castfunc AND p.provolatile = 'i'
         WHERE t.oid IN (castsource, casttarget) AND 'text'::regtype IN (castsource, casttarget))`,
    );
    expect(without).toEqual([]);
  });

  test('has Citus move the rows that are there, says so first, and empties what it has copied', async () => {
    await query(`INSERT INTO "Workspace" ("id", "name", "updatedAt") VALUES ('wsp_1', 'One', now())`);
    const steps: string[] = [];
    await distributeDatabase(handle, { ...options, onStep: (text) => steps.push(text) });
    expect(steps[0]).toMatch(/^Moving the rows of a table, \d+ kB with indexes: each table is locked while/);
    const emptied = await query(
      `SELECT relname FROM pg_class c JOIN pg_description d ON d.objoid = c.oid WHERE d.description = 'emptied'`,
    );
    expect(emptied).toEqual([{ relname: 'Workspace' }]);
    expect(await query(`SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgenabled <> 'O'`)).toEqual([]);
  });

  test('waits for a run that is under way, and finds what it did', async () => {
    const steps: string[] = [];
    const onStep = (text: string) => steps.push(text);
    await Promise.all([1, 2].map(() => distributeDatabase(handle, { ...options, onStep })));
    expect(steps.filter((text) => text.startsWith('Distributing Lead '))).toHaveLength(1);
  });

  test('goes on where a run was killed, and makes each reference once', async () => {
    const before = await keys();
    const killed = distributeDatabase(handle, {
      ...options,
      onStep: (text) => {
        if (text.startsWith('Distributing Lead ')) throw new Error('killed');
      },
    });
    await expect(killed).rejects.toThrow('killed');
    expect(await keys()).not.toEqual(before);
    const steps: string[] = [];
    const done = await distributeDatabase(handle, { ...options, onStep: (text) => steps.push(text) });
    expect(steps[0]).toBe('Distributing Lead by workspaceId');
    expect(done.distributed).toEqual([...workspaceTables, 'Workspace'].sort());
    expect(await keys()).toEqual(before);
    expect(await query(`SELECT to_regclass('_distribution') AS pending`)).toEqual([{ pending: null }]);
  });

  test('leaves what is distributed as it is, and distributes a table that was added', async () => {
    await distributeDatabase(handle, options);
    const before = await placed();
    const steps: string[] = [];
    const again = () => distributeDatabase(handle, { ...options, onStep: (text) => steps.push(text) });
    await again();
    expect([steps, await placed()]).toEqual([[], before]);
    await query(
      `CREATE TABLE "Added" ("workspaceId" text NOT NULL, "id" text NOT NULL, PRIMARY KEY ("workspaceId", "id"),
       FOREIGN KEY ("workspaceId") REFERENCES "Workspace" ("id") ON DELETE CASCADE)`,
    );
    expect((await again()).distributed).toContain('Added');
    expect(steps).toEqual(['Distributing Added by workspaceId', 'Making a reference again']);
    expect(await keys()).toContainEqual(expect.objectContaining({ table: '"Added"' }));
  });
});
