import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { splitScript } from '../../../src/database/adapter.ts';
import { type DatabaseHandle, openDatabase } from '../../../src/database/client.ts';
import { distributeDatabase } from '../../../src/database/layout/distribute.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { migrationOf, readMigrations } from '../../../src/database/migrations.ts';
import { standInForCitus } from '../../support/database/citus-stand-in.ts';
import { onServer, statementsOf, testDatabase } from '../../support/database/database.ts';

// The embedded database has no server, and partitions are not distributed.
const hasServer = process.env.TEST_DATABASE_URL && !process.env.TEST_PARTITIONS;

/** One of each kind of change that a migration may make. */
const script = `
-- A comment; with a semicolon
CREATE TYPE "AddedKind" AS ENUM ('one', 'two');
ALTER TYPE "MemberRole" ADD VALUE 'added';
CREATE TABLE "Added" ("workspaceId" text NOT NULL, "id" text NOT NULL, "leadId" text, "kind" "AddedKind" NOT NULL DEFAULT 'one',
  "note" text NOT NULL DEFAULT 'a;b', CONSTRAINT "Added_pkey" PRIMARY KEY ("workspaceId", "id"));
ALTER TABLE "Lead" ADD COLUMN "added" text;
CREATE INDEX "Lead_workspaceId_added_id_idx" ON "Lead"("workspaceId", "added", "id");
CREATE UNIQUE INDEX "Added_workspaceId_note_key" ON "Added"("workspaceId", "note");
ALTER TABLE "Added" ADD CONSTRAINT "Added_workspaceId_fkey" FOREIGN KEY ("workspaceId") REFERENCES "Workspace"("id") ON DELETE CASCADE;
ALTER TABLE "Added" ADD CONSTRAINT "Added_workspaceId_leadId_fkey" FOREIGN KEY ("workspaceId", "leadId") REFERENCES "Lead"("workspaceId", "id");
CREATE FUNCTION "countAdded"() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN PERFORM 1; RETURN NULL; END $body$;
CREATE TRIGGER "Added_count" AFTER INSERT ON "Added" FOR EACH ROW EXECUTE FUNCTION "countAdded"();
INSERT INTO "Added" ("workspaceId", "id") SELECT "id", 'add_1' FROM "Workspace";
UPDATE "Workspace" SET "name" = 'Filled';
`;
const statementsInScript = 12;
const migrations = [...readMigrations(), migrationOf('29990101000000_added', script)];

describe.runIf(hasServer)('a migration of a database that is distributed', () => {
  let template: DatabaseHandle;
  let handle: DatabaseHandle;
  beforeEach(async () => {
    template = await testDatabase();
    const url = template.pool.url ?? '';
    await onServer(url, standInForCitus);
    // Finds out at its start that it is connected to a coordinator.
    handle = await openDatabase({ databaseUrl: url, dataDir: '' });
    await distributeDatabase(handle, { shards: 8 });
    await query(`INSERT INTO "Workspace" ("id", "name", "updatedAt") VALUES ('wsp_1', 'One', now())`);
  });
  afterEach(async () => {
    await handle.close();
    await template.close();
  });
  const query = async (text: string) => (await handle.pool.query(text)).rows;
  const placed = () => query(`SELECT partmethod FROM pg_dist_partition WHERE logicalrelid = to_regclass('"Added"')`);

  test('is sent one statement at a time, and what it adds distributes itself, with its rows and references', async () => {
    const steps: string[] = [];
    const { result, statements } = await statementsOf(() =>
      migrate(handle, { migrations, onStep: (text) => steps.push(text) }),
    );
    expect(result).toEqual(['29990101000000_added']);
    const parts = statements.filter((text) => splitScript(script).includes(text));
    expect(parts).toEqual(splitScript(script));
    expect(parts).toHaveLength(statementsInScript);
    expect(statements.filter((text) => splitScript(text).length > 1 && text.includes('Added'))).toEqual([]);
    expect(steps).toEqual(['Applying a migration', 'Distributing Added by workspaceId', 'Making 2 references again']);
    expect(await placed()).toEqual([{ partmethod: 'h' }]);
    expect(await query(`SELECT "id", "kind"::text, "note" FROM "Added"`)).toEqual([
      { id: 'add_1', kind: 'one', note: 'a;b' },
    ]);
    const keys = await query(
      `SELECT conname FROM pg_constraint WHERE conrelid = '"Added"'::regclass AND contype = 'f' ORDER BY 1`,
    );
    expect(keys.map(({ conname }) => conname)).toEqual(['Added_workspaceId_fkey', 'Added_workspaceId_leadId_fkey']);
    expect(await query(`SELECT FROM pg_cast WHERE castsource = '"AddedKind"'::regtype`)).toHaveLength(1);
    const again = await statementsOf(() => migrate(handle, { migrations }));
    expect([again.result, again.statements.filter((text) => /CREATE|ALTER/.test(text))]).toEqual([[], []]);
  });

  test('that fails changes nothing, and is tried again', async () => {
    const broken = migrationOf('29990101000000_added', `${script} SELECT 1 / 0; CREATE TABLE "Never" ("id" text);`);
    await expect(migrate(handle, { migrations: [...readMigrations(), broken] })).rejects.toThrow(
      /added: division by zero/,
    );
    expect(await query(`SELECT to_regclass('"Added"') AS added, (SELECT "name" FROM "Workspace")`)).toEqual([
      { added: null, name: 'One' },
    ]);
    expect(await migrate(handle, { migrations })).toEqual(['29990101000000_added']);
    expect(await placed()).toHaveLength(1);
  });

  test('that was applied by a process that died before it distributed is distributed by the next start', async () => {
    const die = (text: string) => {
      if (text.startsWith('Distributing Added')) throw new Error('killed');
    };
    await expect(migrate(handle, { migrations, onStep: die })).rejects.toThrow('killed');
    expect(await placed()).toEqual([]);
    expect(await migrate(handle, { migrations })).toEqual([]);
    expect(await placed()).toHaveLength(1);
  });
});

describe('a script is split into its statements', () => {
  test.each([
    ['texts and names', `SELECT 'a;''b', ";"; SELECT E'\\';'`, [`SELECT 'a;''b', ";"`, `SELECT E'\\';'`]],
    [
      'comments',
      '-- a;\nSELECT 1; /* b; /* c; */ d; */ SELECT 2; -- e;',
      ['-- a;\nSELECT 1', '/* b; /* c; */ d; */ SELECT 2'],
    ],
    ['bodies', 'DO $$ BEGIN; END $$; DO $a$ $$;$$; $a$;', ['DO $$ BEGIN; END $$', 'DO $a$ $$;$$; $a$']],
    ['nothing', ' ; -- a\n; /* b */ ', []],
  ])('with semicolons in %s', (_what, text, statements) => {
    expect(splitScript(text)).toEqual(statements);
  });
});
