import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createBackupFolder } from '../../src/backup/manifest.ts';
import { restoreBackup } from '../../src/backup/restore.ts';
import { writeBackup } from '../../src/backup/write.ts';
import { readApplied } from '../../src/database/copy/catalog.ts';
import { type CopyDatabase, openForCopy } from '../../src/database/copy/session.ts';
import { migrate } from '../../src/database/migrate.ts';
import { readMigrations, readUpgrades } from '../../src/database/migrations.ts';
import { createFolder } from '../../src/storage/folder.ts';
import { newPlace, removePlaces } from '../support/database/backups.ts';

const { kind } = inject('template');
const upgrades = readUpgrades();
/** How many migrations some older versions have: all of before 0.2.0, and those to the middle. */
const versions = [upgrades.length, Math.ceil(upgrades.length / 2)];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'parley-older-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await removePlaces();
});

/** A new database with the first `count` migrations, and a workspace in it. */
async function olderDatabase(count: number): Promise<CopyDatabase> {
  const database = await openForCopy(await newPlace(kind));
  await migrate(await database.handle(), { migrations: upgrades.slice(0, count) });
  await database.session(({ query }) =>
    query(`INSERT INTO "Workspace" ("id", "name", "updatedAt") VALUES ('w', 'Kept', now())`),
  );
  return database;
}
const namesOf = (database: CopyDatabase) =>
  database.session(async (session) => (await readApplied(session)).map(({ name }) => name));

test.each(versions)('the backup of a version with %i migrations is migrated after it is restored', async (count) => {
  const backup = path.join(folder, `backup-${count}`);
  await createBackupFolder(backup);
  const storage = createFolder(path.join(folder, `files-${count}`));
  await writeBackup({ open: () => olderDatabase(count), storage, folder: backup, now: new Date() });

  const target = await openForCopy(await newPlace(kind));
  try {
    const { migrations: backedUp } = await restoreBackup({ folder: backup, target, storage, onStep: () => {} });
    expect(backedUp).toHaveLength(count);
    expect(await namesOf(target)).toEqual(readMigrations().map(({ name }) => name));
    const { rows } = await target.session(({ query }) => query('SELECT "id", "name" FROM "Workspace"'));
    expect(rows).toEqual([{ id: 'w', name: 'Kept' }]);
  } finally {
    await target.close();
  }
});
