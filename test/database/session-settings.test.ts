import { expect, test } from 'vitest';
import { closePostgres, openPostgres } from '../../src/database/postgres.ts';
import { testDatabase } from '../support/database/database.ts';

test.runIf(process.env.TEST_DATABASE_URL)(
  'settings of the database do not change what values and texts mean',
  async () => {
    const { pool, close } = await testDatabase();
    const { connectionString } = pool.options as { connectionString?: string };
    const { rows } = await pool.query<{ name: string }>('SELECT current_database() AS name');
    for (const setting of ["DateStyle = 'SQL, DMY'", 'standard_conforming_strings = off', "TimeZone = 'Asia/Tokyo'"]) {
      await pool.query(`ALTER DATABASE "${rows[0]?.name}" SET ${setting}`);
    }
    const opened = await openPostgres(connectionString ?? '');
    const found = await opened.pool.query(`SELECT '2026-02-01T00:00:00Z'::timestamptz::text AS moment, 'a\\b' AS text`);
    expect(found.rows).toEqual([{ moment: '2026-02-01 00:00:00+00', text: 'a\\b' }]);
    await closePostgres(opened);
    await close();
  },
);
