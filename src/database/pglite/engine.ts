import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import type * as engineModule from '@prisma/schema-engine-wasm';
import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm';
import { lazy } from '../../core/lazy.ts';
import { type Migration, migrationsFolder } from '../migrations.ts';

type Bindings = typeof engineModule & { __wbg_set_wasm(exports: WebAssembly.Exports): void };

/** No table or enum is managed outside of the Prisma schema. */
export const filters = { externalTables: [], externalEnums: [] };

/** Opens Prisma's schema engine (WebAssembly, about half a second to load) on a database. Call `free()` when done. */
export async function openEngine(adapter: SqlMigrationAwareDriverAdapterFactory): Promise<SchemaEngine> {
  const bindings = await loadBindings();
  return bindings.SchemaEngine.new({ datamodels: undefined }, () => {}, bindMigrationAwareSqlAdapterFactory(adapter));
}

/** The migrations in the format that the engine expects. */
export function migrationList(migrations: Migration[], baseDir: string = migrationsFolder): MigrationList {
  return {
    baseDir,
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
    shadowDbInitScript: '',
    migrationDirectories: migrations.map(({ name, script }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: script } },
    })),
  };
}

/** The package's entry point imports the .wasm file as a module, which Node does not support without a flag. */
const loadBindings = lazy(async (): Promise<Bindings> => {
  const bindings = (await import('@prisma/schema-engine-wasm/schema_engine_bg' as string)) as Bindings;
  const main = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm');
  const file = join(dirname(main), 'schema_engine_bg.wasm');
  const imports = Object.fromEntries(Object.entries(bindings).map(([name, value]) => [name, unrefTimer(name, value)]));
  const { instance } = await WebAssembly.instantiate(await readFile(file), { './schema_engine_bg.js': imports });
  bindings.__wbg_set_wasm(instance.exports);
  (instance.exports.__wbindgen_start as () => void)();
  return bindings;
});

/** The engine's timers (a ten-second wait for its lock) must not keep the process alive. */
function unrefTimer(name: string, value: unknown): never {
  if (!name.startsWith('__wbg_setTimeout')) return value as never;
  return ((callback: () => void, ms: number) => setTimeout(callback, ms >>> 0).unref()) as never;
}
