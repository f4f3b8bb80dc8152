import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WalSync } from '../../../src/database/pglite/wal-sync.ts';
import { type Recording, record } from '../../support/faults/disk/record.ts';

let folder: string;
let segment: string;
let recording: Recording;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'parley-wal-'));
  segment = path.join(folder, '000000010000000000000001');
  recording = record(folder);
  vi.useFakeTimers({ toFake: ['setTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
  recording.stop();
  rmSync(folder, { recursive: true, force: true });
});

const syncs = () => recording.log.filter(({ kind }, at) => kind === 'sync' && at > 0).length;
const onFailure = () => {};
const write = (wal: WalSync) => {
  writeFileSync(segment, 'a commit');
  wal.requestSync(segment);
};

test('what may wait is on disk within the time given, together with what came after it', async () => {
  const wal = new WalSync({ syncIntervalMs: 500, onFailure });
  for (let commit = 0; commit < 5; commit++) write(wal);
  expect(syncs()).toBe(0);
  vi.advanceTimersByTime(499);
  expect(syncs()).toBe(0);
  vi.advanceTimersByTime(1);
  await recording.synced(/./);
  expect(syncs()).toBe(1);
  await expect.poll(() => wal.isDue).toBe(false);
});

test('what is written while another sync is under way is synced after it', async () => {
  const wal = new WalSync({ syncIntervalMs: 500, onFailure });
  write(wal);
  vi.advanceTimersByTime(500);
  write(wal);
  await expect.poll(() => vi.getTimerCount()).toBe(1);
  expect(wal.isDue).toBe(true);
  vi.advanceTimersByTime(500);
  await recording.synced(/./);
});

test('what may not wait is on disk when the commit goes on', () => {
  write(new WalSync({ syncIntervalMs: 0, onFailure }));
  expect(syncs()).toBe(1);
});

test('a log that others rely on is on disk when they are written', () => {
  const wal = new WalSync({ syncIntervalMs: 500, onFailure });
  write(wal);
  wal.flush();
  expect(syncs()).toBe(1);
  expect(wal.isDue).toBe(false);
});

test('a sync that fails is told, and not tried again as if nothing had happened', async () => {
  for (const syncIntervalMs of [0, 500]) {
    const failures: unknown[] = [];
    const wal = new WalSync({ syncIntervalMs, onFailure: (error) => void failures.push(error) });
    const demand = () => wal.requestSync(path.join(folder, 'missing'));
    if (syncIntervalMs === 0) expect(demand).toThrow('ENOENT');
    else demand();
    vi.advanceTimersByTime(500);
    await expect.poll(() => failures).toMatchObject([{ code: 'ENOENT' }]);
  }
});

test.for(['fsyncSync', 'writeSync'])(
  'a disk on which %s fails ends the process, which acknowledges nothing more',
  async (name) => {
    vi.useRealTimers();
    const source = (file: string) => JSON.stringify(new URL(`../../../src/${file}`, import.meta.url).href);
    const script = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    import { openEmbedded } from ${source('database/pglite/embedded.ts')};
    const { pool } = await openEmbedded({ dataDir: ${JSON.stringify(folder)} });
    await pool.query('CREATE TABLE "kept" (n int); INSERT INTO "kept" VALUES (1)');
    fs.${name} = () => { throw Object.assign(new Error('broken'), { code: '${name === 'fsyncSync' ? 'EIO' : 'ENOSPC'}' }) };
    syncBuiltinESMExports();
    await pool.query('${name === 'fsyncSync' ? 'CHECKPOINT' : 'INSERT INTO "kept" VALUES (2)'}').catch(() => {});
    await pool.query('SELECT 1');
    console.log('acknowledged');`;
    const env = { ...process.env, NODE_OPTIONS: '--disable-warning=ExperimentalWarning' };
    const ended = await new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
      execFile(process.execPath, ['--input-type=module', '--eval', script], { env }, (error, out, err) =>
        resolve({ code: error?.code ?? 0, out, err }),
      );
    });
    expect(ended).toMatchObject({ code: 1, out: '' });
    expect(ended.err).toContain('the gateway shuts down');
  },
);
