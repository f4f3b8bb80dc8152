import path from 'node:path';
import { parseArgs } from 'node:util';
import { keyFileOf, readKeyFile, writeKeyFile } from '../auth/encryption/key-file.ts';
import { openFilled } from '../backup/fill.ts';
import { lockServer, type Moved, markServer, moveData, readServerMark } from '../backup/move.ts';
import { type Config, readConfig } from '../config/config.ts';
import { serverName, serverUrlProblem } from '../core/server-urls.ts';
import { readLoadState } from '../database/copy/load.ts';
import { type CopyDatabase, openForCopy } from '../database/copy/session.ts';
import { markFolder, readFolderMark } from '../database/pglite/moved-folder.ts';
import { createStorage } from '../storage/storage.ts';
import { openStorage } from './shared/open-storage.ts';
import { printUsage, run } from './shared/run.ts';

const usage = `Moves all data from the database of DATABASE_URL or DATA_DIR to another, empty one, and marks the first as moved. Stop
the gateways first. If it is interrupted, run it again.

  npm run --silent move -- --to <postgres://… or folder>`;

type Database = { databaseUrl: string | null; dataDir: string };

await run(async () => {
  const { values } = parseArgs({ options: { to: { type: 'string' }, help: { type: 'boolean', short: 'h' } } });
  if (values.help || !values.to) return printUsage(usage, values.help);
  const config = readConfig(process.env);
  const to = databaseOf(values.to, config);
  if (nameOf(to) === nameOf(config)) throw new Error('--to: is where the data is');
  const mark = await readMark(config);
  if (mark !== null && mark !== nameOf(to)) throw new Error(`The data was moved to ${mark} already.`);
  const target = await openForCopy(to);
  try {
    if (mark === null) report(await move(config, to, target));
    else await requireUnopened(target, config);
    await openFilled(target);
  } finally {
    await target.close();
  }
  await bringKey(config, to);
  console.log(
    `Start the gateways with ${to.databaseUrl ? 'DATABASE_URL' : 'DATA_DIR'} of ${nameOf(to)}; none starts on the old database.`,
  );
});

function databaseOf(text: string, { dataDir }: Config): Database {
  if (/^postgres(ql)?:\/\//.test(text)) {
    const problem = serverUrlProblem(text);
    if (problem) throw new Error(`--to: ${problem}`);
    return { databaseUrl: text, dataDir };
  }
  if (/^[a-z]+:\/\//i.test(text)) throw new Error('--to: must be a postgres:// URL or a folder');
  return { databaseUrl: null, dataDir: path.resolve(text) };
}

/** Where the data is, without a password. */
function nameOf({ databaseUrl, dataDir }: Database): string {
  if (!databaseUrl) return path.resolve(dataDir);
  return `postgres://${serverName(databaseUrl)}`;
}

async function readMark(config: Config): Promise<string | null> {
  if (!config.databaseUrl) return readFolderMark(config.dataDir);
  const source = await openForCopy(config);
  try {
    return await source.session(readServerMark);
  } finally {
    await source.close();
  }
}

/** Identifies the source in the target. */
function idOf(config: Config): string {
  return `move from ${nameOf(config)}`;
}

async function move(config: Config, to: Database, target: CopyDatabase): Promise<Moved> {
  const source = await openForCopy(config);
  const folder = path.join(to.dataDir, 'files');
  const isElsewhere =
    !to.databaseUrl && config.storage.kind === 'folder' && path.resolve(config.storage.folder) !== folder;
  try {
    return await moveData({
      id: idOf(config),
      source,
      target,
      from: openStorage(config),
      to: isElsewhere ? createStorage({ kind: 'folder', folder }) : null,
      onStep: (text) => console.error(text),
      lock: async (session, tables) => (config.databaseUrl ? lockServer(session, tables) : undefined),
      mark: async (session) =>
        config.databaseUrl ? markServer(session, nameOf(to)) : markFolder(config.dataDir, nameOf(to)),
    });
  } finally {
    await source.close();
  }
}

/** Throws unless an earlier attempt was interrupted after it had marked the source. */
async function requireUnopened(target: CopyDatabase, config: Config): Promise<void> {
  const state = await target.session(readLoadState);
  if (state?.source !== idOf(config)) throw new Error('The data was moved there already.');
}

function report({ tables, rows, files, missing }: Moved): void {
  console.log(`Moved and verified ${rows} rows of ${tables} tables, and ${files} files of attachments.`);
  if (missing.length > 0) console.log(`Missing in the storage, also before: ${missing.join(', ')}`);
}

/** The new folder gets the generated key; a server's gateways need it as a setting. */
async function bringKey(config: Config, to: Database): Promise<void> {
  if (config.encryptionKeys) return;
  const keys = await readKeyFile(config.dataDir);
  if (!to.databaseUrl && keys && !(await readKeyFile(to.dataDir))) return writeKeyFile(to.dataDir, keys);
  if (to.databaseUrl)
    console.log(`Set ENCRYPTION_KEYS on every gateway to the key in ${keyFileOf(path.resolve(config.dataDir))}.`);
}
