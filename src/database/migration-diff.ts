import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import type { SchemasContainer } from '@prisma/schema-engine-wasm';
import { PrismaPGlite } from 'pglite-prisma-adapter';
import { migrationsFolder, readMigrations } from './migrations.ts';
import { filters, migrationList, openEngine } from './pglite/engine.ts';
import { extensions } from './pglite/extensions.ts';

const schemaFolder = fileURLToPath(new URL('../../prisma/schema', import.meta.url));

/**
 * What leads from the migrations to the models: as SQL, or as a summary for people. Null when the migrations make
 * exactly what the models say. Tries the migrations out on a database in memory.
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
 * The service's own adapter cannot read all that the engine asks of PostgreSQL's catalogs ("char" columns); this one
 * can, but does not wait for a script to end, so that is done here. Its only database is the one to try things out on.
 */
function scratchAdapter(scratch: PGlite): PrismaPGlite {
  const factory = new PrismaPGlite(scratch);
  const connect = async () => {
    const adapter = await PrismaPGlite.prototype.connect.call(factory);
    return Object.assign(adapter, { executeScript: async (script: string) => void (await scratch.exec(script)) });
  };
  return Object.assign(factory, { connect, connectToShadowDb: connect });
}
