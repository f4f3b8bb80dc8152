import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../../src/database/client.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { unpack } from '../../../src/database/pglite/embedded-folder.ts';
import { readTemplate, templateFile } from '../../../src/database/pglite/template.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'parley-template-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

test('a new folder begins with every migration, and keeps what is written to it', async () => {
  const open = () => openDatabase({ databaseUrl: null, dataDir, template: 'empty' });
  const first = await open();
  expect(await migrate(first)).toEqual([]);
  await first.client.workspace.create({ data: { id: 'kept', name: 'Kept' } });
  await first.close();
  const second = await open();
  expect(await second.client.workspace.findMany({ select: { name: true } })).toEqual([{ name: 'Kept' }]);
  await second.close();
});

test.each(['empty', 'demo'] as const)(
  '%s is a database that was shut down: its copies have nothing to recover',
  async (name) => {
    unpack((await readTemplate(name)) ?? expect.unreachable(), dataDir);
    // The field `state` of PostgreSQL's pg_control.
    expect(readFileSync(path.join(dataDir, 'global/pg_control')).readUInt32LE(16)).toBe(1);
  },
);

test('what is unpacked is what was packed, for its owner alone', async () => {
  unpack((await readTemplate('demo')) ?? expect.unreachable(), dataDir);
  const packed = execFileSync('tar', ['-tvzf', templateFile('demo')], { encoding: 'utf8' });
  const listed = packed
    .trim()
    .split('\n')
    .map((line) => {
      const [mode = '', , size, , , name = ''] = line.split(/\s+/);
      return mode.startsWith('d') ? name : `${name} ${size}`;
    });
  const found = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).map((name) => {
    const { mode, size } = statSync(path.join(dataDir, name));
    expect([name, mode & 0o077]).toEqual([name, 0]);
    return statSync(path.join(dataDir, name)).isDirectory() ? `/${name}` : `/${name} ${size}`;
  });
  expect(found.sort()).toEqual(listed.sort());
});

test('a file that is missing or damaged is as good as none', async () => {
  const damaged = path.join(dataDir, 'damaged.tar.gz');
  writeFileSync(damaged, readFileSync(templateFile('empty')).subarray(0, 100_000));
  expect([await readTemplate('empty', path.join(dataDir, 'missing')), await readTemplate('empty', damaged)]).toEqual([
    null,
    null,
  ]);
});
