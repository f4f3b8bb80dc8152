import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzip, type ZlibOptions } from 'node:zlib';
import { readMigrations } from '../migrations.ts';

/** What a new embedded database may begin with: every migration and no row, or the demo workspace too. */
export type TemplateName = 'empty' | 'demo';

const pathOf = (file: string) => fileURLToPath(new URL(`../../../${file}`, import.meta.url));

/** What says how the demo workspace is made. One that older domain code wrote is as good as one that was upgraded. */
const demoSources = ['prisma/seed.ts', 'prisma/demo', 'examples/operations'];

/** Raised when `src/cli/template.ts` makes other files of the same. */
const edition = '2';

/** The name says what it was made with, so that a template of other migrations or another PGlite is never read. */
export function templateFile(name: TemplateName): string {
  const { version, dependencies } = JSON.parse(readFileSync(pathOf('package.json'), 'utf8'));
  const madeWith = [edition, dependencies['@electric-sql/pglite'], ...readMigrations().map(({ checksum }) => checksum)];
  if (name === 'demo') madeWith.push(version, ...demoSources.flatMap(textsOf));
  const key = createHash('sha256').update(madeWith.join()).digest('hex').slice(0, 16);
  return pathOf(`src/database/generated/template/${name}-${key}.tar.gz`);
}

/** The text of a file, or of each in a folder. */
function textsOf(path: string): string[] {
  if (path.endsWith('.ts')) return [readFileSync(pathOf(path), 'utf8')];
  return readdirSync(pathOf(path))
    .sort()
    .map((file) => readFileSync(pathOf(`${path}/${file}`), 'utf8'));
}

/**
 * The database that `npm run generate` made, as a tar file: loading it costs a fraction of creating, migrating and
 * filling one. Null without a usable file, since the gateway starts without it too.
 */
export async function readTemplate(name: TemplateName, file = templateFile(name)): Promise<Buffer<ArrayBuffer> | null> {
  try {
    // Into one piece that is larger than it: pieces would be joined, at as much again.
    return await promisify<Buffer, ZlibOptions, Buffer<ArrayBuffer>>(gunzip)(await readFile(file), {
      chunkSize: 64 * 1024 ** 2,
    });
  } catch {
    return null;
  }
}
