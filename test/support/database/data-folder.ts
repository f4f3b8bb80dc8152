import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { templateFile } from '../../../src/database/pglite/template.ts';

/** Puts the migrated, empty database of the template into a data folder. */
export function fillDataFolder(dataDir: string): void {
  const folder = path.join(dataDir, 'postgres');
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-xzf', templateFile('empty'), '-C', folder], { stdio: 'ignore' });
}
