import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { syncTogether } from '../../../src/core/sync/sync-together.ts';
import { openEmbedded } from '../../../src/database/pglite/embedded.ts';
import { readTemplate } from '../../../src/database/pglite/template.ts';
import { isControl } from '../../faults/power-cut.ts';
import type { Entry } from '../../support/faults/disk/log.ts';
import { record } from '../../support/faults/disk/record.ts';

const isTable = (name: string) => /^\d+$/.test(name);

/** The last writes to files that have not been synced since. */
function unsynced(log: Entry[]): Entry[] {
  const writes = new Map<number, Entry>();
  for (const entry of log) {
    if (entry.kind === 'write') writes.set(entry.item, entry);
    if (entry.kind === 'sync') writes.delete(entry.item);
  }
  return [...writes.values()];
}

const folder = () => mkdtempSync(join(tmpdir(), 'parley-sync-'));

test('a checkpoint of many files syncs them at once, all before it is valid', async () => {
  const dataDir = folder();
  const { pool, close } = await openEmbedded({ dataDir, template: () => readTemplate('empty') });
  const recording = record(dataDir);
  onTestFinished(async () => {
    recording.stop();
    await close();
  });
  for (let at = 0; at < 30; at++) await pool.query(`CREATE TABLE of_many_${at} AS SELECT ${at} AS number`);
  recording.mark('begun');
  const threads = recording.threads();
  await pool.query('CHECKPOINT');
  const { log } = recording;
  const names = new Map(log.flatMap((entry) => (entry.kind === 'create' ? [[entry.item, entry.name]] : [])));
  const nameOf = (entry: Entry) => ('item' in entry ? (names.get(entry.item) ?? '') : '');
  const begun = log.findIndex((entry) => entry.kind === 'mark');
  const valid = log.findIndex((entry, at) => at > begun && entry.kind === 'write' && isControl(nameOf(entry)));
  expect(unsynced(log.slice(0, begun)).map(nameOf).filter(isTable).length).toBeGreaterThan(30);
  expect(unsynced(log.slice(0, valid)).map(nameOf).filter(isTable)).toEqual([]);
  expect(recording.threads() - threads).toBe(1);
});

test('files that are gone are skipped, and an error is that of the sync', () => {
  const [dir, files] = [folder(), Array.from({ length: 50 }, (_, at) => `file-${at}`)];
  for (const name of files) writeFileSync(join(dir, name), name);
  const paths = files.map((name) => join(dir, name));
  expect(() => syncTogether([...paths, join(dir, 'gone')])).not.toThrow();
  expect(() => syncTogether([...paths, dir])).toThrow(/EISDIR/);
});
