import type pg from 'pg';
import { MigrationError } from '../migrate.ts';
import { loadingSchema } from './load.ts';

/** The key of the advisory lock that a move of a PostgreSQL database holds. */
export const moveLock = 72_707_371;
/** Exists in a database whose data was moved to another one. */
export const movedTable = 'parley_moved';

/** The function of the triggers that refuse writes to such a database. */
export const movedRefusal = `${movedTable}_refusal`;
/** The statements that make such a database usable again. */
const reopening = `DROP TABLE ${movedTable}; DROP FUNCTION ${movedRefusal} CASCADE`;

/** Throws `MigrationError` if the database is half restored, or if its data is being moved or was moved elsewhere. */
export async function requireUsable(database: Pick<pg.Pool, 'query'>): Promise<void> {
  const { rows } = await database.query<{ filling: boolean; moved: boolean; free: boolean }>(
    `SELECT to_regnamespace($1) IS NOT NULL AS filling, to_regclass($2) IS NOT NULL AS moved,
      pg_try_advisory_xact_lock_shared($3) AS free`,
    [loadingSchema, movedTable, moveLock],
  );
  const [state] = rows;
  if (state?.moved) throw new MigrationError(await movedMessage(database));
  if (state?.filling) {
    throw new MigrationError(
      'This database is being restored, or that was interrupted: run the same npm run restore or npm run move again.',
    );
  }
  if (!state?.free) throw new MigrationError('The data of this database is being moved to another one.');
}

async function movedMessage(database: Pick<pg.Pool, 'query'>): Promise<string> {
  const { rows } = await database.query<{ target: string; at: string }>(
    `SELECT target, to_char(at, 'YYYY-MM-DD HH24:MI') AS at FROM ${movedTable}`,
  );
  return `The data of this database was moved to ${rows[0]?.target} on ${rows[0]?.at} UTC: use that one. To use this one again, without what was written since, run: ${reopening}`;
}
