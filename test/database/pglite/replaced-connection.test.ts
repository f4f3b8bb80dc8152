import { expect, onTestFinished, test } from 'vitest';
import { testDatabase } from '../../support/database/database.ts';

test('a connection that takes the place of a dropped one prepares its statements anew, outside of its transaction', async () => {
  const { pool, close } = await testDatabase();
  onTestFinished(close);
  const statement = { name: 'same', text: "SELECT pg_current_xact_id_if_assigned() IS NULL AS outside, 'a' AS said" };
  const dropped = await pool.lease('write');
  await dropped.client.query('BEGIN');
  await dropped.client.query('CREATE TABLE left_open ()');
  await dropped.client.query(statement);
  dropped.release(true);
  const next = await pool.lease('write');
  onTestFinished(() => void next.release());
  expect(next.client).not.toBe(dropped.client);
  const { rows } = await next.client.query({ ...statement, text: statement.text.replace("'a'", "'b'") });
  expect(rows).toEqual([{ outside: true, said: 'b' }]);
});
