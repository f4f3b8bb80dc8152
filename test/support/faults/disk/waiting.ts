import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/**
 * A process with an embedded database, in the folder of the first argument, that waits as the second says. Prints what
 * it has stored.
 */
const [dataDir = '', how = '', limitMs = ''] = process.argv.slice(2);
const never = new Int32Array(new SharedArrayBuffer(4));
let syncMs = 0;
for (const name of ['fsyncSync', 'fdatasyncSync'] as const) {
  const sync = fs[name];
  fs[name] = (fd) => {
    if (syncMs > 0) Atomics.wait(never, 0, 0, syncMs);
    sync(fd);
  };
}
syncBuiltinESMExports();

const { DiskWatch } = await import('../../../../src/database/pglite/disk-watch.ts');
const { openDatabase } = await import('../../../../src/database/client.ts');
const diskLimitMs = Number(limitMs);
const { pool, close } = await openDatabase({
  databaseUrl: null,
  dataDir,
  embeddedSync: 'commit',
  migrated: true,
  standstill: { afterMs: Number.POSITIVE_INFINITY, report: () => {}, diskLimitMs },
});
const keep = async (text: string) => {
  await pool.query('INSERT INTO "Kept" VALUES ($1)', [text]);
  process.stdout.write(`${text}\n`);
};
await pool.query('CREATE TABLE IF NOT EXISTS "Kept" ("text" text)');
await keep(`before it ${how}`);
const seconds = (1.5 * diskLimitMs) / 1_000;
if (how === 'hangs') syncMs = Number.POSITIVE_INFINITY;
if (how === 'is slow') syncMs = diskLimitMs / 4;
if (how === 'computes')
  await pool.query(`DO $$ BEGIN WHILE clock_timestamp() < now() + interval '${seconds} s' LOOP END LOOP; END $$`);
if (how === 'syncs many files') {
  const watch = new DiskWatch(diskLimitMs);
  watch.run(() => {
    for (let file = 0; file < 6; file++) {
      Atomics.wait(never, 0, 0, diskLimitMs / 4);
      watch.moved();
    }
  });
  watch.close();
}
for (let at = 1; at < 7; at++) await keep(`${at} while it ${how}`);
syncMs = 0;
await close();
