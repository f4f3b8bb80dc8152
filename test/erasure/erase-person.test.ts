import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { openDatabase } from '../../src/database/client.ts';
import { indexAll } from '../support/conversations/seeded-conversation.ts';
import { fillDataFolder } from '../support/database/data-folder.ts';
import { type Gateway, openGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { filesWith, plantPerson, rowsWith } from '../support/world/canary.ts';

const isEmbedded = inject('template').kind === 'embedded';
const dataDir = mkdtempSync(path.join(tmpdir(), 'parley-erasure-'));
const mark = () => `zq${randomBytes(6).toString('hex')}`;
const erase = `mutation ($input: ErasePersonInput!) { erasePerson(input: $input) { receipt {
  id status deleted sourceIds remains backupsUntil createdAt } } }`;
const receipt = `query ($id: ID!) { erasureReceipt(id: $id) {
  status deleted remains filesDeletedAt indexCleanedAt vacuumedAt checkpointedAt completedAt } }`;

let gateway: Gateway;
let [home, other] = [{} as TestWorkspace, {} as TestWorkspace];
beforeAll(async () => {
  // The embedded database in a folder, since its files are searched.
  if (isEmbedded) fillDataFolder(dataDir);
  const handle = isEmbedded ? await openDatabase({ databaseUrl: null, dataDir }) : undefined;
  gateway = await openGateway({ DATA_DIR: dataDir, BACKUP_RETENTION_DAYS: '30' }, {}, handle);
  [home, other] = [await makeWorkspace(gateway), await makeWorkspace(gateway)];
  await gateway.work();
});
afterAll(async () => {
  await gateway?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

describe('an erased person', () => {
  test('is in no table, in no file of the storage and in no file of the embedded database', async () => {
    const [canary, neighbour, namesake] = [mark(), mark(), mark()];
    const planted = await plantPerson(gateway, home, canary);
    await plantPerson(gateway, home, neighbour);
    await plantPerson(gateway, other, namesake);
    await indexAll(gateway, home.id);
    await indexAll(gateway, other.id);
    await gateway.handle.pool.query('ANALYZE');
    const before = [await rowsWith(gateway, neighbour), await rowsWith(gateway, namesake)];
    expect(Object.keys(await rowsWith(gateway, canary)).length).toBeGreaterThan(15);
    expect(filesWith(dataDir, canary)).not.toEqual([]);

    const { erasePerson } = await gateway.data(home.admin, erase, { input: { email: planted.email.toUpperCase() } });
    const { id, deleted, remains, backupsUntil, createdAt } = erasePerson.receipt;
    expect(deleted).toMatchObject({ leads: 1, conversations: 1, files: 1, evaluationCases: 1, webhookDeliveries: 2 });
    expect(deleted).toMatchObject({ messageAlternatives: 1, pluginCalls: 1, gapQuestions: 2, gapProposals: 1 });
    expect(remains).toEqual([expect.stringContaining('after 30 days')]);
    expect(Date.parse(backupsUntil) - Date.parse(createdAt)).toBe(30 * 86_400_000);
    await gateway.services.queue.idle();

    const { erasureReceipt } = await gateway.data(home.owner, receipt, { id });
    expect(erasureReceipt).toMatchObject({ status: 'completed', deleted });
    for (const time of ['filesDeletedAt', 'indexCleanedAt', 'vacuumedAt', 'checkpointedAt', 'completedAt'])
      expect(erasureReceipt[time]).not.toBeNull();
    expect(await rowsWith(gateway, canary)).toEqual({});
    expect(filesWith(dataDir, canary)).toEqual([]);
    if (!isEmbedded) expect(erasureReceipt.remains.join()).toMatch(/write-ahead log/);
    const after = [await rowsWith(gateway, neighbour), await rowsWith(gateway, namesake)];
    const inTables = (found: Record<string, number>[]) =>
      found.map((each) => ({ ...each, 'pg_catalog.pg_statistic': 0 }));
    expect(inTables(after)).toEqual(inTables(before));
    expect(filesWith(path.join(dataDir, 'files'), neighbour)).toHaveLength(1);
  });
});
