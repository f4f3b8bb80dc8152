import { afterAll, expect, test } from 'vitest';
import { testDatabase } from './database.ts';

const database = await testDatabase();
afterAll(() => database.close());

test('a test database is migrated and empty', async () => {
  expect(await database.client.workspace.count()).toBe(0);
});
