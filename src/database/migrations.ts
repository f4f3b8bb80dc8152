import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A migration of the folder. `checksum` is the one that the schema engine records: SHA-256 of the script, in hex. */
export type Migration = { name: string; script: string; checksum: string };

const folderOf = (name: string): string => fileURLToPath(new URL(`../../prisma/${name}`, import.meta.url));

/** The folder with this version's migrations, the first of which makes the schema of 0.2.0 in a new database. */
export const migrationsFolder = folderOf('migrations');

/** Returns the migrations that make the same schema in a database from before 0.2.0, with its rows. */
export const readUpgrades = (): Migration[] => readMigrations(folderOf('upgrades'));

/** Returns the migrations of a folder, oldest first. */
export function readMigrations(folder: string = migrationsFolder): Migration[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .map((name) => migrationOf(name, readFileSync(join(folder, name, 'migration.sql'), 'utf8')));
}

/** A migration with its checksum, by which a script that was changed after it was applied is noticed. */
export function migrationOf(name: string, script: string): Migration {
  return { name, script, checksum: createHash('sha256').update(script).digest('hex') };
}
