import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test, vi } from 'vitest';

type Child = ChildProcessByStdio<null, Readable, Readable>;

const root = path.join(import.meta.dirname, '../..');
const waiting = { timeout: 30_000, interval: 20 };
const started: Child[] = [];
const made: string[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function precompile(where = root, env: NodeJS.ProcessEnv = {}): Child {
  const child = spawn(process.execPath, [path.join(where, 'scripts/precompile.ts')], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  return child;
}

/** The exit code, and the lines that were said. */
async function outcome(child: Child) {
  const [[code], ...said] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
  return { code, lines: said.join('').split('\n').filter(Boolean) };
}

const cache = path.join(root, 'node_modules/.cache');
mkdirSync(cache, { recursive: true });
const foldersNow = () => readdirSync(cache).filter((name) => name.startsWith('precompile-'));

/** The gateway that the script has started, and its data folder, once it has begun to make a database in there. */
async function starting(child: Child) {
  const before = foldersNow();
  return vi.waitFor(() => {
    const [gateway = ''] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').split(' ');
    const folder = path.join(cache, foldersNow().find((name) => !before.includes(name)) ?? 'none');
    expect(readdirSync(folder)).not.toEqual([]);
    return { gateway: Number(gateway), folder };
  }, waiting);
}

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

test.for(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s ends the gateway and removes its folder', async (signal) => {
  const child = precompile();
  const { gateway, folder } = await starting(child);
  expect(isRunning(gateway)).toBe(true);
  const ended = once(child, 'exit');
  // A terminal and npm may both send it.
  child.kill(signal);
  child.kill(signal);
  expect(await ended).toEqual([null, signal]);
  expect(isRunning(gateway)).toBe(false);
  expect(foldersNow()).not.toContain(path.basename(folder));
});

test('a gateway whose installation was killed ends by itself', async () => {
  const child = precompile();
  const { gateway, folder } = await starting(child);
  made.push(folder);
  child.kill('SIGKILL');
  await vi.waitFor(() => expect(isRunning(gateway)).toBe(false), waiting);
});

test('needs no folder for temporary files', async () => {
  expect(await outcome(precompile(root, { TMPDIR: '/nonexistent' }))).toEqual({ code: 0, lines: [] });
});

test.for<[string, (folder: string) => void]>([
  ['no folder can be made', (folder) => writeFileSync(path.join(folder, 'node_modules'), '')],
  ['the gateway does not start', (folder) => mkdirSync(path.join(folder, 'node_modules'))],
])('an installation goes on where %s', async ([, prepare]) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-precompile-test-'));
  made.push(folder);
  cpSync(path.join(root, 'scripts'), path.join(folder, 'scripts'), { recursive: true });
  prepare(folder);
  const said = await outcome(precompile(folder));
  expect(said).toEqual({ code: 0, lines: [expect.stringMatching(/^The first start may take longer: /)] });
});
