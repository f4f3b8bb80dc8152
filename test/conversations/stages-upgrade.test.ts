import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DatabaseHandle } from '../../src/database/client.ts';
import { migrate } from '../../src/database/migrate.ts';
import { readUpgrades } from '../../src/database/migrations.ts';
import { testDatabase } from '../support/database/database.ts';

const upgrade = readUpgrades().findIndex(({ name }) => name.endsWith('_reached_stages'));
let handle: DatabaseHandle;

/** A database from before stages were kept. */
beforeAll(async () => {
  handle = await testDatabase();
  await handle.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public;');
  await migrate(handle, { migrations: readUpgrades().slice(0, upgrade) });
});
afterAll(() => handle.close());

test('older conversations have reached what is known of them, and newer ones go on from there', async () => {
  const { pool } = handle;
  await pool.query(`INSERT INTO "Workspace" ("id", "name", "updatedAt") VALUES ('w', 'W', now())`);
  await pool.query(
    `INSERT INTO "Agent" ("workspaceId", "id", "name", "createdBy", "updatedBy", "updatedAt")
     VALUES ('w', 'a', 'A', 'u', 'u', now())`,
  );
  await pool.query(
    `INSERT INTO "Channel" ("workspaceId", "id", "agentId", "platform", "credentialsCipher", "createdBy", "updatedBy", "updatedAt")
     VALUES ('w', 'c', 'a', 'api', '', 'u', 'u', now())`,
  );
  const insert = (id: string, stage: string, updatedAt: string) =>
    pool.query(
      `INSERT INTO "Conversation" ("workspaceId", "id", "agentId", "channelId", "stage", "createdAt", "updatedAt")
       VALUES ('w', $1, 'a', 'c', $2, '2026-01-01T00:00:00Z', $3)`,
      [id, stage, updatedAt],
    );
  await insert('cnv_new', 'identify', '2026-01-02T00:00:00Z');
  await insert('cnv_done', 'completed', '2026-01-01T01:00:00Z');
  await insert('cnv_odd', 'handoff', '2025-12-31T00:00:00Z');
  await migrate(handle, { migrations: readUpgrades().slice(0, upgrade + 1) });
  const stages = async () => {
    const { rows } = await pool.query(
      `SELECT "conversationId" || ' ' || "stage" || ' ' || "elapsed" AS of FROM "ReachedStage" ORDER BY 1`,
    );
    return rows.map(({ of }) => of);
  };
  const known = [
    'cnv_done completed 3600',
    'cnv_done identify 0',
    'cnv_new identify 0',
    'cnv_odd handoff 0',
    'cnv_odd identify 0',
  ];
  expect(await stages()).toEqual(known);
  const set = (id: string, stage: string) =>
    pool.query(
      `UPDATE "Conversation" SET "stage" = $2, "updatedAt" = '2026-02-01T00:00:00Z' WHERE "workspaceId" = 'w' AND "id" = $1`,
      [id, stage],
    );
  await set('cnv_done', 'identify');
  await set('cnv_done', 'completed');
  expect(await stages()).toEqual(known);
  await set('cnv_new', 'qualify');
  expect(await stages()).toEqual([...known, 'cnv_new qualify 2678400'].sort());
});
