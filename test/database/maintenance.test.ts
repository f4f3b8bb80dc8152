import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Embedded, openEmbedded } from '../../src/database/pglite/embedded.ts';
import { sizeOf } from '../../src/database/pglite/folder-size.ts';
import type { Pool } from '../../src/database/pool.ts';
import { checkpoint, isIdle, vacuumChanged } from '../../src/database/upkeep/maintenance.ts';

const megabyte = 2 ** 20;
const writeLog = (pool: Pool, megabytes: number) =>
  pool.query(
    `SELECT pg_logical_emit_message(false, '', repeat('x', ${megabyte})) FROM generate_series(1, ${megabytes})`,
  );
/** The same database, with a client waiting for it. */
const busy = (pool: Pool): Pool =>
  new Proxy(pool, {
    get(target, key) {
      if (key === 'waitingCount') return 1;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

describe.skipIf(process.env.TEST_DATABASE_URL)('the upkeep of the embedded database', () => {
  let dataDir: string;
  let database: Embedded;
  beforeAll(async () => {
    dataDir = mkdtempSync(path.join(tmpdir(), 'parley-upkeep-'));
    database = await openEmbedded({ dataDir });
  });
  afterAll(async () => {
    await database.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test('makes a checkpoint when there is enough log, of more while somebody waits', async () => {
    const { pool } = database;
    expect(await checkpoint(pool)).toBeNull();
    await writeLog(pool, 17);
    expect(await checkpoint(busy(pool))).toBeNull();
    expect(await checkpoint(pool)).toMatchObject({ what: 'CHECKPOINT' });
    expect(await checkpoint(pool)).toBeNull();
    await writeLog(pool, 65);
    expect(await checkpoint(busy(pool))).toMatchObject({ what: 'CHECKPOINT' });
  });

  test('keeps the folder from growing with what is written over', async () => {
    const { pool } = database;
    await pool.query(
      `CREATE TABLE "over" (t text); INSERT INTO "over" SELECT repeat('x', 1000) FROM generate_series(1, 2000)`,
    );
    const sizes: number[] = [];
    for (let round = 0; round < 8; round++) {
      await pool.query('UPDATE "over" SET t = t');
      await vacuumChanged(pool);
      await writeLog(pool, 17);
      await checkpoint(pool);
      sizes.push((await sizeOf(dataDir)).total);
    }
    expect(sizes.at(-1)).toBe(sizes.at(4));
  });

  test('frees the room of rows that are gone, not while somebody waits, unless they are most of a table', async () => {
    const { pool } = database;
    await pool.query(
      `CREATE TABLE "gone" (n int); CREATE INDEX ON "gone" (n); INSERT INTO "gone" SELECT generate_series(1, 1000)`,
    );
    await vacuumChanged(pool);
    expect(await vacuumChanged(pool)).toEqual([]);
    await pool.query('UPDATE "gone" SET n = n + 1');
    expect(await vacuumChanged(busy(pool))).toEqual([]);
    expect(await vacuumChanged(pool)).toEqual([{ what: 'VACUUM public.gone', ms: expect.any(Number) }]);
    for (let times = 0; times < 12; times++) await pool.query('UPDATE "gone" SET n = n + 1');
    expect(await vacuumChanged(busy(pool))).toMatchObject([{ what: 'VACUUM public.gone' }]);
  });

  test('vacuums a large table before many rows are dead: requests wait for a vacuum', async () => {
    const { pool } = database;
    await pool.query('CREATE TABLE "large" (n int); INSERT INTO "large" SELECT generate_series(1, 200000)');
    await vacuumChanged(pool);
    const change = (from: number, to: number) =>
      pool.query('UPDATE "large" SET n = -n WHERE n BETWEEN $1 AND $2', [from, to]);
    await change(1, 19_000);
    expect(await vacuumChanged(pool)).toEqual([]);
    await change(19_001, 22_000);
    expect(await vacuumChanged(pool)).toMatchObject([{ what: 'VACUUM public.large' }]);
    await change(22_001, 63_000);
    expect(await vacuumChanged(busy(pool))).toMatchObject([{ what: 'VACUUM public.large' }]);
  });

  test('takes the database for idle when nobody uses it', async () => {
    const { pool } = database;
    expect(isIdle(pool)).toBe(true);
    const client = await pool.connect();
    expect(isIdle(pool)).toBe(false);
    client.release();
    expect(isIdle(pool)).toBe(true);
  });

  test('tells the size of the folder, of the log in it, and of what is free on its disk', async () => {
    const { total, log, free } = await sizeOf(dataDir);
    expect(log % (16 * megabyte)).toBe(0);
    expect(total).toBeGreaterThan(log);
    expect(free).toBeGreaterThan(0);
  });
});
