import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { lockFolder } from '../../src/database/pglite/folder-lock.ts';

const root = path.join(import.meta.dirname, '../..');
const folders: string[] = [];
const makeFolder = () => {
  folders.push(mkdtempSync(path.join(tmpdir(), 'parley-first-')));
  return folders.at(-1) ?? '';
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
const environment = (dataDir: string, more: object = {}) => ({
  PATH: `${path.join(root, 'node_modules/.bin')}${path.delimiter}${process.env.PATH}`,
  HOME: process.env.HOME,
  TERM: 'xterm',
  DATA_DIR: dataDir,
  PORT: '0',
  ...more,
});

/** Runs `npm start` in a terminal, which `script` makes; `until`: text after which it gets Ctrl-C. */
async function inTerminal(env: NodeJS.ProcessEnv, until: RegExp): Promise<string> {
  const child: ChildProcess = spawn('script', ['-qefc', 'npm start', '/dev/null'], { cwd: root, env });
  let written = '';
  let stopped = false;
  child.stdout?.on('data', (chunk: Buffer) => {
    written += chunk;
    if (stopped || !until.test(written)) return;
    stopped = true;
    // Long enough for what a gateway logs once it serves.
    setTimeout(() => child.stdin?.write('\u0003'), 3_000);
  });
  await new Promise((resolve) => child.once('exit', resolve));
  return written;
}

/** What a terminal shows: of a line that was rewritten, the last text. */
const shown = (written: string) =>
  written
    .replace(/\r+\n/g, '\n')
    .split('\n')
    .map((line) => line.split('\r\u001b[K').at(-1) ?? '');

describe.skipIf(!existsSync('/usr/bin/script'))('in a terminal (left out where `script` is not)', () => {
  test('the first start prints at most 15 lines: what was done, and where everything is', async () => {
    const written = await inTerminal(environment(makeFolder()), /To stop/);
    const lines = shown(written.slice(0, written.indexOf('Ctrl-C') + 'Ctrl-C'.length));
    expect(lines.length).toBeLessThanOrEqual(15);
    const own = lines.slice(lines.findIndex((line) => line.startsWith('Database ready')));
    expect(own[0]).toMatch(/^Database ready, [\d.]+ s$/);
    expect(own[1]).toMatch(/^Parley is ready at http:\/\/127\.0\.0\.1:\d+$/);
    for (const name of ['GraphiQL', 'Reference', 'Docs', 'Dashboards', 'A token', 'Data', 'Model', 'To stop']) {
      expect(own.filter((line) => line.startsWith(`  ${name} `))).toHaveLength(1);
    }
    const after = written.slice(written.indexOf('Ctrl-C') + 'Ctrl-C'.length);
    expect(after).not.toMatch(/INFO|"level"/);
  }, 180_000);
});

/** Runs a start that fails; returns the reason that it tells. */
async function failure(env: NodeJS.ProcessEnv, imports: string[] = []): Promise<string> {
  const loaded = imports.flatMap((source) => ['--import', `data:text/javascript,${encodeURIComponent(source)}`]);
  const child = execFile(process.execPath, [...loaded, 'src/main.ts'], { cwd: root, env });
  if (!child.stdout) throw new Error('no output');
  const lines = (await text(child.stdout)).trim().split('\n');
  expect(lines.filter((line) => line.includes('"fatal"'))).toHaveLength(1);
  const { reason } = JSON.parse(lines.at(-1) ?? '');
  return reason;
}

test('a start whose folder another process holds ends with what to do', async () => {
  const folder = makeFolder();
  const lock = lockFolder(folder);
  const reason = await failure(environment(folder));
  lock.release();
  expect(reason).toContain(`is in use by the process ${process.pid}`);
  expect(reason).toMatch(/stop that process, or set DATA_DIR to another folder/);
  expect(reason).not.toContain('\n');
});

test.each(['writeSync', 'writeFileSync', 'openSync'])(
  'a start on a full disk (%s) ends with what to do',
  async (name) => {
    const full = `import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const own = fs.${name};
    const isData = (path) => ${name === 'writeSync'} || String(path).includes('parley-first-');
    fs.${name} = (path, ...given) => {
      const writes = ${name === 'openSync'} ? /[wax]/.test(String(given[0])) || given[0] & 3 : true;
      if (writes && isData(path) && path !== 1 && path !== 2) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      return own(path, ...given);
    };
    syncBuiltinESMExports();`;
    const reason = await failure(environment(makeFolder()), [full]);
    expect(reason).toBe('The disk is full: free some space, or set DATA_DIR to a folder on another disk.');
  },
);

/** A disk in memory of so many KB. Null: only root on Linux can make one. */
function makeDisk(kilobytes: number): string | null {
  const folder = makeFolder();
  const size = `size=${kilobytes}k,mode=755`;
  return spawnSync('mount', ['-t', 'tmpfs', '-o', size, 'tmpfs', folder]).status === 0 ? folder : null;
}

test.each([4, 12, 4_096, 35_000])(
  'a start on a disk of %i KB ends with what to do, wherever it is full',
  async (kilobytes) => {
    const disk = makeDisk(kilobytes);
    if (!disk) return;
    try {
      const reason = await failure(environment(path.join(disk, 'data'), { TMPDIR: tmpdir() }));
      expect(reason).toBe('The disk is full: free some space, or set DATA_DIR to a folder on another disk.');
    } finally {
      spawnSync('umount', ['--lazy', disk]);
    }
  },
);

test('an old Node ends with what to do', async () => {
  const old = "Object.defineProperty(process.versions, 'node', { value: '20.19.0' });";
  const args = ['--import', `data:text/javascript,${encodeURIComponent(old)}`, 'scripts/node-version.js'];
  const child = execFile(process.execPath, args, { cwd: root });
  if (!child.stderr) throw new Error('no output');
  const said = await text(child.stderr);
  expect(said).toMatch(/^Parley needs Node [\d.]+ or newer, and this is 20\.19\.0: run `npm ci`.*\n$/);
});
