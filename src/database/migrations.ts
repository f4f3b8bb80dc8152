import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A migration of the folder. `checksum` is the one that the schema engine records: SHA-256 of the script, in hex. */
export type Migration = { name: string; script: string; checksum: string };

/** The folder with this version's migrations. */
export const migrationsFolder = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));

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
