import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockFolder } from '../../src/database/pglite/folder-lock.ts';
import { fillDataFolder } from '../support/database/data-folder.ts';

const cwd = path.join(import.meta.dirname, '../..');
let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'parley-signals-'));
  fillDataFolder(dataDir);
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

/** Runs `npm start` as a person or a supervisor would, and collects its output. */
function npmStart(flags: string[] = []) {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'info', DEMO: 'false' };
  const npm = spawn('npm', [...flags, 'start'], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(npm, 'exit');
  npm.stderr.resume();
  return { npm, ended, lines: createInterface({ input: npm.stdout }) };
}

/** Waits until no gateway holds the folder. */
async function left(): Promise<void> {
  await expect
    .poll(() => {
      try {
        lockFolder(dataDir).release();
        return true;
      } catch {
        return false;
      }
    })
    .toBe(true);
}

// npm forwards SIGTERM and SIGINT; a SIGHUP ends npm itself.
test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s to npm start ends the gateway in order', async (signal) => {
  const { npm, ended, lines } = npmStart();
  for await (const line of lines) if (line.includes('/graphql')) break;
  npm.kill(signal);
  await ended;
  await left();
  if (signal !== 'SIGHUP') expect(npm.exitCode).toBe(0);
});

// As on Windows, and with any shell that does not `exec`.
test('SIGTERM does so where a shell stays between npm and the gateway', async () => {
  const shell = path.join(dataDir, 'shell');
  await writeFile(shell, '#!/bin/sh\n/bin/sh "$@"\nexit $?\n', { mode: 0o755 });
  const { npm, ended, lines } = npmStart([`--script-shell=${shell}`]);
  for await (const line of lines) if (line.includes('/graphql')) break;
  npm.kill('SIGTERM');
  await ended;
  await left();
});

test('a signal in the middle of a start ends it', async () => {
  const { npm, ended, lines } = npmStart();
  for await (const line of lines) if (line.includes('Opening the database')) break;
  npm.kill('SIGTERM');
  await ended;
  await left();
  expect(npm.exitCode).toBe(0);
});
