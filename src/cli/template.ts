/** Makes the database that new data folders and tests begin with, unless it is there; `npm run generate` runs it. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { templateFile } from '../database/pglite/template.ts';

const file = templateFile();
if (!existsSync(file)) await make();

async function make(): Promise<void> {
  const { handleOf } = await import('../database/client.ts');
  const { migrate } = await import('../database/migrate.ts');
  const { openEmbedded } = await import('../database/pglite/embedded.ts');
  const embedded = await openEmbedded({ dataDir: 'memory' });
  const handle = handleOf('embedded', embedded.pool, 'join', embedded.close);
  await migrate(handle);
  // Nothing copies them, and they are two thirds of the tables that would be loaded.
  await handle.pool.query('UPDATE pg_database SET datistemplate = false');
  for (const name of ['template0', 'template1']) await handle.pool.query(`DROP DATABASE ${name}`);
  const dump = Buffer.from(await (await embedded.dump()).arrayBuffer());
  await handle.close();
  const folder = path.dirname(file);
  await mkdir(folder, { recursive: true });
  const former = await readdir(folder);
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, gzipSync(dump));
  await rename(unfinished, file);
  for (const name of former.filter((other) => other.endsWith('.gz'))) await rm(path.join(folder, name));
}
