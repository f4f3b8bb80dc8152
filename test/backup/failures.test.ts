import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { moveFiles, restoreFiles } from '../../src/backup/files.ts';
import { checksumOf, fileOf, readManifest, tableFileOf } from '../../src/backup/manifest.ts';
import { readTableFile } from '../../src/backup/restore.ts';
import { RowHash } from '../../src/database/copy/row-hash.ts';
import type { Storage } from '../../src/storage/types.ts';

describe('a manifest', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-manifest-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const whole: Record<string, any> = {
    format: 1,
    id: 'one',
    createdAt: '2026-01-02T03:04:05.000Z',
    database: 'embedded',
    migrations: [{ name: '2026_one', checksum: 'x' }],
    tables: [{ name: 'Agent', columns: ['id'], rows: 1, hash: 'x' }],
    sequences: [{ name: 'one_seq', value: '1' }],
    files: { count: 1, bytes: 1, missing: [] },
  };
  const read = (text: string) => {
    writeFileSync(path.join(folder, 'manifest.json'), text);
    return readManifest(folder);
  };

  /** Without each of its parts, and with something else in its place. */
  function* alterations(value: any): Generator<unknown> {
    if (typeof value !== 'object' || value === null) return;
    for (const key of Object.keys(value)) {
      const change = (other: unknown) =>
        Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other };
      for (const other of [undefined, -1.5, true, [[]], { other: 1 }]) yield change(other);
      for (const inner of alterations(value[key])) yield change(inner);
    }
  }

  const sealed = { ...whole, checksum: checksumOf(whole) };

  test('is read as it was written, however it is spaced, and without a checksum as older versions write it', async () => {
    expect(await read(JSON.stringify(sealed, null, 1))).toEqual(sealed);
    expect(await read(JSON.stringify(sealed))).toEqual(sealed);
    expect(await read(JSON.stringify(whole))).toEqual(whole);
  });

  /** With another value of the same kind in each place. */
  function* changes(value: any): Generator<unknown> {
    if (typeof value === 'string') yield /^\d+$/.test(value) ? String(Number(value) + 1) : `${value}0`;
    else if (typeof value === 'number') yield value + 1;
    else if (Array.isArray(value)) {
      if (value.length > 0) yield value.slice(1);
      yield [...value, ...(value.length > 0 ? value.slice(0, 1) : ['more'])];
      for (const [index, item] of value.entries()) for (const other of changes(item)) yield value.with(index, other);
    } else {
      yield { ...value, unknown: 1 };
      for (const key of Object.keys(value)) for (const other of changes(value[key])) yield { ...value, [key]: other };
    }
  }

  test('is damaged if any value of it was changed, added or left out', async () => {
    const altered = [...changes(sealed)];
    expect(altered.length).toBeGreaterThan(20);
    for (const one of altered)
      await expect(read(JSON.stringify(one)), JSON.stringify(one)).rejects.toThrow(/manifest\.json is damaged/);
  });

  test('is damaged without any part of it, with another in its place, and cut anywhere', async () => {
    const text = JSON.stringify(whole);
    const cut = Array.from({ length: text.length }, (_, length) => text.slice(0, length));
    const altered = [...alterations(whole)].map((other) => JSON.stringify(other));
    expect(altered.length).toBeGreaterThan(80);
    for (const one of [
      ...altered,
      ...cut,
      'null',
      '[]',
      JSON.stringify({ ...whole, tables: [{ ...whole.tables[0], name: '../x' }] }),
      // Older backups have no checksum, which would tell of what is named twice.
      ...['tables', 'migrations', 'sequences'].map((part) => {
        return JSON.stringify({ ...whole, [part]: [...whole[part], { ...whole[part][0], rows: 2, value: '2' }] });
      }),
    ])
      await expect(read(one), one).rejects.toThrow(/manifest\.json is damaged/);
  });
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

describe('a file of a backup', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-files-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const content = Buffer.from('a file');
  const hash = createHash('sha256').update(content).digest('hex');

  test.each<[string, Buffer | null, RegExp]>([
    ['missing', null, /files.* is missing\.$/],
    ['empty', Buffer.alloc(0), /files.* is damaged\.$/],
    ['cut', content.subarray(1), /files.* is damaged\.$/],
  ])('that is %s is named, and not stored', async (_, bytes, message) => {
    const file = fileOf(folder, hash);
    mkdirSync(path.dirname(file), { recursive: true });
    rmSync(file, { force: true });
    if (bytes) writeFileSync(file, bytes);
    const stored: string[] = [];
    const storage = { put: async (key: string) => void stored.push(key) } as unknown as Storage;
    const rows = [{ id: `fil_${'0'.repeat(26)}`, workspaceId: `wsp_${'0'.repeat(26)}`, hash }];
    await expect(restoreFiles(folder, { count: 1, bytes: 1, missing: [] }, rows, storage)).rejects.toThrow(message);
    expect(stored).toEqual([]);
  });
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

test.each<[string, (file: string) => void]>([
  ['a folder', (file) => mkdirSync(file)],
  ['a link to a device', (file) => symlinkSync('/dev/null', file)],
])('what is %s in the place of a file of a backup is not read', async (_, make) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-places-'));
  const hash = createHash('sha256').update('').digest('hex');
  const rows = [{ id: 'fil_1', workspaceId: 'wsp_1', hash }];
  const storage = { put: async () => {} } as unknown as Storage;
  const reads: [string, () => Promise<unknown>][] = [
    [path.join(folder, 'manifest.json'), () => readManifest(folder)],
    [tableFileOf(folder, 'Lead'), () => Array.fromAsync(readTableFile(folder, 'Lead'))],
    [fileOf(folder, hash), () => restoreFiles(folder, { count: 1, bytes: 0, missing: [] }, rows, storage)],
  ];
  for (const [file, read] of reads) {
    mkdirSync(path.dirname(file), { recursive: true });
    make(file);
    await expect(read(), file).rejects.toThrow(`${file} is not a file`);
  }
  rmSync(folder, { recursive: true });
});

test('a row without an end is refused before memory is full of it', () => {
  const rows = new RowHash(1_000);
  for (let sent = 0; sent < 1_000; sent += 100) rows.add(Buffer.alloc(100, 'a'));
  expect(() => rows.add(Buffer.alloc(100, 'a'))).toThrow('A row has more than 1,000 bytes');
});
