/** Makes the databases that new data folders and tests begin with, where they are missing, for `npm run generate`. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { DatabaseHandle } from '../database/client.ts';
import { readTemplate, type TemplateName, templateFile } from '../database/pglite/template.ts';

if (!existsSync(templateFile('empty'))) await make('empty', migrateEmpty);
if (!existsSync(templateFile('demo'))) await make('demo', fillWithDemo);
await removeFormer();

async function migrateEmpty(handle: DatabaseHandle): Promise<void> {
  const { migrate } = await import('../database/migrate.ts');
  await migrate(handle);
  // Nothing copies them, and they are two thirds of the tables that would be loaded.
  await handle.pool.query('UPDATE pg_database SET datistemplate = false');
  for (const name of ['template0', 'template1']) await handle.pool.query(`DROP DATABASE ${name}`);
}

async function fillWithDemo(handle: DatabaseHandle): Promise<void> {
  const { seedCopy } = await import('../../prisma/demo/copy.ts');
  await seedCopy(handle);
}

async function make(name: TemplateName, fill: (handle: DatabaseHandle) => Promise<void>): Promise<void> {
  const { handleOf } = await import('../database/client.ts');
  const { openEmbedded } = await import('../database/pglite/embedded.ts');
  const template = async () => (name === 'empty' ? null : readTemplate('empty'));
  let dump: Buffer | undefined;
  const onDump = (left: Buffer) => {
    dump = left;
  };
  const embedded = await openEmbedded({ dataDir: 'memory', template, onDump });
  const handle = handleOf('embedded', embedded.pool, 'join', embedded.close);
  await fill(handle);
  // A log of what is in the tables would be most of what is copied; that of the last checkpoint is all a start needs.
  for (const statement of ['SET wal_recycle = off', 'SELECT pg_switch_wal()']) await handle.pool.query(statement);
  await handle.close();
  if (!dump) throw new Error(`The template ${name} was not written.`);
  const file = templateFile(name);
  const folder = path.dirname(file);
  await mkdir(folder, { recursive: true });
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, gzipSync(dump));
  await rename(unfinished, file);
}

/** Removes the templates of other migrations or another demo. */
async function removeFormer(): Promise<void> {
  const folder = path.dirname(templateFile('empty'));
  const current = [templateFile('empty'), templateFile('demo')].map((file) => path.basename(file));
  for (const name of await readdir(folder)) {
    if (name.endsWith('.gz') && !current.includes(name)) await rm(path.join(folder, name));
  }
}
