import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { readMigrations } from '../migrations.ts';

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** The name says what it was made with, so that a template of other migrations or another PGlite is never read. */
export function templateFile(): string {
  const { dependencies } = JSON.parse(readFileSync(pathOf('../../../package.json'), 'utf8'));
  const madeWith = [dependencies['@electric-sql/pglite'], ...readMigrations().map(({ checksum }) => checksum)];
  const key = createHash('sha256').update(madeWith.join()).digest('hex').slice(0, 16);
  return pathOf(`../generated/template/${key}.tar.gz`);
}

/**
 * The migrated, empty database that `npm run generate` made, as a tar file: loading it costs a fraction of creating and
 * migrating one. Null without a usable file, since the gateway starts without it too.
 */
export async function readTemplate(file = templateFile()): Promise<Blob | null> {
  try {
    return new Blob([new Uint8Array(await promisify(gunzip)(await readFile(file)))]);
  } catch {
    return null;
  }
}
