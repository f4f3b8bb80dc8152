import { afterEach, beforeEach, expect, test } from 'vitest';
import { unrestrictedApps, warnOfUnrestrictedApps } from '../../src/auth/unrestricted-apps.ts';
import type { DatabaseHandle } from '../../src/database/client.ts';
import { migrate } from '../../src/database/migrate.ts';
import { readUpgrades } from '../../src/database/migrations.ts';
import { testDatabase } from '../support/database/database.ts';

const rule = readUpgrades().find(({ name }) => name.endsWith('_app_rules'));
let handle: DatabaseHandle;

/** A database from before roles limited apps. */
beforeEach(async () => {
  handle = await testDatabase();
  await handle.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public;');
  await migrate(handle, { migrations: readUpgrades().filter(({ name }) => name < (rule?.name ?? '')) });
});
afterEach(() => handle.close());

const forms: [unknown, boolean][] = [
  [[], false],
  [['viewer', 'reader'], false],
  [['owner'], true],
  [[' Owner ', 7, null], true],
  [[{ role: 'owner' }], true],
  [[{ name: 'OWNER', rights: [] }], true],
  [[['owner']], false],
  [{ owner: true }, false],
  ['owner', false],
];

test('what apps could do before, they can after the upgrade, and both command and log name them', async () => {
  const { pool } = handle;
  await pool.query(`INSERT INTO "Workspace" ("id", "name", "updatedAt") VALUES ('w', 'W', now())`);
  await pool.query(`INSERT INTO "User" ("id", "name", "email", "updatedAt") VALUES ('u', 'U', 'u@example.com', now())`);
  await pool.query(
    `INSERT INTO "Membership" ("id", "workspaceId", "userId", "role", "updatedAt") VALUES ('m', 'w', 'u', 'owner', now())`,
  );
  for (const [index, [roles]] of forms.entries()) {
    await pool.query(
      `INSERT INTO "App" ("workspaceId", "id", "name", "color", "roles", "secretCipher", "secretHash", "updatedAt")
       VALUES ('w', $1, 'A', '#000000', $2, '', $1, now())`,
      [`app${index}`, JSON.stringify(roles)],
    );
  }
  await pool.query(
    `INSERT INTO "AppRole" ("workspaceId", "membershipId", "appId", "role", "updatedAt") VALUES ('w', 'm', 'app0', 'viewer', now())`,
  );
  await migrate(handle);
  const apps = await pool.query('SELECT "unrestricted", "ownersOnly" FROM "App" ORDER BY "id"');
  expect(apps.rows).toEqual(forms.map(([, ownersOnly]) => ({ unrestricted: true, ownersOnly })));
  expect((await pool.query('SELECT "enforced" FROM "AppRole"')).rows).toEqual([{ enforced: false }]);

  expect((await unrestrictedApps(handle)).map(({ workspaceId, id }) => `${workspaceId}/${id}`)).toEqual(
    forms.map((_, index) => `w/app${index}`),
  );
  const lines: unknown[] = [];
  const log = { warn: (line: unknown) => lines.push(line) } as never;
  await warnOfUnrestrictedApps({ pool, log });
  expect(lines).toEqual([{ apps: forms.map((_, index) => `w/app${index}`), count: forms.length }]);
  await pool.query('UPDATE "App" SET "unrestricted" = false');
  await warnOfUnrestrictedApps({ pool, log });
  expect(lines).toHaveLength(1);
});
