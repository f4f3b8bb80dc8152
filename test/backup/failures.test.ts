import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { moveFiles, restoreFiles } from '../../src/backup/files.ts';
import { readManifest, tableFileOf } from '../../src/backup/manifest.ts';
import { readTableFile } from '../../src/backup/table-file.ts';
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

describe('a table of a backup', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-table-'));
  const whole = gzipSync(randomBytes(200_000));
  const damages: [string, Buffer | null, RegExp][] = [
    ['cut in half', whole.subarray(0, whole.length / 2), /Lead.* is damaged \(unexpected end of file\)/],
    ['empty', Buffer.alloc(0), /Lead.* is damaged/],
    ['something else', Buffer.from('PK and so on'), /Lead.* is damaged \(incorrect header check\)/],
    ['changed in the middle', Buffer.from(whole).fill(7, 100_000, 100_010), /Lead.* is damaged/],
    ['missing', null, /Lead.* is missing/],
  ];
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(damages)('that is %s ends the restore with a sentence, whenever it is read', async (_, bytes, message) => {
    const file = tableFileOf(folder, 'Lead');
    mkdirSync(path.dirname(file), { recursive: true });
    rmSync(file, { force: true });
    if (bytes) writeFileSync(file, bytes);
    const rows = readTableFile(folder, 'Lead');
    await sleep(20);
    await expect(Array.fromAsync(rows)).rejects.toThrow(message);
  });
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
