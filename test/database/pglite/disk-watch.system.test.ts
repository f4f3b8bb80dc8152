import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { openDatabase } from '../../../src/database/client.ts';

const limitMs = 3_000;
const script = path.join(import.meta.dirname, '../../support/faults/disk/waiting.ts');
const folder = mkdtempSync(path.join(tmpdir(), 'parley-disk-watch-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a process whose disk or database takes long, and reads what is in its folder afterwards. */
async function run(how: string) {
  const dataDir = path.join(folder, how.replaceAll(' ', '-'));
  const child = spawn(process.execPath, [script, dataDir, how, String(limitMs)], { stdio: ['ignore', 'pipe', 'pipe'] });
  const reading = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  const [stored, told, [code, signal]] = await reading;
  const { pool, close } = await openDatabase({ databaseUrl: null, dataDir });
  const { rows } = await pool.query<{ text: string }>('SELECT "text" FROM "Kept"');
  await close();
  return { code, signal, told, stored: stored.trim().split('\n'), kept: rows.map((row) => row.text) };
}

test('a disk that does not answer ends the gateway, which has what it has acknowledged', async () => {
  const { signal, told, stored, kept } = await run('hangs');
  expect(signal).toBe('SIGKILL');
  expect(told).toContain('The disk of the embedded database has not answered for 3 s, and the gateway ends');
  expect(stored).toEqual(['before it hangs']);
  expect(kept).toEqual(expect.arrayContaining(stored));
});

test.each(['is slow', 'computes', 'syncs many files'])(
  'one that %s for longer, while its disk answers, goes on',
  async (how) => {
    const { code, told, stored, kept } = await run(how);
    expect([code, told]).toEqual([0, '']);
    expect(stored).toHaveLength(7);
    expect(kept).toEqual(stored);
  },
);
