import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DatabaseHandle } from '../../../src/database/client.ts';
import { databaseError } from '../../../src/database/errors.ts';
import { borrowDatabase } from '../../support/database/shared-database.ts';

let handle: DatabaseHandle;
beforeAll(async () => {
  handle = await borrowDatabase();
});
afterAll(() => handle.close());

/** Errors as a coordinator of Citus passes them on: with the names of shards, and in their text and detail alone. */
const cases: [string, sqlState: string, message: string, detail: string, told: object][] = [
  [
    'a reference to nothing',
    '23503',
    'insert or update on table "Lead_102059" violates foreign key constraint "Lead_workspaceId_agentId_fkey_102059"',
    'Key (workspaceId, agentId)=(w, a) is not present in table "Agent_102012".',
    { code: 'not_found', message: 'Agent not found.' },
  ],
  [
    'a row that is in use',
    '23503',
    'update or delete on table "Agent_102012" violates foreign key constraint "Lead_workspaceId_agentId_fkey_102059" on table "Lead_102059"',
    'Key (workspaceId, id)=(w, a) is still referenced from table "Lead_102059".',
    { code: 'conflict', message: expect.stringContaining('is still in use by a lead.') },
  ],
  [
    'a duplicate',
    '23505',
    'duplicate key value violates unique constraint "Field_workspaceId_nameKey_key_102031"',
    'Key (workspaceId, nameKey)=(w, city) already exists.',
    { code: 'conflict', message: 'A field with this name already exists.' },
  ],
  ['a connection to a node that is lost', 'XX000', 'SSL SYSCALL error: EOF detected', '', { code: 'unavailable' }],
  [
    'a node that is gone',
    '08006',
    'connection to the remote node postgres@10.0.0.2:5432 failed with the following error: Connection refused',
    '',
    { code: 'unavailable' },
  ],
];

describe('a failure in a shard is told as that of its table', () => {
  test.for(cases)('%s', async ([, state, message, detail, told]) => {
    const raise = `DO $$ BEGIN RAISE EXCEPTION '${message}' USING ERRCODE = '${state}', DETAIL = '${detail}'; END $$`;
    for (const attempt of [() => handle.pool.query(raise), () => handle.client.$executeRawUnsafe(raise)]) {
      const error = await Promise.resolve(attempt()).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(databaseError(error)).toMatchObject(told);
    }
  });
});

test('the names of constraints leave room for the numbers of shards', async () => {
  const { rows } = await handle.pool.query(
    `SELECT conname FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND octet_length(conname) > 63 - length('_102059')`,
  );
  expect(rows).toEqual([]);
});
