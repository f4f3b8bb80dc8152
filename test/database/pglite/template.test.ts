import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../../src/database/client.ts';
import { migrate } from '../../../src/database/migrate.ts';
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

test('a file that is missing or damaged is as good as none', async () => {
  const damaged = path.join(dataDir, 'damaged.tar.gz');
  writeFileSync(damaged, readFileSync(templateFile('empty')).subarray(0, 100_000));
  expect([await readTemplate('empty', path.join(dataDir, 'missing')), await readTemplate('empty', damaged)]).toEqual([
    null,
    null,
  ]);
});
