import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openAdminSocket } from '../../../src/auth/admin/admin-socket.ts';
import { openSecrets } from '../../../src/auth/encryption/secrets.ts';
import { openDatabase } from '../../../src/database/client.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { protectFolder } from '../../../src/database/pglite/private-folder.ts';
import { createStorage } from '../../../src/storage/storage.ts';

let base: string;
let before: number;
beforeEach(() => {
  // The user who starts the gateway may have any umask.
  before = process.umask(0);
  base = mkdtempSync(path.join(tmpdir(), 'parley-private-'));
});
afterEach(() => {
  process.umask(before);
  rmSync(base, { recursive: true, force: true });
});

const modeOf = (file: string) => statSync(file).mode & 0o777;
/** Everything in a folder, itself included, that other users may access. */
const wide = (folder: string): string[] =>
  [folder, ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name))].filter(
    (file) => modeOf(file) & 0o077,
  );

const storageKey = `wsp_${'0'.repeat(26)}/fil_${'0'.repeat(26)}`;

async function useFolder(dataDir: string): Promise<string[]> {
  const handle = await openDatabase({ databaseUrl: null, dataDir, template: 'empty' });
  await migrate(handle);
  await openSecrets({ encryptionKeys: null, dataDir, handle });
  await createStorage({ kind: 'folder', folder: path.join(dataDir, 'files') }).put(storageKey, new Uint8Array(3), '');
  const control = await openAdminSocket({ dataDir, operations: {} });
  await handle.client.workspace.upsert({ where: { id: 'w' }, create: { id: 'w', name: 'W' }, update: { name: 'V' } });
  await handle.pool.query('CREATE TABLE IF NOT EXISTS "more" (a int); CHECKPOINT');
  const open = wide(dataDir);
  await control.close();
  await handle.close();
  return [...open, ...wide(dataDir)];
}

describe.skipIf(process.platform === 'win32')('the data folder', () => {
  test('and all that the gateway puts into it are its user’s alone, at a first start and after one that was wide', async () => {
    const dataDir = path.join(base, 'above', 'data');
    expect(await useFolder(dataDir)).toEqual([]);
    expect(modeOf(path.dirname(dataDir))).toBe(0o700);
    expect(protectFolder(dataDir)).toEqual([]);

    for (const name of readdirSync(dataDir, { recursive: true, encoding: 'utf8' })) {
      const file = path.join(dataDir, name);
      chmodSync(file, statSync(file).isDirectory() ? 0o777 : 0o666);
    }
    chmodSync(dataDir, 0o755);
    expect(protectFolder(dataDir)).toEqual([
      { kind: 'tightened', message: `DATA_DIR: ${dataDir} was open to other users (mode 0755) and is now 0700` },
    ]);
    expect(wide(dataDir)).toEqual([]);
    expect(await useFolder(dataDir)).toEqual([]);
  });

  test('that holds other things too is left as it is, and told; what is the gateway’s in it is tightened', () => {
    chmodSync(base, 0o755);
    mkdirSync(path.join(base, 'postgres'), { mode: 0o755 });
    writeFileSync(path.join(base, 'report.pdf'), '', { mode: 0o644 });
    const [notice] = protectFolder(base);
    expect(notice).toEqual({
      kind: 'open',
      message: expect.stringContaining('contains more than the data of the gateway'),
    });
    expect([modeOf(base), modeOf(path.join(base, 'postgres')), modeOf(path.join(base, 'report.pdf'))]).toEqual([
      0o755, 0o700, 0o644,
    ]);
  });

  test('that has a sticky bit, as /tmp, is not closed to others', () => {
    chmodSync(base, 0o1777);
    expect(protectFolder(base)).toEqual([expect.objectContaining({ kind: 'open' })]);
    expect(modeOf(base)).toBe(0o777);
  });

  test('does not lead the gateway to change what a link in it points to', () => {
    const outside = mkdtempSync(path.join(tmpdir(), 'parley-outside-'));
    chmodSync(outside, 0o755);
    symlinkSync(outside, path.join(base, 'files'));
    chmodSync(base, 0o755);
    expect(protectFolder(base)).toEqual([expect.objectContaining({ kind: 'tightened' })]);
    expect(modeOf(outside)).toBe(0o755);
    rmSync(outside, { recursive: true });
  });

  test.runIf(process.getuid?.() !== undefined)('of another user is used as it is, and told', () => {
    chmodSync(base, 0o755);
    const { getuid } = process;
    process.getuid = () => (getuid?.() ?? 0) + 1;
    try {
      expect(protectFolder(base)).toEqual([
        { kind: 'open', message: expect.stringContaining('belongs to another user') },
      ]);
    } finally {
      process.getuid = getuid;
    }
    expect(modeOf(base)).toBe(0o755);
  });

  test('that is not there is made by nobody who only looks', () => {
    expect(protectFolder(path.join(base, 'none'))).toEqual([]);
    expect(readdirSync(base)).toEqual([]);
  });
});
