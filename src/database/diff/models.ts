import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import type { SchemasContainer } from '@prisma/schema-engine-wasm';
import { PrismaPGlite } from 'pglite-prisma-adapter';
import { migrationsFolder, readMigrations } from '../migrations.ts';
import { filters, migrationList, openEngine } from '../pglite/engine.ts';
import { extensions } from '../pglite/extensions.ts';

const schemaFolder = fileURLToPath(new URL('../../../prisma/schema', import.meta.url));

/**
 * Returns what the migrations lack compared with the models, as SQL or as a human-readable summary; null if nothing.
 * Runs the migrations on an in-memory database.
 */
export async function diffModels(as: 'sql' | 'summary'): Promise<string | null> {
  const scratch = await PGlite.create({ extensions });
  const engine = await openEngine(scratchAdapter(scratch));
  try {
    const { exitCode, stdout } = await engine.diff({
      from: { tag: 'migrations', ...migrationList(existsSync(migrationsFolder) ? readMigrations() : []) },
      to: { tag: 'schemaDatamodel', ...readModels() },
      script: as === 'sql',
      exitCode: true,
      filters,
    });
    return exitCode === 0 ? null : stdout;
  } finally {
    engine.free();
    await scratch.close();
  }
}

function readModels(): SchemasContainer {
  const names = readdirSync(schemaFolder).filter((name) => name.endsWith('.prisma'));
  const paths = names.map((name) => join(schemaFolder, name));
  return { files: paths.map((path) => ({ path, content: readFileSync(path, 'utf8') })) };
}

/**
 * Reads the "char" columns of the catalogs that the engine queries, which the service's own adapter cannot. It does not
 * wait for scripts to finish, so that is added here. Its only database doubles as the shadow database.
 */
function scratchAdapter(scratch: PGlite): PrismaPGlite {
  const factory = new PrismaPGlite(scratch);
  const connect = async () => {
    const adapter = await PrismaPGlite.prototype.connect.call(factory);
    return Object.assign(adapter, { executeScript: async (script: string) => void (await scratch.exec(script)) });
  };
  return Object.assign(factory, { connect, connectToShadowDb: connect });
}
