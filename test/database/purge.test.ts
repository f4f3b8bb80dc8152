import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type DatabaseHandle, openDatabase } from '../../src/database/client.ts';
import { purgeDeletedRows } from '../../src/database/upkeep/purge.ts';
import { testDatabase } from '../support/database/database.ts';

const tables = ['Lead', 'Message'];

let handle: DatabaseHandle;
beforeAll(async () => {
  handle = await testDatabase();
});
afterAll(() => handle.close());

test('deleted rows are vacuumed, and a checkpoint is made', async () => {
  expect(await purgeDeletedRows(handle.pool, tables)).toMatchObject({ vacuumed: true, checkpointed: true });
});

describe.skipIf(inject('template').kind === 'embedded')('a role that may neither vacuum nor make a checkpoint', () => {
  const role = `limited_${randomBytes(4).toString('hex')}`;
  beforeAll(() => handle.pool.query(`CREATE ROLE ${role} LOGIN`));
  afterAll(() => handle.pool.query(`DROP ROLE ${role}`));

  test('is no error, and told', async () => {
    const url = new URL(handle.pool.options.connectionString ?? '');
    url.username = role;
    const limited = await openDatabase({ databaseUrl: url.href, dataDir: '' });
    const { vacuumed, checkpointed, remains } = await purgeDeletedRows(limited.pool, tables);
    await limited.close();
    expect({ vacuumed, checkpointed }).toEqual({ vacuumed: false, checkpointed: false });
    expect(remains.join('\n')).toMatch(/VACUUM was refused.*"Lead".*\n.*CHECKPOINT was refused/);
  });
});
