import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { inject } from 'vitest';
import { openDatabase } from '../../../src/database/client.ts';
import { migrate } from '../../../src/database/migrate.ts';

/** Puts a migrated, empty database into a data folder; copies the tests' template if possible, which is faster. */
export async function fillDataFolder(dataDir: string): Promise<void> {
  const template = inject('template');
  if (template.kind === 'embedded') {
    const folder = path.join(dataDir, 'postgres');
    mkdirSync(folder);
    execFileSync('tar', ['-xf', template.file, '-C', folder]);
    return;
  }
  const handle = await openDatabase({ databaseUrl: null, dataDir });
  await migrate(handle);
  await handle.close();
}
