import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { moveFiles, restoreFiles } from '../../src/backup/files.ts';
import { readManifest } from '../../src/backup/manifest.ts';
import type { Storage } from '../../src/storage/types.ts';

test('a damaged manifest is named', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-manifest-'));
  try {
    writeFileSync(path.join(folder, 'manifest.json'), '{"format": 1, "id"');
    await expect(readManifest(folder)).rejects.toThrow(/manifest\.json is damaged/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('after a damaged file, no other one is read', async () => {
  let read = 0;
  const content = Buffer.from('a file');
  const storage = {
    async get(key: string) {
      read += 1;
      await sleep(1);
      return key.endsWith('file_0') ? Buffer.from('something else') : content;
    },
  } as unknown as Storage;
  const hash = createHash('sha256').update(content).digest('hex');
  const rows = Array.from({ length: 100 }, (_, index) => ({ id: `file_${index}`, workspaceId: 'wsp', hash }));
  await expect(moveFiles(storage, rows, null)).rejects.toThrow(/is damaged/);
  await sleep(50);
  expect(read).toBeLessThan(20);
});

test.each(['../../secret', '/etc/hostname', 'ab', 'A'.repeat(64), `${'a'.repeat(64)}\n`])(
  'a row whose hash is the path %j restores no file',
  async (hash) => {
    const rows = [{ id: 'fil_1', workspaceId: 'wsp_1', hash }];
    const stored: string[] = [];
    const storage = { put: async (key: string) => void stored.push(key) } as unknown as Storage;
    const restored = restoreFiles(tmpdir(), { count: 1, bytes: 1, missing: [] }, rows, storage);
    await expect(restored).rejects.toThrow('is not the hash of a file');
    expect(stored).toEqual([]);
  },
);
