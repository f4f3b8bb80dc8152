import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { amcheck } from '@electric-sql/pglite/contrib/amcheck';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type DatabaseHandle, openDatabase } from '../../../src/database/client.ts';
import { extensions } from '../../../src/database/pglite/extensions.ts';
import { checksumOf, clearHoles } from '../../../src/database/pglite/page-holes.ts';
import { purgeDeletedRows } from '../../../src/database/upkeep/purge.ts';
import { fillDataFolder } from '../../support/database/data-folder.ts';
import { filesWith } from '../../support/world/canary.ts';

const dataDir = mkdtempSync(path.join(tmpdir(), 'parley-holes-'));
const postgres = path.join(dataDir, 'postgres');
const pageSize = 8_192;

/** Leads whose texts contain a mark: in rows, in values that are stored outside of them, and in keys of indexes. */
const makeLeads = (mark: string) => `
  INSERT INTO "Lead" (id, "workspaceId", "name", "email", "searchText", "custom", "updatedAt")
  SELECT '${mark}_' || n, 'wsp_holes', '${mark} ' || n, '${mark}' || n || '@example.com', '${mark} ' || n,
    jsonb_build_object('note', '${mark} ' || n, 'long', CASE WHEN n % 50 = 0 THEN '${mark} ' || (
      SELECT string_agg(md5(n || ' ' || part), '') FROM generate_series(1, 300) AS part) END), now()
  FROM generate_series(1, 3000) AS n`;

test('free space of a page is cleared, and not what an index keeps where other pages have none', () => {
  const fresh = (lower: number, special: number) => {
    const page = Buffer.alloc(pageSize, 'x');
    for (const [at, value] of [
      [8, 0],
      [12, lower],
      [14, special],
      [16, special],
      [18, pageSize | 4],
    ] as const)
      page.writeUInt16LE(value, at);
    clearHoles(page, 0, 0);
    return page.subarray(24, pageSize - 16).includes('xxxx');
  };
  const [header, withItems, withoutSpecial] = [24, 4_000, pageSize];
  const emptyOfTable = fresh(header, withoutSpecial);
  const ofMap = fresh(header, pageSize - 8);
  const ofIndex = fresh(withItems, pageSize - 16);
  expect({ emptyOfTable, ofMap, ofIndex }).toEqual({ emptyOfTable: false, ofMap: true, ofIndex: true });
});

describe.skipIf(inject('template').kind !== 'embedded')('the pages of the embedded database', () => {
  let handle: DatabaseHandle;
  beforeAll(async () => {
    fillDataFolder(dataDir);
    handle = await openDatabase({ databaseUrl: null, dataDir });
    await handle.client.workspace.create({ data: { id: 'wsp_holes', name: 'Holes' } });
  });
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  test('contain nothing of deleted rows, of tables that are too large to be rewritten too', async () => {
    const { pool } = handle;
    await pool.query(makeLeads('zqkept'));
    await pool.query(makeLeads('zqgone'));
    // Between checkpoints, so that pages are written in each state.
    await pool.query('CHECKPOINT');
    await pool.query(`UPDATE "Lead" SET "name" = 'Nobody', "updatedAt" = now() WHERE "name" LIKE 'zqgone%'`);
    await pool.query('ANALYZE; CHECKPOINT');
    expect(filesWith(dataDir, 'zqgone')).not.toEqual([]);
    await pool.query(`DELETE FROM "Lead" WHERE "email" LIKE 'zqgone%'`);
    // Their ids, which are no personal data, stay in the events.
    await pool.query('TRUNCATE "OutboxEvent" CASCADE; TRUNCATE "AuditEntry"');
    const purged = await purgeDeletedRows(pool, ['Lead', 'OutboxEvent', 'AuditEntry'], { maxTable: 0 });
    expect(purged).toEqual({ vacuumed: true, checkpointed: true, remains: [] });
    expect(filesWith(dataDir, 'zqgone ')).toEqual([]);
    expect(filesWith(dataDir, 'zqgone1')).toEqual([]);
    expect(filesWith(dataDir, 'zqkept ')).not.toEqual([]);
    const { rows } = await pool.query(`SELECT count(*)::int AS count FROM "Lead" WHERE "searchText" LIKE '%zqkept%'`);
    expect(rows).toEqual([{ count: 3_000 }]);
  });

  test('large indexes that are not rebuilt are named', async () => {
    const { remains } = await purgeDeletedRows(handle.pool, ['Lead'], { maxTable: 0, maxIndex: 0 });
    expect(remains).toEqual([
      expect.stringMatching(/^Inner pages of large indexes .*Lead_workspaceId_email_idx.* REINDEX/),
    ]);
    expect(remains.join()).not.toContain('Lead_workspaceId_createdAt_id_idx');
  });

  test('have the checksums that PostgreSQL computes, and indexes are whole', async () => {
    await handle.close();
    const folder = path.join(postgres, 'base');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /[/\\]\d+$/.test(name));
    let pages = 0;
    for (const file of files) {
      const bytes = readFileSync(path.join(folder, file));
      for (let start = 0; start < bytes.length; start += pageSize) {
        const page = bytes.subarray(start, start + pageSize);
        if (page.readUInt16LE(8) === 0) continue;
        expect(checksumOf(page, start / pageSize)).toBe(page.readUInt16LE(8));
        pages += 1;
      }
    }
    expect(pages).toBeGreaterThan(1_000);
    const lite = await PGlite.create({ dataDir: postgres, extensions: { ...extensions, amcheck } });
    await lite.exec('CREATE EXTENSION amcheck');
    const { rows } = await lite.query<{ count: number }>(`SELECT count(*)::int AS count FROM (
      SELECT bt_index_check(c.oid, true) FROM pg_class c JOIN pg_am am ON am.oid = c.relam
      WHERE am.amname = 'btree' AND c.relkind = 'i' AND c.relpersistence = 'p' OFFSET 0) AS checked`);
    expect(rows[0]?.count).toBeGreaterThan(200);
    await lite.close();
  });
});
