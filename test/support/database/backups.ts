import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inject } from 'vitest';
import { readSequences, readTables } from '../../../src/database/copy/catalog.ts';
import { readTable } from '../../../src/database/copy/read.ts';
import { contentOf } from '../../../src/database/copy/row-hash.ts';
import { openForCopy } from '../../../src/database/copy/session.ts';
import { onServer, withDatabase } from './database.ts';

/** The settings of a gateway whose database does not exist yet, or is empty. */
export type Place = { env: Record<string, string>; dataDir: string; databaseUrl: string | null };

const created: Place[] = [];

/** A new place for data: a folder, or a database on the tests' server. */
export async function newPlace(kind: 'embedded' | 'postgres'): Promise<Place> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'parley-backup-'));
  const place: Place = { dataDir, databaseUrl: kind === 'postgres' ? await createDatabase() : null, env: {} };
  place.env = {
    PATH: process.env.PATH ?? '',
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
    DATA_DIR: dataDir,
    PORT: '0',
    DEMO: 'true',
    LOG_LEVEL: 'silent',
    ...(place.databaseUrl && { DATABASE_URL: place.databaseUrl }),
  };
  created.push(place);
  return place;
}

async function createDatabase(): Promise<string> {
  const template = inject('template');
  if (template.kind !== 'postgres') throw new Error('These tests run on embedded databases.');
  const name = `${template.run}_${randomBytes(4).toString('hex')}`;
  await onServer(template.url, (client) => client.query(`CREATE DATABASE ${name}`));
  return withDatabase(template.url, name);
}

/** Removes what `newPlace` created. */
export async function removePlaces(): Promise<void> {
  const template = inject('template');
  for (const { dataDir, databaseUrl } of created.splice(0)) {
    rmSync(dataDir, { recursive: true, force: true });
    const name = databaseUrl && new URL(databaseUrl).pathname.slice(1);
    if (name && template.kind === 'postgres') {
      await onServer(template.url, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
    }
  }
}

/** Starts a command of `npm run`. */
export function startCommand(name: string, { env }: Pick<Place, 'env'>, ...args: string[]) {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', path.join(import.meta.dirname, `../../../src/cli/${name}.ts`), ...args],
    { env, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const result = once(child, 'close').then(([code]: (number | null)[]) => ({ code: code ?? null, stdout, stderr }));
  /** Kills it as soon as it has reported this step. */
  const killAt = (step: string) => child.stderr.on('data', () => stderr.includes(step) && child.kill('SIGKILL'));
  return { result, killAt };
}

/** Runs a command to its end. */
export const runCommand = (name: string, place: Pick<Place, 'env'>, ...args: string[]) =>
  startCommand(name, place, ...args).result;

/**
 * What a database has, while no gateway uses it: the tables, sequences, foreign keys, and triggers that are enabled.
 */
export async function contentsOf({ databaseUrl, dataDir }: Pick<Place, 'databaseUrl' | 'dataDir'>) {
  const database = await openForCopy({ databaseUrl, dataDir });
  try {
    return await database.session(async (session) => {
      const tables: Record<string, { rows: number; hash: string }> = {};
      for (const table of await readTables(session)) tables[table.name] = await contentOf(readTable(session, table));
      const count = async (from: string) =>
        (await session.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${from}`)).rows[0]?.count;
      return {
        tables,
        sequences: await readSequences(session),
        foreignKeys: await count(`pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace`),
        triggers: await count(`pg_trigger WHERE NOT tgisinternal AND tgenabled = 'O'`),
      };
    });
  } finally {
    await database.close();
  }
}
