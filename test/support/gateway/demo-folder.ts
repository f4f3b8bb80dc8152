import { cpSync, existsSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FolderInUseError, lockFolder } from '../../../src/database/pglite/folder-lock.ts';
import { startGateway } from './gateway-process.ts';

/**
 * Makes a data folder one on which a gateway without ENCRYPTION_KEYS has started before: it has the demo workspace and
 * its key. The first test of a run that needs one makes it, in the run's temporary folder, and all are given copies.
 */
export async function fillWithDemo(dataDir: string): Promise<void> {
  const made = path.join(tmpdir(), 'parley-with-demo');
  for (const end = Date.now() + 90_000; !existsSync(made); ) {
    if (Date.now() > end) throw new Error(`${made} is still being made by another test.`);
    const lock = lockUnlessUsed(`${made}.lock`);
    if (!lock) {
      await sleep(100);
      continue;
    }
    try {
      if (!existsSync(made)) await makeWithDemo(made);
    } finally {
      lock.release();
    }
  }
  cpSync(made, dataDir, { recursive: true });
}

function lockUnlessUsed(folder: string) {
  try {
    return lockFolder(folder);
  } catch (error) {
    if (error instanceof FolderInUseError) return null;
    throw error;
  }
}

async function makeWithDemo(target: string): Promise<void> {
  const folder = `${target}.unfinished`;
  rmSync(folder, { recursive: true, force: true });
  const env = { PATH: process.env.PATH, DATA_DIR: folder, DEMO: 'true', PORT: '0', LOG_LEVEL: 'silent' };
  await (await startGateway(env)).kill('SIGTERM');
  renameSync(folder, target);
}
